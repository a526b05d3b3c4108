import type { Family } from "../family.ts";
import { count, only, scattered } from "../prose.ts";
import type { Random } from "../random.ts";
import { NAMES } from "../vocabulary.ts";

/** `a` has `by` more than `b`. */
export interface Difference {
  readonly a: string;
  readonly b: string;
  readonly by: number;
}

export interface ComparisonFacts {
  readonly known: { readonly name: string; readonly value: number };
  readonly differences: ReadonlyArray<Difference>;
  readonly about: string;
}

const PEOPLE = 5;
/** So that every difference takes a plural. */
const SMALLEST = 2;

/** A tree of differences hanging from the one known value; the person asked about is at least two steps away. */
function build(random: Random): ComparisonFacts {
  const names = random.sample(NAMES, PEOPLE);
  const values = random.sample(Array.from({ length: 36 }, (_, i) => 130 + i), PEOPLE);
  const differences = names.slice(1).map((name, i): Difference => {
    const other = i === 0 || i === 1 ? i : random.int(0, i);
    const by = (values[i + 1] ?? 0) - (values[other] ?? 0);
    const parent = names[other] ?? "";
    return by > 0 ? { a: name, b: parent, by } : { a: parent, b: name, by: -by };
  });
  if (differences.some(({ by }) => by < SMALLEST)) return build(random);
  const distant = names.slice(2).filter((name) => !differences.some(({ a, b }) => (a === name && b === names[0]) || (b === name && a === names[0])));
  return { known: { name: names[0] ?? "", value: values[0] ?? 0 }, differences, about: random.pick(distant) };
}

function answer({ known, differences, about }: ComparisonFacts): string {
  const values = new Map([[known.name, known.value]]);
  // Every pass settles at least one more person, since the differences form a tree.
  while (!values.has(about)) {
    for (const { a, b, by } of differences) {
      const [low, high] = [values.get(b), values.get(a)];
      if (low !== undefined) values.set(a, low + by);
      else if (high !== undefined) values.set(b, high - by);
    }
  }
  return String(values.get(about));
}

interface Scene {
  readonly open: string;
  readonly known: (name: string, value: number) => string;
  readonly more: (a: string, b: string, by: string) => string;
  readonly less: (a: string, b: string, by: string) => string;
  readonly ask: (name: string) => string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: "Heights of five children, in whole centimetres.",
    known: (name, value) => `${name} is ${value} cm tall.`,
    more: (a, b, by) => `${a} is ${by} cm taller than ${b}.`,
    less: (a, b, by) => `${b} is ${by} cm shorter than ${a}.`,
    ask: (name) => `How tall is ${name}, in centimetres?`,
    askFirst: false,
  },
  {
    open: "",
    known: (name, value) => `The basket brought in by ${name} weighed ${value} kilos.`,
    more: (a, b, by) => `That of ${a} outweighed that of ${b} by ${by} kilos.`,
    less: (a, b, by) => `To match ${a}, ${b} would have had to pick ${by} kilos more.`,
    ask: (name) => `Apple pickers compare their baskets. What is the weight, in kilos, of the one ${name} brought?`,
    askFirst: true,
  },
  {
    open: "The towers of a toy town each bear a builder's name.",
    known: (name, value) => `For ${name}'s tower ${value} bricks were used.`,
    more: (a, b, by) => `Take ${by} bricks from ${a}'s tower and it is level with ${b}'s.`,
    less: (a, b, by) => `${b}'s tower needs another ${by} bricks to be level with ${a}'s.`,
    ask: (name) => `How many bricks are in ${name}'s tower?`,
    askFirst: false,
  },
  {
    open: "Five savers tell about their money boxes.",
    known: (name, value) => `"Mine has ${value} coins," says ${name}.`,
    more: (a, b, by) => `"I beat ${b} by ${by} coins," says ${a}.`,
    less: (a, b, by) => `"If I had ${by} coins more, I'd have as many as ${a}," says ${b}.`,
    ask: (name) => `All speak the truth. Find the number of coins ${name} has.`,
    askFirst: false,
  },
  {
    open: "A typing contest has just ended; results are words per minute.",
    known: (name, value) => `${name} reached ${value}.`,
    more: (a, b, by) => `${a}'s result minus ${b}'s is ${by}.`,
    less: (a, b, by) => `${b} fell short of ${a} by ${by}.`,
    ask: (name) => `Which result did ${name} reach?`,
    askFirst: true,
  },
  {
    open: "Villages are listed by their founder's name, with their distance from the sea.",
    known: (name, value) => `It is ${value} km from the village of ${name} to the sea.`,
    more: (a, b, by) => `The village of ${a} is further from the sea than that of ${b}, the difference being ${by} km.`,
    less: (a, b, by) => `The village of ${b} is ${by} km nearer to the sea than that of ${a}.`,
    ask: (name) => `How many kilometres from the sea is the village of ${name}?`,
    askFirst: false,
  },
  {
    open: "Each song was named after a singer, and its length was measured in seconds.",
    known: (name, value) => `"${name}" lasts ${value} seconds.`,
    more: (a, b, by) => `"${a}" goes on ${by} seconds longer than "${b}".`,
    less: (a, b, by) => `When both start together, "${b}" is over ${by} seconds before "${a}".`,
    ask: (name) => `Tell the length of "${name}" in seconds.`,
    askFirst: false,
  },
  {
    open: "On a loyalty list everybody's points are secret but one.",
    known: (name, value) => `${value} points belong to ${name}.`,
    more: (a, b, by) => `Giving ${b} a present of ${by} points would bring ${b} up to ${a}'s score.`,
    less: (a, b, by) => `${b} is behind ${a}; the gap is ${by} points.`,
    ask: (name) => `What is ${name}'s number of points?`,
    askFirst: true,
  },
];

export const comparison: Family<ComparisonFacts> = {
  name: "comparison",
  reasoning: true,
  kind: "number",
  format: null,
  build,
  answer,
  candidates: null,
  phrasings: SCENES.map((scene) => ({ known, differences, about }: ComparisonFacts, random: Random) => {
    const facts = [
      scene.known(known.name, known.value),
      ...differences.map(({ a, b, by }) => random.pick([scene.more, scene.less])(a, b, count(random, by))),
    ];
    const told = `${scene.open} ${scattered(random, facts)}`.trim();
    const asked = `${scene.ask(about)} ${only.number(random)}`;
    return scene.askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  }),
};
