import { describe, expect, it } from "vitest";
import { birthdays } from "../../../actors/registration/questions/families/birthdays.ts";
import type { Birthday } from "../../../actors/registration/questions/families/birthdays.ts";
import { boxes } from "../../../actors/registration/questions/families/boxes.ts";
import { grid } from "../../../actors/registration/questions/families/grid.ts";
import type { NextTo } from "../../../actors/registration/questions/families/grid.ts";
import { kinship } from "../../../actors/registration/questions/families/kinship.ts";
import type { KinshipFacts } from "../../../actors/registration/questions/families/kinship.ts";
import { liars } from "../../../actors/registration/questions/families/liars.ts";
import { negation } from "../../../actors/registration/questions/families/negation.ts";
import { ordering } from "../../../actors/registration/questions/families/ordering.ts";
import { pronouns } from "../../../actors/registration/questions/families/pronouns.ts";
import { seating } from "../../../actors/registration/questions/families/seating.ts";
import { travelTable } from "../../../actors/registration/questions/families/travel-table.ts";
import { agrees, labelled, only, orders } from "./support.ts";

describe("puzzles answered by a name, from their facts", () => {
  it("ordering: one order alone fits the clues", () => {
    agrees(ordering, ({ names, clues, place }) => {
      const fitting = orders(names).filter((order) => {
        const at = new Map(order.map((name, i) => [name, i + 1]));
        return clues.every((clue) => {
          const a = at.get(clue.a) ?? 0;
          if (clue.type === "not") return a !== clue.place;
          const b = at.get(clue.b) ?? 0;
          return clue.type === "before" ? a < b : b === a + 1;
        });
      });
      return only(fitting)[place - 1] ?? "";
    });
  });

  it("ordering: no clue can be spared", () => {
    const { names, clues } = ordering.build(labelled("spare"));
    for (const spared of clues) {
      const fitting = orders(names).filter((order) =>
        clues.every((clue) => {
          if (clue === spared) return true;
          if (clue.type === "not") return order[clue.place - 1] !== clue.a;
          const gap = order.indexOf(clue.b) - order.indexOf(clue.a);
          return clue.type === "before" ? gap >= 1 : gap === 1;
        }),
      );
      expect(fitting.length).toBeGreaterThan(1);
    }
  });

  it("seating: every table that fits the clues is the same one turned", () => {
    agrees(
      seating,
      ({ names, clues, about, relation }) => {
        const fitting = orders(names).filter((seats) =>
          clues.every(({ type, a, b }) => {
            const i = seats.indexOf(a);
            const around = [1, 2, 3, 4, 5].map((step) => seats[(i + step) % 6]);
            if (type === "next") return around[0] === b;
            return type === "opposite" ? around[2] === b : around[0] !== b && around[4] !== b;
          }),
        );
        expect(fitting).toHaveLength(6);
        const step = { clockwise: 1, opposite: 3, anticlockwise: 5 }[relation];
        return only([...new Set(fitting.map((seats) => seats[(seats.indexOf(about) + step) % 6] ?? ""))]);
      },
      60,
    );
  });

  it("grid: every map that fits the clues has the same building there", () => {
    agrees(
      grid,
      ({ clues, from, east, north }) => {
        const places = [...new Set(clues.flatMap(({ a, b }) => [a, b]))];
        const found = maps(places, clues).map((map) => {
          const start = map.get(from);
          if (start === undefined) throw new Error("start not on the map");
          return [...map].find(([, [x, y]]) => x === start[0] + east && y === start[1] + north)?.[0] ?? "";
        });
        expect(found.length).toBeGreaterThan(0);
        return only([...new Set(found)]);
      },
      60,
    );
  });

  it("kinship: the relation worked out from parents and marriages fits one person", () => {
    agrees(kinship, (facts) => only(relatives(facts)));
  });

  it("birthdays: so many fall earlier in a real calendar", () => {
    agrees(birthdays, ({ birthdays: all, place }) => {
      const time = (one: Birthday): number => {
        if ("on" in one) return Date.UTC(2027, one.on.month - 1, one.on.day);
        const reference = all.find(({ name }) => name === one.from) as Birthday;
        return time(reference) + one.days * 86_400_000;
      };
      expect(new Set(all.map((one) => new Date(time(one)).getUTCFullYear()))).toEqual(new Set([2027]));
      return only(all.filter((one) => all.filter((other) => time(other) < time(one)).length === place - 1)).name;
    });
  });

  it("boxes: moving all the contents puts the thing there", () => {
    agrees(boxes, ({ colours, start, shifts }) => {
      let inside = new Map(colours.map((colour) => [colour, colour === start ? "thing" : `stone ${colour}`]));
      for (const shift of shifts) {
        const next = new Map(inside);
        for (const [i, colour] of shift.entries()) next.set(shift[(i + 1) % shift.length] ?? "", inside.get(colour) ?? "");
        inside = next;
      }
      return only([...inside].filter(([, content]) => content === "thing"))[0];
    });
  });

  it("negation: one item alone has the traits", () => {
    agrees(negation, ({ items, wanted }) => {
      return only(items.filter(({ traits }) => JSON.stringify(traits) === JSON.stringify(wanted))).colour;
    });
  });

  it("liars: one culprit alone makes the right number of statements true", () => {
    agrees(liars, ({ names, statements, truths }) => {
      const fitting = names.filter((culprit) => {
        let right = 0;
        for (const { says, names: [a, b] } of statements) {
          if (says === "was" && a === culprit) right++;
          if (says === "was not" && a !== culprit) right++;
          if (says === "was one of" && (a === culprit || b === culprit)) right++;
        }
        return right === truths;
      });
      return only(fitting);
    });
  });

  it("pronouns: the thing handed on from the start lands there", () => {
    agrees(pronouns, ({ women, start, meetings, asked }) => {
      let held = start;
      for (const { woman, man, holder, given } of meetings.slice(0, asked + 1)) {
        expect(held).toBe(women.includes(held) ? woman : man);
        expect(holder).toBe(women.includes(held) ? "woman" : "man");
        if (given) held = held === woman ? man : woman;
      }
      return held;
    });
  });

  it("travel-table: the trips sorted by day show the city", () => {
    agrees(travelTable, ({ trips, object, shift }) => {
      const week = trips.toSorted((a, b) => a.day - b.day);
      expect(week.map(({ day }) => day)).toEqual([0, 1, 2, 3, 4]);
      return week[week.findIndex((trip) => trip.object === object) + shift]?.city ?? "";
    });
  });
});

type Spot = readonly [number, number];

/** Every placing of all the places on a 3 by 3 board that keeps the clues. */
function maps(places: ReadonlyArray<string>, clues: ReadonlyArray<NextTo>): Array<Map<string, Spot>> {
  const board = [0, 1, 2].flatMap((x) => [0, 1, 2].map((y): Spot => [x, y]));
  const beside = ([ax, ay]: Spot, side: NextTo["side"], [bx, by]: Spot): boolean =>
    ({ north: ax === bx && ay === by + 1, south: ax === bx && ay === by - 1, east: ax === bx + 1 && ay === by, west: ax === bx - 1 && ay === by })[side];
  let open: Array<Map<string, Spot>> = [new Map()];
  for (const place of places) {
    open = open.flatMap((map) =>
      board
        .filter((spot) => ![...map.values()].includes(spot))
        .map((spot) => new Map([...map, [place, spot]]))
        .filter((next) =>
          clues.every(({ a, side, b }) => {
            const [left, right] = [next.get(a), next.get(b)];
            return left === undefined || right === undefined || beside(left, side, right);
          }),
        ),
    );
  }
  return open;
}

/** All who stand in the relation, by its dictionary meaning over three plain relations. */
function relatives({ households, relation, about }: KinshipFacts): ReadonlyArray<string> {
  const female = new Set(households.flatMap(({ wife, children }) => [wife, ...children.filter((child) => child.female).map(({ name }) => name)]));
  const people = [...new Set(households.flatMap(({ husband, wife, children }) => [husband, wife, ...children.map(({ name }) => name)]))];
  const parent = (a: string, b: string) => households.some(({ husband, wife, children }) => (a === husband || a === wife) && children.some(({ name }) => name === b));
  const married = (a: string, b: string) => households.some(({ husband, wife }) => (a === husband && b === wife) || (a === wife && b === husband));
  const some = (test: (between: string) => boolean) => people.some(test);
  const sibling = (a: string, b: string) => a !== b && some((p) => parent(p, a) && parent(p, b));
  const siblingOrSpouse = (a: string, b: string) => sibling(a, b) || some((s) => married(a, s) && sibling(s, b));
  const elder = (a: string, b: string) => some((p) => parent(p, b) && siblingOrSpouse(a, p));
  const inLaw = (a: string, b: string) =>
    some((s) => married(a, s) && sibling(s, b)) || some((s) => married(b, s) && siblingOrSpouse(a, s));
  const young = (a: string, b: string) => elder(b, a);
  const tests: Readonly<Record<string, (a: string, b: string) => boolean>> = {
    aunt: elder,
    uncle: elder,
    "sister-in-law": inLaw,
    "brother-in-law": inLaw,
    niece: young,
    nephew: young,
    "daughter-in-law": (a, b) => some((c) => married(a, c) && parent(b, c)),
    "son-in-law": (a, b) => some((c) => married(a, c) && parent(b, c)),
    granddaughter: (a, b) => some((c) => parent(b, c) && parent(c, a)),
    grandson: (a, b) => some((c) => parent(b, c) && parent(c, a)),
    "female cousin": (a, b) => some((p) => parent(p, a) && some((q) => parent(q, b) && sibling(p, q))),
    "male cousin": (a, b) => some((p) => parent(p, a) && some((q) => parent(q, b) && sibling(p, q))),
  };
  const wantsWoman = /aunt|sister|niece|daughter|female/.test(relation);
  const test = tests[relation];
  if (test === undefined) throw new Error(`no meaning known for ${relation}`);
  return people.filter((one) => one !== about && female.has(one) === wantsWoman && test(one, about));
}
