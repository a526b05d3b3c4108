/** Checks and patterns for text from outside. */
import { Schema } from "effect"
import { hasUnseen } from "./unseen.ts"

/**
 * True if every store can hold the text: no lone surrogates, and no NUL. JSON can express both, but UTF-8 cannot
 * represent the first, and Postgres not the second.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

export const Storable = Schema.String.check(
  Schema.makeFilter((text: string) => isStorable(text) || "must be whole Unicode text without NUL characters")
)

/**
 * A check by a pattern with Unicode classes (`\p{…}`). Validators in other languages refuse such patterns, so JSON
 * Schema gets the rule in words and the service enforces the pattern.
 */
export const matches = (pattern: RegExp, message: string) =>
  Schema.isPattern(pattern, { message, toJsonSchema: () => [{ description: message }, true] })

/** Text of several lines. Other control characters have no meaning in it, and each takes six bytes in JSON. */
const LINES = /^[\P{Cc}\t\n\r]*$/u

export const Lines = Storable.check(
  matches(LINES, "must be text without control characters other than tabs and line breaks")
)

/**
 * No control characters or overrides of direction, so that a name can be printed and logged, and looks as it is
 * written.
 */
export const SINGLE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u
/**
 * At least one visible character: a letter, number, punctuation or symbol. Some of these are invisible and do not count
 * (unseen.ts): fillers, blanks of Braille, music and hieroglyphs, and the placeholder of an embedded object.
 */
export const VISIBLE = /(?![\p{DI}\u2800\ufffc\u{1d159}\u{13441}\u{13442}])[\p{L}\p{N}\p{P}\p{S}]/u

/** A rule for names, because a name with invisible characters would look like the name without them. */
export const seen = Schema.makeFilter(
  (text: string) => !hasUnseen(text) || "must not have characters that show nothing, such as U+200B",
  { toJsonSchema: () => ({ description: "without characters that show nothing" }) }
)

/**
 * One mail address in ASCII. Address lists, comments and quoted parts are excluded, because a mail server may read them
 * differently.
 */
export const MAIL_ADDRESS = /^[A-Za-z0-9.!#$&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}$/
