/**
 * Reads the facts back out of the prompts, so that a rendering that says something else than its facts is caught.
 * Every phrasing of the families below is read; each wording has its own pattern here, written down a second time.
 */
import { describe, it } from "vitest";
import { arrival } from "../../../actors/registration/questions/families/arrival.ts";
import { comparison } from "../../../actors/registration/questions/families/comparison.ts";
import { dayCount } from "../../../actors/registration/questions/families/day-count.ts";
import { departure } from "../../../actors/registration/questions/families/departure.ts";
import { isoDate } from "../../../actors/registration/questions/families/iso-date.ts";
import { lockerTag } from "../../../actors/registration/questions/families/locker-tag.ts";
import { ordering } from "../../../actors/registration/questions/families/ordering.ts";
import { overlap } from "../../../actors/registration/questions/families/overlap.ts";
import { MONTHS, NAMES } from "../../../actors/registration/questions/vocabulary.ts";
import { agreesInText, digits, found, mentions, only, orders, ordinals } from "./support.ts";

const minutesOf = (time: string): number => {
  const [, hour = "", minute = "", half] = /^(\d+):(\d+)(?: (am|pm))?$/.exec(time) ?? [];
  return (half === undefined ? Number(hour) : (Number(hour) % 12) + (half === "pm" ? 12 : 0)) * 60 + Number(minute);
};
const durations = (text: string): number =>
  [...digits(text).matchAll(/(\d+) (hours?|minutes?)/g)].reduce((sum, [, n, unit]) => sum + Number(n) * (unit?.startsWith("h") ? 60 : 1), 0);

describe("clock and calendar", () => {
  it("arrival: the time plus all durations", () => {
    agreesInText(arrival, (prompt) => {
      const [start = ""] = prompt.match(/\d\d:\d\d/) ?? [];
      const end = minutesOf(start) + durations(prompt);
      return `${String(Math.floor(end / 60)).padStart(2, "0")}:${String(end % 60).padStart(2, "0")}`;
    });
  });

  it("departure: the time less all durations", () => {
    agreesInText(departure, (prompt) => {
      const begin = minutesOf(only(prompt.match(/\d+:\d\d [ap]m/g) ?? [])) - durations(prompt);
      const hour = Math.floor(begin / 60);
      return `${((hour + 11) % 12) + 1}:${String(begin % 60).padStart(2, "0")} ${hour >= 12 ? "pm" : "am"}`;
    });
  });

  it("overlap: the times in pairs", () => {
    agreesInText(overlap, (prompt) => {
      const read = (prompt.match(/\d\d:\d\d/g) ?? []).map(minutesOf);
      const stays = [0, 2, 4].map((i) => [read[i] ?? 0, read[i + 1] ?? 0]);
      return String(Math.min(...stays.map((stay) => Math.max(...stay))) - Math.max(...stays.map((stay) => Math.min(...stay))));
    });
  });

  it("day-count: two dates and one other number", () => {
    agreesInText(dayCount, (prompt) => {
      const date = new RegExp(`(?<d>\\d+) (?<m>${MONTHS.join("|")})|(?<m2>${MONTHS.join("|")}) (?<d2>\\d+)`, "g");
      const read = [...prompt.matchAll(date)].map(({ groups: g }) => Date.UTC(2030, MONTHS.indexOf(g?.["m"] ?? g?.["m2"] ?? ""), Number(g?.["d"] ?? g?.["d2"])));
      const away = Number(only(prompt.replaceAll(date, "").match(/\d+/g) ?? []));
      return String((Math.max(...read) - Math.min(...read)) / 86_400_000 - away);
    });
  });

  it("iso-date: a date and a number of days", () => {
    agreesInText(isoDate, (prompt) => {
      const text = digits(prompt);
      const date = new RegExp(`(\\d+) (${MONTHS.join("|")}) (\\d{4})|(${MONTHS.join("|")}) (\\d+), (\\d{4})`);
      const [, d1, m1, y1, m2, d2, y2] = date.exec(text) ?? [];
      const later = Number(/(\d+) (?:days|more sheets)/.exec(text)?.[1]);
      return new Date(Date.UTC(Number(y1 ?? y2), MONTHS.indexOf(m1 ?? m2 ?? ""), Number(d1 ?? d2) + later)).toISOString().slice(0, 10);
    });
  });
});

const BEFORE = [
  "?A finished ahead of ?B\\.", "?B will be served later than ?A\\.", "When ?B goes on stage, ?A has already played", "?B lives somewhere above ?A\\.",
  "By the time ?B arrived, ?A was there", "The folder of ?A has its place somewhere to the left of the one of ?B\\.", "?A is older than ?B\\.", "?B scored fewer points than ?A\\.",
];
const NEXT = [
  "?B crossed the line immediately after ?A\\.", "Directly in front of ?B stands ?A\\.", "plays between \\p{L}+ and ?B, and of these two ?A is the earlier",
  "Going up exactly one floor from ?A you come to ?B\\.", "next to arrive after ?A was ?B\\.", "Touching the folder of ?A on the right is the folder of ?B\\.",
  "After ?A, the next child born was ?B\\.", "one rank below ?A you find ?B\\.",
];
const NOT = [
  "?A did not come in #\\.", "the # place in the line, it isn't ?A\\.", "The # turn does not go to ?A\\.", "not find ?A at home on floor number #\\.",
  "Guest number # at the door was somebody other than ?A\\.", "look for the folder of ?A at position # from", "?A isn't the #-born", "Rank # was not for ?A\\.",
];
const PLACE =
  /Who finished (\d)\?|person is (\d) to be served|pupil who has the (\d) turn|home is floor number (\d)|Who was guest number (\d)|folder at position (\d) from the left belong|write in (\d) position|holds rank (\d)/;

describe("names in order", () => {
  it("ordering: the clues as worded", () => {
    agreesInText(
      ordering,
      (prompt) => {
        const text = ordinals(prompt);
        const names = [...new Set(mentions(text, NAMES))];
        const [before, next, not] = [BEFORE, NEXT, NOT].map((patterns) => found(text, patterns));
        const fitting = orders(names).filter(
          (order) =>
            before?.every(({ a, b }) => order.indexOf(a) < order.indexOf(b)) &&
            next?.every(({ a, b }) => order.indexOf(a) === order.indexOf(b) - 1) &&
            not?.every(({ a, n }) => order[n - 1] !== a),
        );
        const place = Number(PLACE.exec(text)?.slice(1).find((group) => group !== undefined));
        return only(fitting)[place - 1] ?? "";
      },
      20,
    );
  });

  it("comparison: the differences as worded", () => {
    const more = [
      "?A is # cm taller than ?B\\.", "That of ?A outweighed that of ?B by #", "Take # bricks from ?A's tower and it is level with ?B's", '"I beat ?B by # coins," says ?A\\.',
      "?A's result minus ?B's is #\\.", "village of ?A is further from the sea than that of ?B, the difference being #", '"?A" goes on # seconds longer than "?B"', "a present of # points would bring ?B up to ?A's",
      "?B is # cm shorter than ?A\\.", "To match ?A, ?B would have had to pick # kilos", "?B's tower needs another # bricks to be level with ?A's", "\"If I had # coins more, I'd have as many as ?A,\" says ?B\\.",
      "?B fell short of ?A by #", "village of ?B is # km nearer to the sea than that of ?A\\.", '"?B" is over # seconds before "?A"', "?B is behind ?A; the gap is #",
    ];
    const known = ["?A is # cm tall\\.", "brought in by ?A weighed #", "For ?A's tower # bricks", '"Mine has # coins," says ?A', "?A reached #\\.", "It is # km from the village of ?A to", '"?A" lasts # seconds', "# points belong to ?A\\."];
    const asked = ["How tall is ?A,", "of the one ?A brought", "are in ?A's tower\\?", "number of coins ?A has", "Which result did ?A reach", "from the sea is the village of ?A\\?", 'length of "?A" in seconds', "What is ?A's number of points"];
    agreesInText(comparison, (prompt) => {
      const text = digits(prompt);
      const start = only(found(text, known).filter(({ a }) => NAMES.includes(a)));
      const values = new Map([[start.a, start.n]]);
      const differences = found(text, more);
      for (const _ of differences) {
        for (const { a, b, n } of differences) {
          const [high, low] = [values.get(a), values.get(b)];
          if (high !== undefined) values.set(b, high - n);
          else if (low !== undefined) values.set(a, low + n);
        }
      }
      return String(values.get(only(found(prompt, asked)).a));
    });
  });

  it("locker-tag: names and numbers in pairs", () => {
    agreesInText(lockerTag, (prompt) => {
      const numbers = (prompt.match(/\b\d{2,3}\b/g) ?? []).map(Number);
      const pairs = mentions(prompt, NAMES).map((name, i) => ({ name, number: numbers[i] ?? 0 }));
      const place = Number(/(\d) smallest/.exec(ordinals(prompt))?.[1] ?? 1);
      const one = pairs.toSorted((a, b) => a.number - b.number)[place - 1];
      return `${one?.name.toUpperCase()}-${String(one?.number).padStart(4, "0")}`;
    });
  });
});
