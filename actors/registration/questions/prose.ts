import { toCardinal } from "n2words/en-US";
import type { Random } from "./random.ts";

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"];
const LARGEST_SPELLED = 20;

/** "A, B and C" */
export function list(items: ReadonlyArray<string>): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** "first" for 1. */
export function ordinal(n: number): string {
  const word = ORDINALS[n - 1];
  if (word === undefined) throw new RangeError(`ordinal: ${n}`);
  return word;
}

/** A count as digits or, for small ones, now and then as a word: a reader does not care, a pattern does. */
export function count(random: Random, n: number): string {
  return n <= LARGEST_SPELLED && random.int(0, 1) === 0 ? toCardinal(n) : String(n);
}

/** The count with its noun in the right number. */
export function counted(random: Random, n: number, one: string, many = `${one}s`): string {
  return `${count(random, n)} ${n === 1 ? one : many}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Sentences in random order, for facts whose order does not matter. */
export function scattered(random: Random, sentences: ReadonlyArray<string>): string {
  return random.shuffle(sentences).join(" ");
}

/** "a" made "an" where a vowel follows: sentences are written before the noun is drawn. */
export function withArticles(text: string): string {
  return text.replace(/\b([Aa]) (?=[aeio]|um)/g, "$1n ");
}

/** Minutes since midnight as a 24-hour time. */
export function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** Minutes since midnight as a 12-hour time. */
export function clock12(minutes: number): string {
  const hour = Math.floor(minutes / 60);
  return `${hour % 12 === 0 ? 12 : hour % 12}:${String(minutes % 60).padStart(2, "0")} ${hour < 12 ? "am" : "pm"}`;
}

/** "1 hour and 20 minutes", "80 minutes" or, under an hour, "45 minutes". */
export function duration(random: Random, minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0 || random.int(0, 1) === 0) return counted(random, minutes, "minute");
  const whole = counted(random, hours, "hour");
  return rest === 0 ? whole : `${whole} and ${counted(random, rest, "minute")}`;
}

const NAME_ONLY = [
  "Give the name only.",
  "Reply with just the name.",
  "Answer with one name and nothing else.",
  "A single name is the whole answer.",
  "Write only that name.",
  "State the name, without a sentence around it.",
];
const NUMBER_ONLY = [
  "Give the number only.",
  "Reply with just the number.",
  "Answer with one number, without a unit.",
  "A bare number is the whole answer.",
  "Write only that number.",
  "State the number, without a sentence around it.",
];
const WORD_ONLY = [
  "Give the word only.",
  "Reply with just that word.",
  "Answer with one word and nothing else.",
  "A single word is the whole answer.",
  "Write only the word.",
  "State the word, without a sentence around it.",
];
const TIME_ONLY = [
  "Give the time only, as HH:MM on the 24-hour clock.",
  "Reply with just the 24-hour time, HH:MM.",
  "Answer with the time alone, written HH:MM (24-hour clock).",
  "Write only the time, in 24-hour form (HH:MM).",
];
const TIME12_ONLY = [
  "Give the time only, followed by am or pm.",
  "Reply with just the time, on the 12-hour clock with am or pm.",
  "Answer with the time alone and say am or pm.",
  "Write only the time, with am or pm behind it.",
];

export const only = {
  name: (random: Random): string => random.pick(NAME_ONLY),
  number: (random: Random): string => random.pick(NUMBER_ONLY),
  word: (random: Random): string => random.pick(WORD_ONLY),
  time: (random: Random): string => random.pick(TIME_ONLY),
  time12: (random: Random): string => random.pick(TIME12_ONLY),
};
