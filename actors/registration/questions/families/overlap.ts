import type { Family } from "../family.ts";
import { clock, only, scattered } from "../prose.ts";
import type { Random } from "../random.ts";
import { NAMES } from "../vocabulary.ts";

export interface Presence {
  readonly name: string;
  /** Minutes since midnight. */
  readonly from: number;
  readonly to: number;
}

export interface OverlapFacts {
  readonly people: ReadonlyArray<Presence>;
}

const PEOPLE = 3;
const SHORTEST = 15;

const shared = (people: ReadonlyArray<Presence>): number =>
  Math.min(...people.map(({ to }) => to)) - Math.max(...people.map(({ from }) => from));

function build(random: Random): OverlapFacts {
  const middle = random.int(11 * 60, 15 * 60);
  const people = random.sample(NAMES, PEOPLE).map((name) => ({
    name,
    from: middle - random.int(SHORTEST, 130),
    to: middle + random.int(SHORTEST, 130),
  }));
  return { people };
}

interface Scene {
  readonly open: string;
  readonly stay: (name: string, from: string, to: string) => string;
  readonly ask: string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: "Three colleagues want to meet.",
    stay: (name, from, to) => `${name} is free from ${from} to ${to}.`,
    ask: "For how many minutes are all three free together?",
    askFirst: false,
  },
  {
    open: "",
    stay: (name, from, to) => `Between ${from} and ${to} the shop was in the care of ${name}.`,
    ask: "A shop sometimes had several keepers at once. Find the number of minutes during which every one of the three mentioned was there.",
    askFirst: true,
  },
  {
    open: "A film camera ran while swimmers crossed the lake.",
    stay: (name, from, to) => `${name} got into the water at ${from} and out of it at ${to}.`,
    ask: "How long, in minutes, does the part of the film last that has each of them in the water?",
    askFirst: false,
  },
  {
    open: "The museum's door log for one day has just three visitors.",
    stay: (name, from, to) => `Out at ${to}, in at ${from}: ${name}.`,
    ask: "The number of minutes with all the visitors inside at once is to be reported. What is it?",
    askFirst: false,
  },
  {
    open: "Here are the hours.",
    stay: (name, from, to) => `${name} takes over at ${from}; at ${to} the same person goes home.`,
    ask: "How many minutes does the crane have all its three drivers on site?",
    askFirst: true,
  },
  {
    open: "Three radios were heard across the yard.",
    stay: (name, from, to) => `The one of ${name} played until ${to}, having been switched on at ${from}.`,
    ask: "During how many minutes did you hear the full three of them at the same time?",
    askFirst: false,
  },
  {
    open: "Nobody else came to the library, and each came once.",
    stay: (name, from, to) => `${from} was when ${name} sat down to read, ${to} when the book was closed.`,
    ask: "Say for how many minutes no reader of the three was missing.",
    askFirst: false,
  },
  {
    open: "The band can only record when it is complete, and it has three members.",
    stay: (name, from, to) => `${name} has to leave at ${to} and cannot be there before ${from}.`,
    ask: "What is the greatest number of minutes that can be recorded?",
    askFirst: true,
  },
];

export const overlap: Family<OverlapFacts> = {
  name: "overlap",
  reasoning: true,
  kind: "number",
  format: null,
  build,
  answer: ({ people }) => String(shared(people)),
  candidates: null,
  phrasings: SCENES.map(({ open, stay, ask, askFirst }) => ({ people }: OverlapFacts, random: Random) => {
    const told = `${open} ${scattered(random, people.map(({ name, from, to }) => stay(name, clock(from), clock(to))))}`.trim();
    const asked = `${ask} ${only.number(random)}`;
    return askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  }),
};
