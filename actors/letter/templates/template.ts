/**
 * A template defines its values, and makes a letter from them.
 *
 * Invariants
 *  - A value is checked by its field before it is used. Words that a stranger may have chosen never become links, not
 *    even in programs that make links of texts like addresses.
 *  - A link always leads to this service, because only a path is given.
 */
import { HANDLE_PATTERN } from "../../../schemas/agent/fields.ts"
import { legible } from "../../../schemas/legible.ts"
import type { LetterLimits } from "../limits.ts"

/** Returns the text in a form that a letter may contain; `null` if there is none. */
export type Field = (text: string) => string | null

const PATH_MAX_CHARS = 512
const LINE_MAX_CHARS = 120
const WORDS_MAX_CHARS = 4000
const WORDS_MAX_LINES = 60
/** Replaces a text of characters that a letter does not show. */
const NOTHING_SHOWN = "(nothing that a letter can show)"
/** Limited because repeated marks can make a text much longer than its visible part. */
const WORDS_LOOKED_AT = 20_000

/** Matches path segments and a query, and nothing that a browser reads as another host or as a parent folder. */
const PATH = /^(?:\/[A-Za-z0-9_~-]+)+(?:\?[A-Za-z0-9_=&%.~-]*)?$/

export const path: Field = (text) => (text.length <= PATH_MAX_CHARS && PATH.test(text) ? text : null)

export const handle: Field = (text) => (HANDLE_PATTERN.test(text) ? text : null)

const plainLine = (text: string, max: number): string => {
  const plain = legible(text.toWellFormed())
    .replaceAll(/[.:](?=[^\s\d])/gu, " ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\@<>]/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim()
  return [...plain].slice(0, max).join("")
}

/** One line without line breaks, characters that change the direction of writing, and anything that becomes a link. */
export const line: Field = (text) => plainLine(text, LINE_MAX_CHARS)

/** Like `line`, for several lines. The rest of a long text can be read on the page. */
export const words: Field = (text) => {
  const shown: Array<string> = []
  let room = WORDS_MAX_CHARS
  for (const one of text.slice(0, WORDS_LOOKED_AT).split("\n")) {
    const plain = plainLine(one, room)
    if (plain !== "") shown.push(plain)
    room -= plain.length
    if (room <= 0 || shown.length === WORDS_MAX_LINES) return `${shown.join("\n")} …`
  }
  return shown.length === 0 && text !== "" ? NOTHING_SHOWN : shown.join("\n")
}

export interface Draft {
  /** Contains nothing from strangers except an agent's handle. */
  readonly subject: string
  readonly paragraphs: ReadonlyArray<string>
  readonly link?: { readonly label: string; readonly path: string }
  /** The reason why the recipient gets the letter. */
  readonly why: string
}

export interface Template<Values extends Readonly<Record<string, Field>> = Readonly<Record<string, Field>>> {
  readonly values: Values
  /** The seconds for which the letter's link is valid, and therefore for which the letter is worth sending. */
  readonly holds?: (limits: LetterLimits) => number
  /** The seconds for which the letter is worth sending; absent if it always is. */
  readonly worth?: (limits: LetterLimits) => number
  draft(values: { readonly [Name in keyof Values]: string }, service: string): Draft
}

export const template = <const Values extends Readonly<Record<string, Field>>>(
  of: Template<Values>
): Template<Values> => of
