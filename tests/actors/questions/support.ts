import fc from "fast-check";
import { createHash } from "node:crypto";
import type { Family } from "../../../actors/registration/questions/family.ts";
import { randomFromSeed, SEED_BYTES } from "../../../actors/registration/questions/random.ts";
import type { Random } from "../../../actors/registration/questions/random.ts";

export const seeds = fc.uint8Array({ minLength: SEED_BYTES, maxLength: SEED_BYTES });

/** The same randomness for the same label, so that a failure can be repeated. */
export function labelled(label: string): Random {
  return randomFromSeed(createHash("sha256").update(label).digest());
}

/** Holds the family's answer against the solver's, over drawn facts. */
export function agrees<F>(family: Family<F>, solve: (facts: F) => string, numRuns = 150): void {
  fc.assert(
    fc.property(seeds, (seed) => {
      const facts = family.build(randomFromSeed(seed));
      const wanted = family.answer(facts);
      const solved = solve(facts);
      if (solved !== wanted) throw new Error(`${family.name}: answer ${wanted}, solved ${solved}, facts ${JSON.stringify(facts)}`);
    }),
    { numRuns },
  );
}

/** Holds the family's answer against what the solver reads out of the prompt, in every phrasing. */
export function agreesInText<F>(family: Family<F>, solve: (prompt: string) => string, numRuns = 40): void {
  for (const [i, phrasing] of family.phrasings.entries()) {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = randomFromSeed(seed);
        const facts = family.build(random);
        const prompt = phrasing(facts, random);
        const wanted = family.answer(facts);
        const solved = solve(prompt);
        if (solved !== wanted) throw new Error(`${family.name} #${i}: answer ${wanted}, read ${solved} in: ${prompt}`);
      }),
      { numRuns },
    );
  }
}

export function only<T>(items: ReadonlyArray<T>): T {
  const [item] = items;
  if (items.length !== 1 || item === undefined) throw new Error(`exactly one wanted, got ${JSON.stringify(items)}`);
  return item;
}

/** Every order of the items, by Heap's method. */
export function orders<T>(items: ReadonlyArray<T>): Array<Array<T>> {
  const all: Array<Array<T>> = [];
  const work = [...items];
  const heap = (size: number): void => {
    if (size <= 1) {
      all.push([...work]);
      return;
    }
    for (let i = 0; i < size; i++) {
      heap(size - 1);
      const j = size % 2 === 0 ? i : 0;
      [work[j], work[size - 1]] = [work[size - 1] as T, work[j] as T];
    }
  };
  heap(work.length);
  return all;
}

const SMALL = [
  "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
  "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
];

/** The text with small number words as digits. */
export function digits(text: string): string {
  return text.replace(/\b[a-z]+\b/gi, (word) => {
    const value = SMALL.indexOf(word.toLowerCase());
    return value < 0 ? word : String(value);
  });
}

/** Where the words occur as whole words, in order of appearance. */
export function mentions(text: string, words: ReadonlyArray<string>): Array<string> {
  const choice = words.toSorted((a, b) => b.length - a.length).join("|");
  return [...text.matchAll(new RegExp(`(?<![\\p{L}-])(?:${choice})(?![\\p{L}-])`, "gu"))].map(([word]) => word);
}

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"];
/** The text with the ordinals as digits. */
export const ordinals = (text: string): string => ORDINALS.reduce((done, word, i) => done.replaceAll(new RegExp(`\\b${word}\\b`, "g"), `${i + 1}`), text);

/** The one word that occurs a second time. */
export const twice = (words: ReadonlyArray<string>): string => only(words.filter((word, i) => words.indexOf(word) !== i));

/** Matches of the patterns in the text; ?A, ?B stand for a name and # for a number. */
export function found(text: string, patterns: ReadonlyArray<string>): Array<{ readonly pattern: number; readonly at: number; readonly a: string; readonly b: string; readonly n: number }> {
  return patterns
    .flatMap((source, pattern) => {
      const body = source.replaceAll("?A", "(?<a>\\p{L}+(?: (?:office|hall))?)").replaceAll("?B", "(?<b>\\p{L}+(?: (?:office|hall))?)").replaceAll("#", "(?<n>\\d+)");
      return [...text.matchAll(new RegExp(body, "gu"))].map((match) => ({
        pattern,
        at: match.index,
        a: match.groups?.["a"] ?? "",
        b: match.groups?.["b"] ?? "",
        n: Number(match.groups?.["n"]),
      }));
    })
    .toSorted((one, other) => one.at - other.at);
}
