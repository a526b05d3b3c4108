/**
 * The lines of a message, from text or HTML, and the addresses in them.
 *
 * Invariant: normalizing keeps every character that a reader may have to type, in order.
 */
import { normalForm } from "../../../schemas/legible.ts"
import { withoutUnseen } from "../../../schemas/unseen.ts"
import { isDense } from "./vocabulary.ts"

/** A part of a line that is emphasized: 1 for bold, 2 for large. */
export interface Emphasis {
  readonly from: number
  readonly to: number
  readonly level: 1 | 2
}

export interface Line {
  readonly text: string
  readonly emphases: ReadonlyArray<Emphasis>
  readonly hidden: boolean
}

export interface Span {
  readonly from: number
  readonly to: number
}

/** Characters that look like a space. Fillers and the empty braille pattern have a width too. */
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]/g
const DASHES = /[\u2010-\u2013\u2212\uff0d\ufe63]/g
/** Full-width, Arabic and Persian digits. */
const DIGITS = /[\uff10-\uff19\u0660-\u0669\u06f0-\u06f9]/g
const WIDE_LETTERS = /[\uff21-\uff3a\uff41-\uff5a]/g
const ZEROES = [0xff10, 0x0660, 0x06f0]
const WIDE_OFFSET = 0xfee0

const asciiDigit = (digit: string): string => {
  const code = digit.charCodeAt(0)
  return String(code - (ZEROES.find((zero) => code >= zero && code < zero + 10) ?? code))
}

export const cleaned = (text: string): string =>
  withoutUnseen(normalForm(text, "NFC").replace(SPACES, " "))
    .replace(DASHES, "-")
    .replace(DIGITS, asciiDigit)
    .replace(WIDE_LETTERS, (letter) => String.fromCharCode(letter.charCodeAt(0) - WIDE_OFFSET))
    // The only letter whose lower case has two characters.
    .replaceAll("\u0130", "I")

const LONE = /^[0-9A-Za-z]$/
const LONE_MIN = 4

/** Joins at least `LONE_MIN` consecutive lines of one digit or letter to one line. They may be a code in boxes. */
const joined = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const result: Array<Line> = []
  let run: Array<Line> = []
  const end = (): void => {
    if (run.length < LONE_MIN) result.push(...run)
    else result.push({ text: run.map(({ text }) => text).join(" "), emphases: [], hidden: run[0]?.hidden === true })
    run = []
  }
  for (const line of lines) {
    if (LONE.test(line.text) && (run.length === 0 || run[0]?.hidden === line.hidden)) {
      run.push(line)
      continue
    }
    end()
    result.push(line)
  }
  end()
  return result
}

export const joinedLines = joined

/**
 * Splits a text into its lines, without empty ones. Each run of blanks becomes one blank, because a relaxed signature
 * (RFC 6376 3.4.4) does not cover the length of a run.
 */
export const linesOfText = (text: string): ReadonlyArray<Line> =>
  joined(
    cleaned(text)
      .split(/[\r\n\u2028\u2029\v\f]/)
      .map((line) => line.replace(/[ \t]+/g, " ").trim())
      .filter((line) => line !== "")
      .map((line) => ({ text: line, emphases: [], hidden: false }))
  )

const URL_STOPS = '<>"`{}|\\^「」『』（）【】《》，。、；：！？'

/** The end of a URL. White space and quotes end it. In its path, text of a script without spaces ends it too. */
const urlEnd = (text: string, from: number): number => {
  let at = from
  let path = false
  for (; at < text.length; at++) {
    const char = text.charAt(at)
    if (char <= " " || URL_STOPS.includes(char)) break
    // Host names may be of any script, but paths rarely are.
    if (path && isDense(text, at)) break
    if (char === "/" && at > from + "https://".length) path = true
  }
  return withoutTail(text, from, at)
}

/** Removes punctuation that belongs to the sentence. A closing bracket is kept if the URL has the opening one. */
const withoutTail = (text: string, from: number, end: number): number => {
  let at = end
  let open = 0
  for (let index = from; index < end; index++) open += text[index] === "(" ? 1 : text[index] === ")" ? -1 : 0
  while (at > from) {
    const last = text.charAt(at - 1)
    if (last === ")" && open < 0) open++
    else if (!".,;:!?'*_]".includes(last)) break
    at--
  }
  return at
}

const SCHEME = /https?:\/\//g

export const urlsIn = (low: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  SCHEME.lastIndex = 0
  for (let match = SCHEME.exec(low); match !== null; match = SCHEME.exec(low)) {
    const to = urlEnd(low, match.index)
    spans.push({ from: match.index, to })
    SCHEME.lastIndex = Math.max(to, match.index + match[0].length)
  }
  return spans
}

const OF_NAME = /[a-z0-9._%+-]/
const OF_PATH = /[a-z0-9._%+\-/=&?#~:]/

const while_ = (text: string, from: number, step: 1 | -1, of: RegExp): number => {
  let at = from
  while (at >= 0 && at < text.length && of.test(text.charAt(at))) at += step
  return at
}

/** Domains and paths without a scheme (`example.com/123456`), and mail addresses. They are found by `@` and `/`. */
const looseSpans = (low: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let done = 0
  for (let at = 0; at < low.length; at++) {
    const char = low[at]
    if (char !== "@" && !(char === "/" && /[a-z]/.test(low.charAt(at - 1)))) continue
    const from = Math.max(done, while_(low, at - 1, -1, OF_NAME) + 1)
    const host = low.slice(from, at)
    if (char === "/" && !host.includes(".")) continue
    const to = while_(low, at + 1, 1, char === "@" ? OF_NAME : OF_PATH)
    spans.push({ from, to })
    done = to
    at = Math.max(at, to - 1)
  }
  return spans
}

const blanked = (text: string, spans: ReadonlyArray<Span>): string => {
  if (spans.length === 0) return text
  const parts: Array<string> = []
  let done = 0
  for (const { from, to } of spans) {
    parts.push(text.slice(done, from), " ".repeat(Math.max(0, to - from)))
    done = to
  }
  return parts.join("") + text.slice(done)
}

/** Replaces all addresses by spaces, because numbers in them are not part of the text. */
export const withoutAddresses = (text: string): string => {
  const bare = blanked(text, urlsIn(text.toLowerCase()))
  return /[@/]/.test(bare) ? blanked(bare, looseSpans(bare.toLowerCase())) : bare
}
