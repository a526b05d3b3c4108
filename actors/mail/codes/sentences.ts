/** Splits a line into candidates, words that matter for them, and sentences. */
import { type Candidate, candidatesIn, isAlnum } from "./candidates.ts"
import { type Line, withoutAddresses } from "./lines.ts"
import { type Mark, marksIn } from "./vocabulary.ts"
import { NUMBER_WORDS, type NumberWord } from "./words.ts"

export type NumberMark = Mark<NumberWord>

export interface JudgedLine {
  readonly line: Line
  /** The line in lower case, with spaces in place of addresses. Its length is unchanged. */
  readonly low: string
  readonly candidates: ReadonlyArray<Candidate>
  readonly marks: ReadonlyArray<NumberMark>
  /** The positions of sentences, the first at 0. */
  readonly starts: ReadonlyArray<number>
  readonly has: ReadonlySet<NumberWord>
  /** The number of letters and digits outside of candidates. */
  readonly other: number
}

/** Characters whose codes lie between these two end no sentence. */
const QUESTION_MARK = 0x3f
const IDEOGRAPHIC_STOP = 0x3002
const WIDE_STOPS = "。！？；"
const ABBREVIATION_MAX_CHARS = 3

/** True for the dot in "No. 12" and "Nr. 12", which does not end a sentence. */
const isAbbreviation = (low: string, stop: number): boolean => {
  if (!/[0-9]/.test(low.charAt(stop + 2))) return false
  let from = stop
  while (from > 0 && stop - from <= ABBREVIATION_MAX_CHARS && /\p{L}/u.test(low.charAt(from - 1))) from--
  return stop - from > 0 && stop - from <= ABBREVIATION_MAX_CHARS
}

const startsIn = (low: string): ReadonlyArray<number> => {
  const starts = [0]
  for (let at = 0; at < low.length; at++) {
    const code = low.charCodeAt(at)
    if (code > QUESTION_MARK && code < IDEOGRAPHIC_STOP) continue
    const char = low.charAt(at)
    const wide = code >= IDEOGRAPHIC_STOP && WIDE_STOPS.includes(char)
    if (!wide && !(".!?".includes(char) && (low[at + 1] === " " || low[at + 1] === "\t"))) continue
    if (char !== "." || !isAbbreviation(low, at)) starts.push(at + 1)
  }
  return starts
}

const WORD_CHAR = /[\p{L}\p{N}]/u

const otherChars = (text: string, candidates: ReadonlyArray<Candidate>): number => {
  let count = 0
  let next = 0
  for (let at = 0; at < text.length; at++) {
    while ((candidates[next]?.to ?? Infinity) <= at) next++
    const of = candidates[next]
    if (of !== undefined && at >= of.from) continue
    const code = text.charCodeAt(at)
    if (code >= 128 ? WORD_CHAR.test(text.charAt(at)) : isAlnum(text, at)) count++
  }
  return count
}

export const judgedLine = (line: Line): JudgedLine => {
  const bare = withoutAddresses(line.text)
  const low = bare.toLowerCase()
  const candidates = candidatesIn(bare)
  const marks = marksIn(low, NUMBER_WORDS)
  return {
    line,
    low,
    candidates,
    marks,
    starts: startsIn(low),
    has: new Set(marks.map(({ kind }) => kind)),
    other: otherChars(bare, candidates)
  }
}

/** The number of values that are at most `value`, in an ascending list. */
export const countUpTo = (numbers: ReadonlyArray<number>, value: number): number => {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}
