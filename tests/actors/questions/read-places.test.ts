/**
 * Reads the facts back out of the prompts, so that a rendering that says something else than its facts is caught.
 * Every phrasing of the families below is read; each wording has its own pattern here, written down a second time.
 */
import { describe, it } from "vitest";
import { boxes } from "../../../actors/registration/questions/families/boxes.ts";
import { bus } from "../../../actors/registration/questions/families/bus.ts";
import { grid } from "../../../actors/registration/questions/families/grid.ts";
import { listPosition } from "../../../actors/registration/questions/families/list-position.ts";
import { negation } from "../../../actors/registration/questions/families/negation.ts";
import { pronouns } from "../../../actors/registration/questions/families/pronouns.ts";
import { spelling } from "../../../actors/registration/questions/families/spelling.ts";
import { travelTable } from "../../../actors/registration/questions/families/travel-table.ts";
import { walk } from "../../../actors/registration/questions/families/walk.ts";
import { CITIES, COLOURS, MEN, NAMES, OBJECTS, PLACES, WEEKDAYS, WOMEN, WORDS } from "../../../actors/registration/questions/vocabulary.ts";
import { agreesInText, digits, mentions, only, ordinals, twice } from "./support.ts";

const day = (trip: ReadonlyArray<string>): number => WEEKDAYS.indexOf(trip.find((word) => WEEKDAYS.includes(word)) ?? "");

describe("things on the move", () => {
  it("bus: what comes on and what goes off, as worded", () => {
    const stops = [
      /At the (?<p>[a-z ]+) (?<off>\d+) get off and (?<on>\d+) get on/gu, /By the (?<p>[a-z ]+) the group gains (?<on>\d+) and loses (?<off>\d+)/gu,
      /Next comes the (?<p>[a-z ]+): the driver hands over (?<off>\d+) and is given (?<on>\d+)/gu, /Near the (?<p>[a-z ]+) he bought (?<on>\d+) goats, having just sold (?<off>\d+)/gu,
      /In front of the (?<p>[a-z ]+) listeners threw in (?<on>\d+), but (?<off>\d+) were stolen/gu, /After it came to the (?<p>[a-z ]+), (?<off>\d+) marchers were tired and dropped out, whereas (?<on>\d+) newcomers/gu,
      /Then, at the (?<p>[a-z ]+), (?<on>\d+) litres were poured in and (?<off>\d+) drawn/gu, /The box near the (?<p>[a-z ]+) comes next; (?<on>\d+) books are lifted from it onto the trolley, and (?<off>\d+) are put/gu,
    ];
    const start = /(?:starts with|At first|carrying|owned|There were|has|with|bears) (\d+) (?:passengers|people|parcels|goats|coins|marchers|litres|books)/;
    const asked =
      /it leaves the ([a-z ]+)\?|has passed the ([a-z ]+)\?|when the ([a-z ]+) is behind|business near the ([a-z ]+) was done|walks away from the ([a-z ]+)\.|between the ([a-z ]+) and whatever|directly after the ([a-z ]+)\?|roll on from the ([a-z ]+)\?/;
    agreesInText(bus, (prompt) => {
      const text = digits(prompt);
      const place = asked.exec(text)?.slice(1).find((group) => group !== undefined);
      let aboard = Number(start.exec(text)?.[1]);
      for (const { groups } of stops.flatMap((pattern) => [...text.matchAll(pattern)])) {
        aboard += Number(groups?.["on"]) - Number(groups?.["off"]);
        if (groups?.["p"] === place) return String(aboard);
      }
      return "no such stop";
    });
  });

  it("walk: turns and lengths in their order", () => {
    const leg = /(\d+) (?:block|tile|pace|mile|square|cell|kilometre|field)s?/g;
    const turns = /\b(?:U-turn|half turn|Turn about|opposite way|turned round|right round|Turn round|180 degrees|anticlockwise|clockwise|to port|to starboard|a right angle to its (?:left|right)|left|right|Left|Right)\b/g;
    agreesInText(walk, (prompt) => {
      const told = digits(prompt).replace(/1 each kilometre|One move takes the token 1 field|1 move takes the token 1 field/g, "").replace(/\(left\)|\(right\)/g, "");
      const lengths = [...told.matchAll(leg)].map(([, n]) => Number(n));
      const ways = (told.match(turns) ?? []).map((turn) => (/U-turn|half|about|opposite|round|180/.test(turn) ? 2 : /anti|port|left/i.test(turn) ? 3 : 1));
      let heading = ["north", "east", "south", "west"].indexOf(firstHeading(told));
      let [x, y] = [0, 0];
      for (const [i, length] of lengths.entries()) {
        if (i > 0) heading = (heading + (ways[i - 1] ?? 0)) % 4;
        x += ([0, 1, 0, -1][heading] ?? 0) * length;
        y += ([1, 0, -1, 0][heading] ?? 0) * length;
      }
      return String(Math.abs(x) + Math.abs(y));
    });
  });

  it("boxes: colours in the order of each move", () => {
    agreesInText(boxes, (prompt) => {
      const sentences = prompt.match(/[^.?!]+[.?!]/g) ?? [];
      const coloured = sentences.map((sentence) => mentions(sentence, COLOURS));
      const opening = coloured.findIndex((colours) => colours.length >= 6);
      // Where the start is told in a sentence beside the one that lists the colours.
      const head = coloured.slice(0, opening + 2);
      const started = new Set(head.flat()).size < head.flat().length && head[opening]?.length === 7 ? opening : startsBefore(coloured, opening) ? opening : opening + 1;
      let at = twice(coloured.slice(0, started + 1).flat());
      for (const [i, colours] of coloured.slice(started + 1).entries()) {
        const swap = [...new Set(colours)];
        if (swap.length === 2 && swap.includes(at)) at = only(swap.filter((colour) => colour !== at));
        if (swap.length !== 3) continue;
        const taken = sentences[started + 1 + i]?.includes(" gets ") === true;
        const moves = [0, 2, 4].map((k) => (taken ? [colours[k + 1], colours[k]] : [colours[k], colours[k + 1]]));
        at = moves.find(([from]) => from === at)?.[1] ?? at;
      }
      return at;
    });
  });

  it("pronouns: he and she resolved by name", () => {
    const kept = /did not want it|would not sell|still needed|too tired|and fails|did not trust|could not win|in vain/;
    agreesInText(pronouns, (prompt) => {
      const places = mentions(prompt, PLACES);
      const asked = twice(places);
      const tokens = [...prompt.matchAll(new RegExp(`(?<![\\p{L}])(?:${[...NAMES, ...PLACES].join("|")})(?![\\p{L}])`, "gu"))].map(({ 0: word, index }) => ({ word, index }));
      const story = tokens[0]?.word === asked ? tokens.slice(1) : tokens.slice(0, -1);
      let held = twice(story.slice(0, 7).map(({ word }) => word));
      for (let i = 7; i < story.length; i += 3) {
        const [from, until] = [story[i]?.index ?? 0, story[i + 3]?.index ?? prompt.length];
        const words = story.slice(i, i + 3).map(({ word }) => word);
        const other = only(words.filter((word) => (WOMEN.includes(held) ? MEN : WOMEN).includes(word)));
        if (!kept.test(prompt.slice(from, until))) held = other;
        if (words.includes(asked)) return held;
      }
      return "no such meeting";
    });
  });
});

function firstHeading(text: string): string {
  const heading =
    /(?:blocks? |faces |looking |due |heading |towards the |Drive |to the )(north|east|south|west)\b(?! or)/.exec(text)?.[1];
  return heading ?? "";
}

function startsBefore(coloured: ReadonlyArray<ReadonlyArray<string>>, opening: number): boolean {
  return coloured.slice(0, opening).some((colours) => colours.length > 0);
}

describe("places, lists and letters", () => {
  it("grid: the clues as worded", () => {
    const side = "(north|south|east|west|North|South|East|West)";
    const thing = "(\\p{L}+(?: office| hall)?)";
    const patterns: ReadonlyArray<readonly [RegExp, "a of b" | "b of a" | "b back"]> = [
      [new RegExp(`directly ${side} of the (?<b>${thing}) is the (?<a>${thing})'s`, "gu"), "a of b"],
      [new RegExp(`square ${side} from the (?<b>${thing}) and you are on the (?<a>${thing})\\.`, "gu"), "a of b"],
      [new RegExp(`tile of the (?<a>${thing}) has the tile of the (?<b>${thing}) as its ${side} neighbour`, "gu"), "b of a"],
      [new RegExp(`block of the (?<a>${thing}) towards the ${side}, the (?<b>${thing}) is in`, "gu"), "b of a"],
      [new RegExp(`Draw the (?<a>${thing}) in the field just ${side} of the field with the (?<b>${thing})\\.`, "gu"), "a of b"],
      [new RegExp(`${side} of the (?<b>${thing}), and sharing a border with it, is the parcel of the (?<a>${thing})\\.`, "gu"), "a of b"],
      [new RegExp(`Leaving the (?<b>${thing}) screen over its ${side} edge, the player enters the (?<a>${thing}) screen`, "gu"), "a of b"],
      [new RegExp(`From the (?<a>${thing}), the (?<b>${thing}) is one section to the ${side}`, "gu"), "b of a"],
    ];
    const steps = { north: [0, 1], south: [0, -1], east: [1, 0], west: [-1, 0] } as const;
    agreesInText(grid, (prompt) => {
      const spots = new Map<string, readonly [number, number]>();
      const clues = patterns.flatMap(([pattern, way]) =>
        [...prompt.matchAll(pattern)].map((match) => {
          const [dx, dy] = steps[(only(match[0].toLowerCase().match(/north|south|east|west/g) ?? []) as keyof typeof steps)];
          const [a, b] = [match.groups?.["a"] ?? "", match.groups?.["b"] ?? ""];
          return way === "a of b" ? { of: a, from: b, dx, dy } : { of: b, from: a, dx, dy };
        }),
      );
      const question = /(one|two) (?:plot|square|tile|block|field|parcel|screen|section)s? (north|south|east|west)/g;
      const from = /(?:Starting at|moving from|finger on|reached from|grid. From|paper, north at the top. From|Over|goes from|walks from) the (\p{L}+(?: office| hall)?)/u.exec(prompt)?.[1] ?? "";
      spots.set(from, [0, 0]);
      for (const _ of clues) {
        for (const { of, from: base, dx, dy } of clues) {
          const [there, here] = [spots.get(of), spots.get(base)];
          if (here !== undefined) spots.set(of, [here[0] + dx, here[1] + dy]);
          else if (there !== undefined) spots.set(base, [there[0] - dx, there[1] - dy]);
        }
      }
      let [x, y] = [0, 0];
      for (const [, length, way] of askedPart(prompt, from).matchAll(question)) {
        const [dx, dy] = steps[way as keyof typeof steps];
        x += dx * (length === "two" ? 2 : 1);
        y += dy * (length === "two" ? 2 : 1);
      }
      return only([...spots].filter(([, spot]) => spot[0] === x && spot[1] === y))[0];
    });
  });

  it("travel-table: cities, days and objects three by three", () => {
    agreesInText(travelTable, (prompt) => {
      const text = digits(prompt).replace("from Monday to Friday", "");
      const question = only((text.match(/[^.?!:]+(?:exactly a day|\d days?) (?:before|after)[^.?]*[.?]/g) ?? []).slice(0, 1));
      const rows = mentions(text.replace(question, ""), [...CITIES, ...WEEKDAYS, ...OBJECTS]);
      const trips = [0, 3, 6, 9, 12].map((i) => rows.slice(i, i + 3));
      const object = only(mentions(question, OBJECTS));
      const [, n, side] = /(a|\d) days? (before|after)/.exec(question) ?? [];
      const shift = (n === "a" ? 1 : Number(n)) * (side === "before" ? -1 : 1);
      const from = day(only(trips.filter((trip) => trip.includes(object))));
      return only(only(trips.filter((trip) => day(trip) === from + shift)).filter((word) => CITIES.includes(word)));
    });
  });

  it("negation: the traits of each colour as worded", () => {
    const trait = /\b(not )?(un)?(sealed|painted|labelled|stamped|paid|numbered|heated|furnished|lit|opened|signed|dated|saddled|trained|shod|invited|announced|masked|insured|wrapped|weighed|paved|guarded|fenced)\b/g;
    agreesInText(negation, (prompt) => {
      const traits = [...prompt.matchAll(trait)].map(({ 1: not, 2: un, 3: word, index }) => ({ index, trait: `${(not === undefined) === (un === undefined)} ${word}` }));
      const colours = [...prompt.toLowerCase().matchAll(new RegExp(`\\b(?:${COLOURS.join("|")})\\b`, "g"))];
      const groups = Array.from({ length: 7 }, (_, i) => traits.slice(3 * i, 3 * i + 3));
      const key = (group: typeof traits): string => group.map((one) => one.trait).toSorted().join();
      const owner = (group: typeof traits): string | undefined =>
        colours.filter(({ index }) => index < (group.at(-1)?.index ?? 0)).at(-1)?.[0];
      const first = colours[0]?.index ?? 0;
      const question = (groups[0]?.[0]?.index ?? 0) < first ? 0 : 6;
      const wanted = key(groups[question] ?? []);
      return owner(only(groups.filter((group, i) => i !== question && key(group) === wanted))) ?? "";
    });
  });

  it("list-position: the list and the pointer", () => {
    agreesInText(listPosition, (prompt) => {
      const text = ordinals(digits(prompt));
      const anchor = /(\d) places (after|before|to the right of|to the left of|behind|ahead of|below|above) "(\w+)"/.exec(text);
      const words = mentions(prompt, OBJECTS);
      const listed = words.length === 9 ? words : words[0] === anchor?.[3] && words.indexOf(words[0] ?? "", 1) > 0 && words.slice(1).length === 9 && text.startsWith("Find") ? words.slice(1) : words.slice(0, 9);
      if (anchor === null) return listed.at(-Number(/(\d) from the/.exec(text)?.[1])) ?? "";
      const by = Number(anchor[1]) * (/after|right|behind|below/.test(anchor[2] ?? "") ? 1 : -1);
      return listed[listed.indexOf(anchor[3] ?? "") + by] ?? "";
    });
  });

  it("spelling: the changes as worded, in their order", () => {
    const place = "(\\d)(?: letter)?";
    const changes: ReadonlyArray<readonly [string, (word: string, x: string, y: string) => string]> = [
      ["write it backwards|letters were put in the opposite order|reading it from right to left", (w) => [...w].toReversed().join("")],
      ["cross out its 1 letter|opening letter was left out|losing the leftmost letter", (w) => w.slice(1)],
      ["cross out its last letter|closing letter was left out|losing the rightmost letter", (w) => w.slice(0, -1)],
      ["move the last letter to the front|letter at the very end was taken|carrying the rightmost letter over", (w) => w.slice(-1) + w.slice(0, -1)],
      ["move the 1 letter to the end|letter at the very beginning was taken|carrying the leftmost letter over", (w) => w.slice(1) + w.slice(0, 1)],
      ["let the 1 and the last letter change|two outermost letters were exchanged|trading the leftmost letter for", (w) => w.slice(-1) + w.slice(1, -1) + w.slice(0, 1)],
      [`write the ${place} twice|letter number (\\d) was doubled|repeating the letter that is (\\d) from`, (w, x) => w.slice(0, Number(x)) + w.slice(Number(x) - 1)],
      [`cross out the ${place}|letter number (\\d) was left out|losing the letter that is (\\d) from`, (w, x) => w.slice(0, Number(x) - 1) + w.slice(Number(x))],
      ["put (\\w) wherever there is (\\w)\\b", (w, x, y) => w.replaceAll(y, x)],
      ["every (\\w) was turned into (\\w)\\b", (w, x, y) => w.replaceAll(x, y)],
      ["using (\\w) instead of each (\\w)\\b", (w, x, y) => w.replaceAll(y, x)],
    ];
    agreesInText(spelling, (prompt) => {
      const text = ordinals(prompt);
      const read = changes
        .flatMap(([pattern, apply]) => [...text.matchAll(new RegExp(pattern, "gi"))].map((match) => ({ match, apply })))
        .toSorted((a, b) => a.match.index - b.match.index);
      const word = mentions(prompt.replace("said the teacher", ""), WORDS)[0] ?? "";
      if (read.length !== 3) return `read ${read.length} changes`;
      return read.reduce((current, { match, apply }) => {
        const [x = "", y = ""] = match.slice(1).filter((group) => group !== undefined);
        return apply(current, x, y);
      }, word);
    });
  });
});

/** The sentence that asks, known by the place it starts from. */
function askedPart(prompt: string, from: string): string {
  const sentences = prompt.match(/[^.?!]+[.?!]"?/g) ?? [];
  const asking = sentences.filter((sentence) => sentence.includes(from) && /(?:go|goes|moving|shift it|walking|walks|count|flies) /.test(sentence) && /one|two/.test(sentence));
  return asking.find((sentence) => !/"From the|directly|Move one/.test(sentence)) ?? "";
}
