import { describe, expect, it } from "vitest";
import { ages } from "../../../actors/registration/questions/families/ages.ts";
import { arrival } from "../../../actors/registration/questions/families/arrival.ts";
import { barter } from "../../../actors/registration/questions/families/barter.ts";
import { bus } from "../../../actors/registration/questions/families/bus.ts";
import { comparison } from "../../../actors/registration/questions/families/comparison.ts";
import { dayCount } from "../../../actors/registration/questions/families/day-count.ts";
import { departure } from "../../../actors/registration/questions/families/departure.ts";
import { exceptions } from "../../../actors/registration/questions/families/exceptions.ts";
import { isoDate } from "../../../actors/registration/questions/families/iso-date.ts";
import { jsonAnswer } from "../../../actors/registration/questions/families/json-answer.ts";
import { letterCode } from "../../../actors/registration/questions/families/letter-code.ts";
import { listPosition } from "../../../actors/registration/questions/families/list-position.ts";
import { lockerTag } from "../../../actors/registration/questions/families/locker-tag.ts";
import { money } from "../../../actors/registration/questions/families/money.ts";
import { oddOneOut } from "../../../actors/registration/questions/families/odd-one-out.ts";
import { overlap } from "../../../actors/registration/questions/families/overlap.ts";
import { rates } from "../../../actors/registration/questions/families/rates.ts";
import { sequence } from "../../../actors/registration/questions/families/sequence.ts";
import { spelling } from "../../../actors/registration/questions/families/spelling.ts";
import { stock } from "../../../actors/registration/questions/families/stock.ts";
import { venn } from "../../../actors/registration/questions/families/venn.ts";
import { walk } from "../../../actors/registration/questions/families/walk.ts";
import { weekday } from "../../../actors/registration/questions/families/weekday.ts";
import { agrees, only } from "./support.ts";

const at = (minutes: number): Date => new Date(Date.UTC(2030, 5, 3, 0, minutes));
const leap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const times = (n: number): Array<number> => Array.from({ length: n }, (_, i) => i);

describe("puzzles answered by a number, from their facts", () => {
  it("ages: one age of the child alone fits the sum", () => {
    agrees(ages, ({ child, elder, times: factor, gap, sum, about, years }) => {
      const age = only(times(120).filter((x) => x > 0 && x + x * factor + (x + gap) === sum));
      return String(years + (about === child ? age : about === elder ? age * factor : age + gap));
    });
  });

  it("barter: goods weighed in a common measure", () => {
    agrees(barter, ({ p, q, r, s, n }) => {
      const [weightA, weightC] = [q * s, p * r];
      return String(only(times(9999).filter((c) => c * weightC === n * weightA)));
    });
  });

  it("bus: passengers getting off and on one by one", () => {
    agrees(bus, ({ start, stops, asked }) => {
      const aboard = times(start);
      for (const { off, on } of stops.slice(0, asked + 1)) {
        for (const _ of times(off)) expect(aboard.pop()).toBeDefined();
        for (const one of times(on)) aboard.push(one);
      }
      return String(aboard.length);
    });
  });

  it("comparison: one value alone is reached along the differences", () => {
    agrees(comparison, ({ known, differences, about }) => {
      const reach = (name: string, value: number, from: string): Array<number> =>
        name === about
          ? [value]
          : differences.flatMap(({ a, b, by }) => {
              if (a === name && b !== from) return reach(b, value - by, name);
              return b === name && a !== from ? reach(a, value + by, name) : [];
            });
      return String(only(reach(known.name, known.value, "")));
    });
  });

  it("day-count: a calendar turned night by night", () => {
    agrees(dayCount, ({ from, to, away }) => {
      const last = new Date(Date.UTC(2028, to.month - 1, to.day)).getTime();
      let nights = 0;
      for (const day = new Date(Date.UTC(2028, from.month - 1, from.day)); day.getTime() < last; day.setUTCDate(day.getUTCDate() + 1)) nights++;
      return String(nights - away);
    });
  });

  it("exceptions: rows added up one by one", () => {
    agrees(exceptions, ({ rows, each, special, fewer, ordinary, out }) => {
      const filled = times(rows).map((i) => (special.includes(i + 1) ? fewer : each) - (i + 1 === ordinary ? out : 0));
      expect(new Set([...special, ordinary]).size).toBe(3);
      return String(filled.reduce((a, b) => a + b));
    });
  });

  it("money: everything bought piece by piece", () => {
    agrees(money, ({ goods, voucher, paid }) => {
      let purse = paid + voucher;
      for (const { amount, price } of goods) for (const _ of times(amount)) purse -= price;
      expect(purse).toBeGreaterThan(0);
      return String(purse);
    });
  });

  it("overlap: minute by minute", () => {
    agrees(overlap, ({ people }) => String(times(1440).filter((minute) => people.every(({ from, to }) => from <= minute && minute < to)).length));
  });

  it("rates: minute by minute", () => {
    agrees(rates, ({ first, second, stop, total }) => {
      let made = 0;
      for (let minute = 1; minute <= total; minute++) {
        if (minute % first.minutes === 0) made += first.amount;
        if (minute <= total - stop && minute % second.minutes === 0) made += second.amount;
      }
      expect([total % first.minutes, total % second.minutes, stop % second.minutes]).toEqual([0, 0, 0]);
      return String(made);
    });
  });

  it("sequence: each number from the one before", () => {
    agrees(sequence, ({ start, plus, times: factor, minus, nth }) => {
      const value = (n: number): number => {
        if (n === 1) return start;
        const before = value(n - 1);
        return [before - minus, before + plus, before * factor][(n - 1) % 3] ?? Number.NaN;
      };
      return String(value(nth));
    });
  });

  it("stock: pieces counted out", () => {
    agrees(stock, ({ outer, inner, dozens, loose, gone }) => {
      let pieces = loose - gone;
      for (const _ of times(outer)) for (const __ of times(inner)) for (const ___ of times(dozens)) pieces += 12;
      return String(pieces);
    });
  });

  it("venn: people put into two circles", () => {
    agrees(venn, ({ total, first, second, both, asked }) => {
      const people = times(total).map((i) => ({ first: i < first, second: i >= first - both && i < first - both + second }));
      expect(people.filter((one) => one.second)).toHaveLength(second);
      return String(
        people.filter((one) => {
          if (asked === "neither") return !one.first && !one.second;
          return asked === "exactly one" ? one.first !== one.second : one.first && !one.second;
        }).length,
      );
    });
  });

  it("walk: unit steps on the plane", () => {
    agrees(walk, ({ facing, first, legs }) => {
      const ahead = [[0, 1], [1, 0], [0, -1], [-1, 0]] as const;
      let [dx, dy]: readonly [number, number] = ahead[facing] ?? [0, 0];
      let [x, y] = [0, 0];
      const go = (length: number): void => times(length).forEach(() => ([x, y] = [x + dx, y + dy]));
      go(first);
      for (const { turn, length } of legs) {
        [dx, dy] = turn === "left" ? [-dy, dx] : turn === "right" ? [dy, -dx] : [-dx, -dy];
        go(length);
      }
      return String(Math.abs(x) + Math.abs(y));
    });
  });
});

describe("puzzles answered by a time, a day or a word, from their facts", () => {
  it("arrival", () => {
    agrees(arrival, ({ start, first, pause, second }) => {
      const end = at(start);
      for (const part of [first, pause, second]) end.setUTCMinutes(end.getUTCMinutes() + part);
      expect(end.getUTCDate()).toBe(3);
      return end.toISOString().slice(11, 16);
    });
  });

  it("departure", () => {
    agrees(departure, ({ due, ride, walk: afoot, early }) => {
      const begin = at(due);
      for (const part of [ride, afoot, early]) begin.setUTCMinutes(begin.getUTCMinutes() - part);
      expect(begin.getUTCDate()).toBe(3);
      return begin.toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit", timeZone: "UTC" }).replace(/\s/u, " ").toLowerCase();
    });
  });

  it("weekday", () => {
    agrees(weekday, ({ start, every, nth, later }) => {
      // 3 June 2030 is a Monday.
      const day = new Date(Date.UTC(2030, 5, 3 + start));
      for (const _ of times(nth - 1)) day.setUTCDate(day.getUTCDate() + every);
      day.setUTCDate(day.getUTCDate() + later);
      return day.toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" });
    });
  });

  it("spelling: letters moved as a list", () => {
    agrees(spelling, ({ word, changes }) => {
      const letters = [...word];
      for (const change of changes) {
        if (change.type === "reverse") letters.reverse();
        if (change.type === "drop first") letters.shift();
        if (change.type === "drop last") letters.pop();
        if (change.type === "last to front") letters.unshift(letters.pop() ?? "");
        if (change.type === "first to end") letters.push(letters.shift() ?? "");
        if (change.type === "swap ends") letters.splice(0, letters.length, letters.at(-1) ?? "", ...letters.slice(1, -1), letters[0] ?? "");
        if (change.type === "double") letters.splice(change.place, 0, letters[change.place - 1] ?? "");
        if (change.type === "drop") letters.splice(change.place - 1, 1);
        if (change.type === "replace") letters.forEach((letter, i) => (letters[i] = letter === change.letter ? change.by : letter));
      }
      return letters.join("");
    });
  });

  it("odd-one-out: one word alone breaks the rule", () => {
    agrees(oddOneOut, ({ rule, words }) => {
      const pattern = {
        contains: () => new RegExp("letter" in rule ? rule.letter : "-"),
        lacks: () => new RegExp(`^[^${"letter" in rule ? rule.letter : "-"}]*$`),
        length: () => new RegExp(`^.{${"length" in rule ? rule.length : 0}}$`),
        vowels: () => new RegExp(`^(?:[^aeiou]*[aeiou]){${"count" in rule ? rule.count : 0}}[^aeiou]*$`),
        double: () => /(\w)\1/,
      }[rule.type]();
      return only(words.filter((word) => !pattern.test(word)));
    });
  });

  it("letter-code: letters met halfway", () => {
    agrees(letterCode, ({ clues }) =>
      clues
        .map((clue) => {
          if (clue.type !== "middle") return String.fromCharCode(clue.from.charCodeAt(0) + (clue.type === "after" ? clue.by : -clue.by));
          let [low, high] = [clue.low.charCodeAt(0), clue.high.charCodeAt(0)];
          while (low < high) [low, high] = [low + 1, high - 1];
          expect(low).toBe(high);
          return String.fromCharCode(low);
        })
        .join(""),
    );
  });

  it("list-position: stepping along the list", () => {
    agrees(listPosition, ({ words, pointer }) => {
      if (pointer.type === "from end") return words.toReversed()[pointer.place - 1] ?? "";
      const way = pointer.type === "after" ? words : words.toReversed();
      return way[way.indexOf(pointer.anchor) + pointer.by] ?? "";
    });
  });

  it("locker-tag: as many smaller numbers as the place says", () => {
    agrees(lockerTag, ({ lockers, place }) => {
      const one = only(lockers.filter(({ number }) => lockers.filter((other) => other.number < number).length === place - 1));
      return `${one.name.toUpperCase()}-${(one.number + 10_000).toString().slice(1)}`;
    });
  });

  it("iso-date: a calendar turned day by day", () => {
    agrees(isoDate, ({ year, month, day, later }) => {
      let [y, m, d] = [year, month, day];
      for (const _ of times(later)) {
        const length = m === 2 ? (leap(y) ? 29 : 28) : [4, 6, 9, 11].includes(m) ? 30 : 31;
        d++;
        if (d > length) [d, m] = [1, m + 1];
        if (m > 12) [m, y] = [1, y + 1];
      }
      return `${y}-${m < 10 ? "0" : ""}${m}-${d < 10 ? "0" : ""}${d}`;
    });
  });

  it("json-answer: counted one by one", () => {
    agrees(jsonAnswer, ({ groups, each, more, less }) => {
      const things = times(groups).flatMap(() => times(each));
      things.push(...times(more));
      things.splice(0, less);
      return `{"answer":${things.length}}`;
    });
  });
});
