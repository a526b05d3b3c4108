import type { Family } from "../family.ts";
import { scattered } from "../prose.ts";
import type { Random } from "../random.ts";
import { COLOURS } from "../vocabulary.ts";

export type Traits = readonly [boolean, boolean, boolean];

export interface NegationFacts {
  readonly items: ReadonlyArray<{ readonly colour: string; readonly traits: Traits }>;
  /** Exactly one item has these. */
  readonly wanted: Traits;
}

const ITEMS = 6;
const ALL_TRAITS = Array.from({ length: 8 }, (_, bits): Traits => [(bits & 1) > 0, (bits & 2) > 0, (bits & 4) > 0]);

function build(random: Random): NegationFacts {
  const colours = random.sample(COLOURS, ITEMS);
  const traits = random.sample(ALL_TRAITS, ITEMS);
  return { items: colours.map((colour, i) => ({ colour, traits: traits[i] ?? [true, true, true] })), wanted: random.pick(traits) };
}

const same = (a: Traits, b: Traits): boolean => a.every((value, i) => value === b[i]);

type Three = readonly [string, string, string];

interface Scene {
  readonly traits: Three;
  readonly item: (colour: string, traits: Three) => string;
  readonly open: string;
  readonly ask: (traits: Three) => string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    traits: ["sealed", "painted", "labelled"],
    open: "Six crates, told apart by their colour, are in the yard.",
    item: (colour, [a, b, c]) => `The ${colour} crate is ${a}, ${b} and ${c}.`,
    ask: ([a, b, c]) => `Which colour is the crate that is ${a}, ${b} and ${c}?`,
    askFirst: false,
  },
  {
    traits: ["stamped", "paid", "numbered"],
    open: "Here is what the conductor noted.",
    item: (colour, [a, b, c]) => `Ticket in ${colour}: ${c}; ${a}; ${b}.`,
    ask: ([a, b, c]) => `A conductor looks for a ticket of which it can be said that it is ${b}, that it is ${c} and that it is ${a}. What colour is it?`,
    askFirst: true,
  },
  {
    traits: ["heated", "furnished", "lit"],
    open: "A house has rooms with doors of different colours.",
    item: (colour, [a, b, c]) => `Behind the ${colour} door is a room that is ${b} but also ${a}, as well as ${c}.`,
    ask: ([a, b, c]) => `The guest insists on a room being ${c} and ${a}; moreover it has to be ${b}. Which door colour leads to it?`,
    askFirst: false,
  },
  {
    traits: ["opened", "signed", "dated"],
    open: "Every envelope on the desk has its own colour.",
    item: (colour, [a, b, c]) => `Whoever wrote the letter in the ${colour} envelope left it ${b} and ${c}; at present it is ${a}.`,
    ask: ([a, b, c]) => `One letter alone is at once ${c}, ${b} and ${a}. Say the colour of its envelope.`,
    askFirst: false,
  },
  {
    traits: ["saddled", "trained", "shod"],
    open: "The stable boy goes from box to box.",
    item: (colour, [a, b, c]) => `"${colour.charAt(0).toUpperCase()}${colour.slice(1)} blanket: this horse is ${c}, ${a}, ${b}."`,
    ask: ([a, b, c]) => `Horses wear blankets of different colours. A rider wants the horse that is ${a}, and it must be ${b} and ${c} too. Which blanket colour does that horse wear?`,
    askFirst: true,
  },
  {
    traits: ["invited", "announced", "masked"],
    open: "At the ball no two cloaks were of the same colour.",
    item: (colour, [a, b, c]) => `The guest in ${colour} came ${b}, and, being ${c}, was ${a}.`,
    ask: ([a, b, c]) => `Afterwards it was said that a certain guest had been ${c}, ${a} and ${b}. Which cloak colour did that guest wear?`,
    askFirst: false,
  },
  {
    traits: ["insured", "wrapped", "weighed"],
    open: "Parcels lie on the belt.",
    item: (colour, [a, b, c]) => `As for the ${colour} parcel, it is ${a}. It is ${c}. It is ${b}.`,
    ask: ([a, b, c]) => `You must pick the one parcel to which all three apply: ${a}, ${c}, ${b}. Tell its colour.`,
    askFirst: false,
  },
  {
    traits: ["paved", "guarded", "fenced"],
    open: "The hiking club marks trails by colours.",
    item: (colour, [a, b, c]) => `You will find the ${colour} trail ${c}, ${b} and ${a}.`,
    ask: ([a, b, c]) => `With which colour is the trail marked that is ${b}, ${a} and ${c}, according to the club?`,
    askFirst: true,
  },
];

/** True: "sealed" or "not unsealed"; false: "unsealed" or "not sealed". A question leans to the negated forms. */
function describe(random: Random, words: Three, traits: Traits, negated: number): Three {
  const word = (i: 0 | 1 | 2): string => {
    const turn = random.int(1, 100) <= negated;
    const positive = traits[i] !== turn;
    return `${turn ? "not " : ""}${positive ? "" : "un"}${words[i]}`;
  };
  return [word(0), word(1), word(2)];
}

const COLOUR_ONLY = ["Give the colour only.", "One colour is the whole answer.", "Reply with just the colour."];
const NEGATED_IN_FACTS = 45;
const NEGATED_IN_QUESTION = 75;

export const negation: Family<NegationFacts> = {
  name: "negation",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer: ({ items, wanted }) => items.find(({ traits }) => same(traits, wanted))?.colour ?? "",
  candidates: ({ items }) => items.map(({ colour }) => colour),
  phrasings: SCENES.map((scene) => ({ items, wanted }: NegationFacts, random: Random) => {
    const rows = items.map(({ colour, traits }) => scene.item(colour, describe(random, scene.traits, traits, NEGATED_IN_FACTS)));
    const told = `${scene.open} ${scattered(random, rows)}`;
    const asked = `${scene.ask(describe(random, scene.traits, wanted, NEGATED_IN_QUESTION))} ${random.pick(COLOUR_ONLY)}`;
    return scene.askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  }),
};
