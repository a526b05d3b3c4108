import type { Family } from "../family.ts";
import { count } from "../prose.ts";
import type { Random } from "../random.ts";

export type LetterClue =
  | { readonly type: "after" | "before"; readonly from: string; readonly by: number }
  | { readonly type: "middle"; readonly low: string; readonly high: string };

export interface LetterCodeFacts {
  readonly clues: ReadonlyArray<LetterClue>;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/** No vowels, so that no code spells a word by chance. */
const CODE_LETTERS = [..."BCDFGHJKLMNPQRSTVWXZ"];
const LETTERS = 3;

const at = (letter: string): number => ALPHABET.indexOf(letter);

function clueFor(random: Random, letter: string): LetterClue {
  const place = at(letter);
  const after = { type: "after", by: random.int(1, Math.min(9, place)) } as const;
  const before = { type: "before", by: random.int(1, Math.min(9, 25 - place || 1)) } as const;
  const reach = random.int(1, Math.max(1, Math.min(5, place, 25 - place)));
  const options: Array<LetterClue> = [{ ...after, from: ALPHABET.charAt(place - after.by) }];
  if (place < 25) {
    options.push({ ...before, from: ALPHABET.charAt(place + before.by) });
    options.push({ type: "middle", low: ALPHABET.charAt(place - reach), high: ALPHABET.charAt(place + reach) });
  }
  return random.pick(options);
}

function letterOf(clue: LetterClue): string {
  if (clue.type === "middle") return ALPHABET.charAt((at(clue.low) + at(clue.high)) / 2);
  return ALPHABET.charAt(at(clue.from) + (clue.type === "after" ? clue.by : -clue.by));
}

function describe(random: Random, clue: LetterClue): string {
  if (clue.type === "middle") {
    return random.pick([`the letter exactly midway between ${clue.low} and ${clue.high}`, `the letter as far behind ${clue.low} as it is ahead of ${clue.high}`]);
  }
  const places = `${count(random, clue.by)} ${clue.by === 1 ? "place" : "places"}`;
  return `the letter ${places} ${clue.type === "after" ? random.pick(["after", "further on than"]) : random.pick(["before", "further back than"])} ${clue.from}`;
}

const CODE_ONLY = ["Give the three letters only, unspaced.", "Only the three letters, written together, are wanted.", "Reply with just the three letters in one piece."];

const tell =
  (telling: (first: string, second: string, third: string) => string) =>
  ({ clues }: LetterCodeFacts, random: Random): string => {
    const [first = "", second = "", third = ""] = clues.map((clue) => describe(random, clue));
    return `${telling(first, second, third)} ${random.pick(CODE_ONLY)}`;
  };

export const letterCode: Family<LetterCodeFacts> = {
  name: "letter-code",
  reasoning: false,
  kind: "word",
  format: null,
  build: (random) => ({ clues: random.sample(CODE_LETTERS, LETTERS).map((letter) => clueFor(random, letter)) }),
  answer: ({ clues }) => clues.map(letterOf).join(""),
  candidates: null,
  phrasings: [
    tell((a, b, c) => `Using the English alphabet from A to Z, build a code. It starts with ${a}, goes on with ${b} and ends with ${c}. What is the code?`),
    tell((a, b, c) => `Which three letters open the lock? On the left dial set ${a}, on the middle dial ${b}, on the right dial ${c}. (The alphabet is the English one.)`),
    tell((a, b, c) => `The last sign of a number plate is ${c}. The one in front of it is ${b}. The very first is ${a}. There are no others, and A to Z is the alphabet used. Write out the plate.`),
    tell((a, b, c) => `A spy signs with three capital letters of the A-to-Z alphabet. Signature letter one: ${a}. Signature letter two: ${b}. Signature letter three: ${c}. How does the spy sign?`),
    tell((a, b, c) => `"My initials?" she laughed. "Think of A to Z. Middle initial: ${b}. Before that comes ${a}; behind it, ${c}." Tell the initials in their right order.`),
    tell((a, b, c) => `Lay three tiles side by side. Into the centre goes ${b}; to its left you lay ${a}; to its right, ${c}, places being counted in the usual alphabet of 26 letters. What can be read from left to right?`),
    tell((a, b, c) => `An airport's sign is made up in this manner: take ${a}, append ${b}, and at the end append ${c}. Letters are those of the alphabet A, B, C and so on up to Z. Find the sign.`),
    tell((a, b, c) => `Imagine the 26 letters in a row, A at the left. Three of them light up one after another: ${a} to begin with, then ${b}, lastly ${c}. Note the letters in the order in which they light up.`),
  ],
};
