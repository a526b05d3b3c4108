/**
 * Detects the most common passwords, rows of keys and short repetitions. Variations count too: other case, and digits
 * or signs around letters or in place of them.
 */
import { dictionary } from "@zxcvbn-ts/language-common"
import { compactOf, plainOf, spellingsOf } from "./password-text.ts"

/** The least part of a lengthened password that must be a word of the list: `x1234567890` is not made of `x`. */
const STEM_MIN_CHARS = 4
/** The longest unit of a repetition. */
const REPEATED_MAX_CHARS = 3

/** About 49,000 passwords in lower case. */
const COMMON: ReadonlySet<string> = new Set(dictionary["passwords-common"])

/** Rows of keyboards and of characters in order. They are also tested backwards. */
const ROWS = ["abcdefghijklmnopqrstuvwxyz", "012345678901234567890123456789", "qwertyuiopasdfghjklzxcvbnm"]
const RUNS = [...ROWS, ...ROWS.map((row) => [...row].toReversed().join(""))]

const isLetter = (char: string | undefined): boolean => char !== undefined && /\p{L}/u.test(char)

/**
 * Removes characters that are no letters from the beginning, the end, or both. This is a loop, because `[^a-z]+$` takes
 * quadratic time.
 */
const stemsOf = (text: string): ReadonlyArray<string> => {
  const chars = [...text]
  const from = chars.findIndex(isLetter)
  if (from < 0) return []
  const to = chars.findLastIndex(isLetter) + 1
  return [chars.slice(0, to), chars.slice(from), chars.slice(from, to)].map((kept) => kept.join(""))
}

/** The unit that a text repeats, or the text itself. */
const unitOf = (text: string): string => {
  for (let length = 1; length <= text.length / 2; length++) {
    if (text.length % length === 0 && text.startsWith(text.slice(0, length).repeat(text.length / length - 1), length))
      return text.slice(0, length)
  }
  return text
}

const isListed = (text: string): boolean => COMMON.has(text) || RUNS.some((run) => run.includes(text))

const isCommon = (text: string): boolean => {
  const unit = unitOf(text)
  if (unit.length < text.length && unit.length <= REPEATED_MAX_CHARS) return true
  return text.length >= STEM_MIN_CHARS && (isListed(text) || isListed(unit))
}

export const isCommonPassword = (password: string): boolean => {
  const plain = plainOf(password)
  return [password, plain, compactOf(plain)]
    .flatMap((text) => [text, ...stemsOf(text)])
    .flatMap((text) => spellingsOf(text))
    .flatMap((text) => [text, ...stemsOf(text)])
    .some(isCommon)
}
