import type { Family } from "../family.ts";
import { capital, ordinal } from "../prose.ts";
import type { Random } from "../random.ts";
import { WORDS } from "../vocabulary.ts";

export type Change =
  | { readonly type: "reverse" | "drop first" | "drop last" | "last to front" | "first to end" | "swap ends" }
  | { readonly type: "double" | "drop"; readonly place: number }
  | { readonly type: "replace"; readonly letter: string; readonly by: string };

export interface SpellingFacts {
  readonly word: string;
  readonly changes: ReadonlyArray<Change>;
}

const CHANGES = 3;
const PLAIN = ["reverse", "drop first", "drop last", "last to front", "first to end", "swap ends"] as const;

function apply(word: string, change: Change): string {
  switch (change.type) {
    case "reverse":
      return [...word].toReversed().join("");
    case "drop first":
      return word.slice(1);
    case "drop last":
      return word.slice(0, -1);
    case "last to front":
      return word.slice(-1) + word.slice(0, -1);
    case "first to end":
      return word.slice(1) + word.slice(0, 1);
    case "swap ends":
      return word.slice(-1) + word.slice(1, -1) + word.slice(0, 1);
    case "double":
      return word.slice(0, change.place) + word.slice(change.place - 1);
    case "drop":
      return word.slice(0, change.place - 1) + word.slice(change.place);
    case "replace":
      return word.replaceAll(change.letter, change.by);
  }
}

/** The letter to replace occurs at that point, so that no change is idle. */
function draw(random: Random, type: Change["type"], current: string): Change {
  if (type === "double" || type === "drop") return { type, place: random.int(2, 4) };
  if (type === "replace") return { type, letter: random.pick([...current]), by: random.pick(["x", "z", "q", "v"]) };
  return { type };
}

function build(random: Random): SpellingFacts {
  const word = random.pick(WORDS);
  let current = word;
  const plain = random.int(1, 2);
  const types = [...random.sample(PLAIN, plain), ...random.sample(["double", "drop", "replace"] as const, CHANGES - plain)];
  const changes = random.shuffle(types).map((type) => {
    const change = draw(random, type, current);
    current = apply(current, change);
    return change;
  });
  return current !== word ? { word, changes } : build(random);
}

type Voice = (change: Change) => string;

const order: Voice = (change) => {
  switch (change.type) {
    case "reverse":
      return "write it backwards";
    case "drop first":
      return "cross out its first letter";
    case "drop last":
      return "cross out its last letter";
    case "last to front":
      return "move the last letter to the front";
    case "first to end":
      return "move the first letter to the end";
    case "swap ends":
      return "let the first and the last letter change places";
    case "double":
      return `write the ${ordinal(change.place)} letter twice in a row`;
    case "drop":
      return `cross out the ${ordinal(change.place)} letter`;
    case "replace":
      return `put ${change.by} wherever there is ${change.letter}`;
  }
};

const report: Voice = (change) => {
  switch (change.type) {
    case "reverse":
      return "the letters were put in the opposite order";
    case "drop first":
      return "the opening letter was left out";
    case "drop last":
      return "the closing letter was left out";
    case "last to front":
      return "the letter at the very end was taken to the very beginning";
    case "first to end":
      return "the letter at the very beginning was taken to the very end";
    case "swap ends":
      return "the two outermost letters were exchanged";
    case "double":
      return `letter number ${change.place} was doubled`;
    case "drop":
      return `letter number ${change.place} was left out`;
    case "replace":
      return `every ${change.letter} was turned into ${change.by}`;
  }
};

const rule: Voice = (change) => {
  switch (change.type) {
    case "reverse":
      return "reading it from right to left";
    case "drop first":
      return "losing the leftmost letter";
    case "drop last":
      return "losing the rightmost letter";
    case "last to front":
      return "carrying the rightmost letter over to the left end";
    case "first to end":
      return "carrying the leftmost letter over to the right end";
    case "swap ends":
      return "trading the leftmost letter for the rightmost and the other way round";
    case "double":
      return `repeating the letter that is ${ordinal(change.place)} from the left right behind itself`;
    case "drop":
      return `losing the letter that is ${ordinal(change.place)} from the left`;
    case "replace":
      return `using ${change.by} instead of each ${change.letter}`;
  }
};

const LETTERS_ONLY = ["Give the resulting letters only.", "Only the resulting string of letters is wanted.", "Reply with just the letters you end up with, unspaced."];

type Telling = (word: string, first: string, second: string, third: string) => string;

const tell =
  (voice: Voice, telling: Telling) =>
  ({ word, changes }: SpellingFacts, random: Random): string => {
    const [first = "", second = "", third = ""] = changes.map(voice);
    return `${telling(word, first, second, third)} ${random.pick(LETTERS_ONLY)}`;
  };

export const spelling: Family<SpellingFacts> = {
  name: "spelling",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer: ({ word, changes }) => changes.reduce(apply, word),
  candidates: null,
  phrasings: [
    tell(order, (word, a, b, c) => `Take the word "${word}". First ${a}. With what you have then, ${b}. Finally ${c}. What do you get?`),
    tell(order, (word, a, b, c) => `What is left of "${word}" after these three orders, carried out one by one, each on the outcome of the one before? One: ${a}. Two: ${b}. Three: ${c}.`),
    tell(order, (word, a, b, c) => `"${capital(a)}," said the teacher, pointing at ${word} on the blackboard. The pupil obeyed. "Now ${b}." That was done as well. "And to finish, ${c}." Tell what the blackboard shows in the end.`),
    tell(report, (word, a, b, c) => `A secret name was made out of ${word} in three stages: ${a}; in what remained, ${b}; and at the last stage ${c}. Find the secret name.`),
    tell(report, (word, a, b, c) => `Which letters did the typesetter print? The manuscript said ${word}. By a chain of mishaps, ${a}, next ${b} in the already spoilt word, and to crown it all ${c}.`),
    tell(report, (word, a, b, c) => `The stages of a cipher are applied in sequence, and each works on the output of the previous. In stage 1, ${a}. In stage 2, ${b}. In stage 3, ${c}. The input was "${word}"; work out the final output.`),
    tell(rule, (word, a, b, c) => `Someone plays with "${word}": ${a} comes first, ${b} comes second, and ${c} comes last, always applied to the string as it is at that moment. How is the final string spelt?`),
    tell(rule, (word, a, b, c) => `Spell what a parrot makes of ${word}, knowing its three habits and that it follows them in this sequence, every habit acting on the result so far: ${a}, then ${b}, then ${c}.`),
  ],
};
