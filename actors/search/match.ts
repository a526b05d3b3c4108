/**
 * Makes an excerpt around the matching part of a text, as plain text with the matches between `**` (contract 19).
 *
 * Invariants
 *  - Each `**` is a mark: asterisks of the text itself are left out.
 *  - In scripts with spaces, words are marked as a whole, with their accents and in their case.
 *  - An excerpt is short, however long the text. It begins a little before the first match.
 */
import { EXCERPT_MAX_CHARS, plainOf, type Word, markingRuns, runsOf } from "../content/noun.ts"

const MARK = "**"
/** Characters that are shown before the first match. */
const LEAD_CHARS = 60
/** The number of characters of markdown around a match. The excerpt is made from the text in them. */
const BEFORE_CHARS = 200
const AFTER_CHARS = 1000

export type Marking = (text: string) => string

const marked = (text: string): string => `${MARK}${text}${MARK}`

/**
 * Marks words for which `isSought` is true. In scripts without spaces it marks the `parts`, or everything if the parts
 * are not found as written.
 */
const marking = (isSought: (word: string) => boolean, parts: ReadonlyArray<string>): Marking => {
  const longestFirst = parts.toSorted((one, other) => other.length - one.length)
  return (text) =>
    markingRuns(text, (written, runs) => {
      if (runs.some((run) => !run.isUnspaced && isSought(run.text))) return marked(written)
      if (!runs.some((run) => run.isUnspaced && parts.some((part) => run.text.includes(part)))) return written
      const inPlace = markedParts(written, longestFirst)
      return inPlace === written ? marked(written) : inPlace
    })
}

const markedParts = (written: string, parts: ReadonlyArray<string>): string => {
  let shown = ""
  for (let at = 0; at < written.length;) {
    const part = parts.find((one) => written.startsWith(one, at))
    shown += part === undefined ? written.charAt(at) : marked(part)
    at += part?.length ?? 1
  }
  return shown
}

/** Marks the words of a query, and words that begin with one of its prefixes. */
export const matching = (words: ReadonlyArray<Word>): Marking => {
  const spaced = words.filter(({ isUnspaced }) => !isUnspaced)
  const whole = new Set(spaced.map(({ text }) => text))
  const begun = spaced.flatMap(({ text, prefix }) => (prefix ? [text] : []))
  const parts = words.flatMap(({ text, isUnspaced }) => (isUnspaced ? [text] : []))
  return marking((word) => whole.has(word) || begun.some((beginning) => word.startsWith(beginning)), parts)
}

/** Marks words that contain one of the parts. */
export const containing = (parts: ReadonlyArray<string>): Marking => {
  const sought = parts.flatMap((part) => [...runsOf(part)])
  const unspaced = sought.flatMap(({ text, isUnspaced }) => (isUnspaced ? [text] : []))
  return marking((word) => sought.some(({ text }) => word.includes(text)), unspaced)
}

const oneLine = (text: string): string => text.replaceAll("*", "").replaceAll(/\s+/gu, " ").trim()

/** An excerpt with marks; `null` if nothing in the text matches. */
export const markedIn = (text: string, mark: Marking): string | null => {
  const line = oneLine(text)
  const first = firstIn(line, mark)
  if (first === null) return null
  const from = first <= LEAD_CHARS ? 0 : wordFrom(line, first - LEAD_CHARS, first)
  const shown = wholeCharacters(line.slice(from, from + EXCERPT_MAX_CHARS))
  return `${from > 0 ? "…" : ""}${mark(shown)}${from + shown.length < line.length ? "…" : ""}`
}

/** An excerpt of a part of a markdown text, with marks; `null` if nothing matches. */
export const markedInMarkdown = (part: string, mark: Marking): string | null => {
  const first = firstIn(part, mark)
  if (first === null) return null
  const from = first <= BEFORE_CHARS ? 0 : wordFrom(part, first - BEFORE_CHARS, first)
  const around = wholeCharacters(part.slice(from, first + AFTER_CHARS))
  return markedIn(plainOf(around), mark) ?? markedIn(around, mark)
}

/** Marks the whole text, for a name that matches only approximately. */
export const markedWhole = (text: string): string => marked(oneLine(text))

/** The text on one line, without marks. */
export const unmarked = oneLine

/** The position of the first match; `null` if there is none. */
const firstIn = (text: string, mark: Marking): number | null => {
  const written = mark(text)
  if (written === text) return null
  for (let at = 0; ; at++) if (written[at] !== text[at]) return at
}

/** The position after the first blank in a range; the end of the range if there is none. */
const wordFrom = (text: string, from: number, to: number): number => {
  const blank = text.indexOf(" ", from)
  return blank === -1 || blank >= to ? to : blank + 1
}

/** Drops half of a surrogate pair at the end. */
const wholeCharacters = (text: string): string => (text.isWellFormed() ? text : text.slice(0, -1))
