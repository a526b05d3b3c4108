/**
 * What of a text matched, as plain text with what matched between `**` (contract 19).
 *
 * Invariants
 *  - Each `**` is a mark: the text's own asterisks are left out.
 *  - Words are marked whole, as they are written: with their accents, in their case.
 *  - An excerpt is short, however long the text: it begins a little before the first match.
 */
import { legible } from "../../schemas/legible.ts"
import { EXCERPT_MAX_CHARS, plainOf } from "../content/excerpt.ts"
import type { Word } from "../content/searched.ts"

const MARK = "**"
/** Of the text before the first match, so much is shown. */
const LEAD_CHARS = 60
/** Around a match in markdown: of what is left without its marks an excerpt is made. */
const BEFORE_CHARS = 200
const AFTER_CHARS = 1000

const WORDS = /[\p{L}\p{N}\p{M}]+/gu

/** Letters that have no accent to lose, and yet are found by others. */
const LIKE: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i"
}

const ASCII = /^\p{ASCII}+$/u

const WORD_MAX_CHARS = 200

/** As a word is looked for. */
const folded = (word: string): string => {
  if (ASCII.test(word)) return word.toLowerCase()
  // What is longer nobody looks for.
  const letters = legible(word.slice(0, WORD_MAX_CHARS)).normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
  return letters.replaceAll(/[ßæœøłđðþı]/gu, (letter) => LIKE[letter] ?? letter)
}

/** Whether a word of the text is one that is looked for. */
export type Matches = (word: string) => boolean

/** Words of a query, and those that begin with its last one. What has marks within is several words. */
export const matching = (words: ReadonlyArray<Word>): Matches => {
  const whole = new Set<string>()
  const begun: Array<string> = []
  for (const { text, prefix } of words) {
    const parts = (text.match(WORDS) ?? []).map(folded)
    const last = prefix ? parts.pop() : undefined
    if (last !== undefined) begun.push(last)
    for (const part of parts) whole.add(part)
  }
  return (word) => {
    const plain = folded(word)
    return whole.has(plain) || begun.some((beginning) => plain.startsWith(beginning))
  }
}

/** Words that have one of these somewhere. */
export const containing = (parts: ReadonlyArray<string>): Matches => {
  const sought = parts.flatMap((part) => part.match(WORDS) ?? []).map(folded)
  return (word) => {
    const plain = folded(word)
    return sought.some((part) => plain.includes(part))
  }
}

const oneLine = (text: string): string => text.replaceAll("*", "").replaceAll(/\s+/gu, " ").trim()

/** `null` where nothing in it matches. */
export const markedIn = (text: string, matches: Matches): string | null => {
  const line = oneLine(text)
  const first = firstIn(line, matches)
  if (first === null) return null
  const from = first <= LEAD_CHARS ? 0 : wordFrom(line, first - LEAD_CHARS, first)
  const shown = wholeCharacters(line.slice(from, from + EXCERPT_MAX_CHARS))
  const marked = shown.replaceAll(WORDS, (word) => (matches(word) ? `${MARK}${word}${MARK}` : word))
  return `${from > 0 ? "…" : ""}${marked}${from + shown.length < line.length ? "…" : ""}`
}

/** The same of a part of a markdown text. */
export const markedInMarkdown = (part: string, matches: Matches): string | null => {
  const first = firstIn(part, matches)
  if (first === null) return null
  const from = first <= BEFORE_CHARS ? 0 : wordFrom(part, first - BEFORE_CHARS, first)
  const around = wholeCharacters(part.slice(from, first + AFTER_CHARS))
  return markedIn(plainOf(around), matches) ?? markedIn(around, matches)
}

/** Where no word of it is one that is looked for: all of it is alike. */
export const markedWhole = (text: string): string => `${MARK}${oneLine(text)}${MARK}`

/** Without marks. */
export const unmarked = oneLine

const firstIn = (text: string, matches: Matches): number | null => {
  for (const found of text.matchAll(WORDS)) if (matches(found[0])) return found.index
  return null
}

/** The first place behind a blank in a range; the end of the range where there is none. */
const wordFrom = (text: string, from: number, to: number): number => {
  const blank = text.indexOf(" ", from)
  return blank === -1 || blank >= to ? to : blank + 1
}

/** Half of a pair at the end is none. */
const wholeCharacters = (text: string): string => (text.isWellFormed() ? text : text.slice(0, -1))
