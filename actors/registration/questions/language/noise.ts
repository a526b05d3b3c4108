/**
 * Adds typing errors that a reader can ignore: swapped, doubled, dropped and look-alike letters, split words, odd
 * capitals. Number words keep the order of their letters, so that none turns into another one that fits.
 */
import { CARDINAL, LANGUAGES } from "./foreign.ts"
import { MEN, WOMEN } from "./names.ts"
import type { Random } from "../random.ts"

const NOISY_OF_TWENTY = 2
const TWICE_FROM = 7
const LONG = 6
const LOOKALIKE: Readonly<Record<string, string>> = {
  a: "а",
  e: "е",
  o: "о",
  c: "с",
  p: "р",
  x: "х",
  i: "і",
  s: "ѕ",
  E: "Е",
  A: "А",
  y: "у"
}

/** Number words, and other words of quantities. A small error could turn one of them into another. */
const NUMBERS = new Set(
  (
    "one two three four five six seven eight nine ten eleven twelve hundred half third quarter twice times dozen " +
    "minus plus less fewer more besides"
  ).split(" ")
)
const NUMBER_ENDING = /^(?:\w+teen|\w+ty(?:-\w+)?)$/i
const isNumber = (word: string): boolean => NUMBERS.has(word.toLowerCase()) || NUMBER_ENDING.test(word)
const NAMES = new Set([...WOMEN, ...MEN])
const LARGEST_FOREIGN = 60
const FOREIGN_NUMBERS = new Set(
  LANGUAGES.flatMap((language) => Array.from({ length: LARGEST_FOREIGN }, (_, n) => CARDINAL[language](n)))
)

type Slip = (random: Random, word: string) => string

const at = (random: Random, word: string): number => random.int(1, word.length - 3)

const withoutLastVowel = (text: string): string => {
  const last = Math.max(...["a", "e", "i", "o", "u"].map((vowel) => text.lastIndexOf(vowel)))
  return last === -1 ? text : text.slice(0, last) + text.slice(last + 1)
}

const SLIPS: ReadonlyArray<Slip> = [
  (random, word) => {
    const i = at(random, word)
    return word.slice(0, i) + word.charAt(i + 1) + word.charAt(i) + word.slice(i + 2)
  },
  (random, word) => {
    const i = at(random, word)
    return word.slice(0, i) + word.charAt(i) + word.slice(i)
  },
  (random, word) => {
    const i = at(random, word)
    return word.length < LONG ? word : word.slice(0, i) + word.slice(i + 1)
  },
  (_, word) =>
    word.length < LONG
      ? word
      : word.charAt(0) + withoutLastVowel(word.slice(1, -1).replace(/[aeiou]/, "")) + word.slice(-1),
  (random, word) => {
    const i = random.int(2, word.length - 2)
    return word.length < LONG ? word : `${word.slice(0, i)} ${word.slice(i)}`
  }
]
const SAFE: ReadonlyArray<Slip> = [
  (_, word) => [...word].map((letter, i) => (i % 2 === 1 ? (LOOKALIKE[letter] ?? letter) : letter)).join(""),
  (random, word) => {
    const i = random.int(0, word.length - 1)
    return word.slice(0, i) + word.charAt(i).toUpperCase() + word.slice(i + 1)
  },
  (random, word) => {
    const i = random.int(1, word.length - 1)
    return word.slice(0, i) + word.charAt(i) + word.slice(i)
  },
  (_, word) => word.toUpperCase()
]

const OFTEN_SLIPS: ReadonlyArray<Slip> = [...SLIPS, ...SLIPS, ...SAFE]

const RUN = /[\p{L}\d-]+/gu
const WORD = /^\p{L}[\p{L}-]*\p{L}$/u

/** Adds noise. Quoted text, digits, and words of fewer than four letters stay as they are. */
export function withNoise(random: Random, text: string): string {
  const parts = text.split(/("[^"]*"|«[^«»]*»)/)
  return parts
    .map((part, i) => (i % 2 === 1 ? part : part.replace(RUN, (run) => (WORD.test(run) ? noisy(random, run) : run))))
    .join("")
}

function noisy(random: Random, word: string): string {
  if (word.length < 4 || random.int(1, 20) > NOISY_OF_TWENTY) return word
  const careful =
    isNumber(word) ||
    FOREIGN_NUMBERS.has(word.toLowerCase()) ||
    NAMES.has(word) ||
    /^\p{Lu}/u.test(word) ||
    word.length < 5
  const once = random.pick(careful ? SAFE : OFTEN_SLIPS)(random, word)
  return careful || word.length < TWICE_FROM || random.int(0, 1) === 0 ? once : random.pick(SLIPS)(random, once)
}
