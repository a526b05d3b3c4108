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

/** Text of several lines. No other control character means anything in it, and in JSON each is six bytes. */
const LINES = /^[\P{Cc}\t\n\r]*$/u

export const Lines = Storable.check(
  Schema.isPattern(LINES, { message: "must be text without control characters other than tabs and line breaks" })
)
