import type { Family } from "../family.ts";
import { count, only, ordinal } from "../prose.ts";
import type { Random } from "../random.ts";
import { OBJECTS } from "../vocabulary.ts";

export type Pointer =
  | { readonly type: "from end"; readonly place: number }
  | { readonly type: "after" | "before"; readonly anchor: string; readonly by: number };

export interface ListPositionFacts {
  readonly words: ReadonlyArray<string>;
  readonly pointer: Pointer;
}

const SHOWN = 9;

function pointer(random: Random, words: ReadonlyArray<string>): Pointer {
  const type = random.pick(["from end", "after", "before"] as const);
  if (type === "from end") return { type, place: random.int(2, 6) };
  const by = random.int(2, 5);
  const place = type === "after" ? random.int(0, SHOWN - 1 - by) : random.int(by, SHOWN - 1);
  return { type, anchor: words[place] ?? "", by };
}

function answer({ words, pointer }: ListPositionFacts): string {
  if (pointer.type === "from end") return words.at(-pointer.place) ?? "";
  const anchor = words.indexOf(pointer.anchor);
  return words[anchor + (pointer.type === "after" ? pointer.by : -pointer.by)] ?? "";
}

const tell =
  (telling: (words: ReadonlyArray<string>, where: string) => string, side: { readonly after: string; readonly before: string; readonly end: string }) =>
  ({ words, pointer }: ListPositionFacts, random: Random): string => {
    const where =
      pointer.type === "from end"
        ? `${ordinal(pointer.place)} ${side.end}`
        : `${count(random, pointer.by)} places ${side[pointer.type]} "${pointer.anchor}"`;
    return `${telling(words, where)} ${only.word(random)}`;
  };

const PLAIN = { after: "after", before: "before", end: "from the end" };
const ROW = { after: "to the right of", before: "to the left of", end: "from the right-hand end" };
const QUEUE = { after: "behind", before: "ahead of", end: "from the back" };
const SHEET = { after: "below", before: "above", end: "from the bottom" };

export const listPosition: Family<ListPositionFacts> = {
  name: "list-position",
  reasoning: false,
  kind: "word",
  format: null,
  build: (random) => {
    const words = random.sample(OBJECTS, SHOWN);
    return { words, pointer: pointer(random, words) };
  },
  answer,
  candidates: ({ words }) => words,
  phrasings: [
    tell((words, where) => `Here is a list: ${words.join(", ")}. Which word is ${where}?`, PLAIN),
    tell((words, where) => `Find the word that stands ${where} when these stand in a row, read from left to right: ${words.join(" ")}.`, ROW),
    tell((words, where) => `The toys of a nursery line up for the bath, the first to be washed being named first: ${words.join("; ")}. Name the toy whose place in the line is ${where}.`, QUEUE),
    tell((words, where) => `An inventory sheet has a single column with the entries, top to bottom: ${words.join(" / ")}. What does the entry say that is ${where}?`, SHEET),
    tell((words, where) => `${words.map((word) => `[${word}]`).join("")} – so it looks on the wall, tile by tile. On one tile a fly has landed; it is the tile ${where}. What is written on it?`, ROW),
    tell((words, where) => `A singer must learn what comes when in a counting rhyme. It goes "${words.join(", ")}". Tell the thing sung at the point that is ${where}.`, PLAIN),
    tell((words, where) => `On a menu card for a dolls' tea party the lines run downwards as follows: ${words.join(" – ")}. The doll orders by position, namely ${where}. What does it get?`, SHEET),
    tell((words, where) => `Floats in a parade, beginning with the leader: ${words.join(" > ")}. One float lost a wheel: the one ${where}. What was this float shaped like?`, QUEUE),
  ],
};
