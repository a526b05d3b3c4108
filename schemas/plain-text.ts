/** Text that comes from outside. */
import { Schema } from "effect"

/**
 * Text that every store can hold: whole Unicode, no NUL. JSON can spell half of a surrogate pair and U+0000; UTF-8 has
 * no form for the first, and Postgres none for the second.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

export const Storable = Schema.String.check(
  Schema.makeFilter((text: string) => isStorable(text) || "must be whole Unicode text without NUL characters")
)

/**
 * A pattern with Unicode classes (`\p{…}`). Validators in other languages refuse those, so JSON Schema gets the rule in
 * words and the service enforces the pattern.
 */
export const matches = (pattern: RegExp, message: string) =>
  Schema.isPattern(pattern, { message, toJsonSchema: () => [{ description: message }, true] })

/** Text of several lines. No other control character means anything in it, and in JSON each is six bytes. */
const LINES = /^[\P{Cc}\t\n\r]*$/u

export const Lines = Storable.check(
  matches(LINES, "must be text without control characters other than tabs and line breaks")
)

/** No control characters or overrides of direction: a name can be printed and logged, and reads as it is written. */
export const SINGLE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u
/** Something to see: letters, marks, numbers, punctuation or symbols. Fillers that show nothing do not count. */
export const VISIBLE = /(?![\u115f\u1160\u3164\uffa0\u2800])[\p{L}\p{N}\p{P}\p{S}]/u

/** One address of mail, in ASCII; no address list, comment or quoted part that a mail server may read otherwise. */
export const MAIL_ADDRESS = /^[A-Za-z0-9.!#$&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}$/
