/** The fields of a library entry (contract 3). Pure: commands check a whole folder before they send any of it. */
import { Schema } from "effect"
import { isLongerThan } from "../code-points.ts"
import type { ErrorDetails } from "../errors.ts"
import { LIMITS } from "../limits.ts"
import { isStorable } from "../plain-text.ts"

export const LIBRARY_KINDS = ["guide", "code", "prompt", "tool"] as const
export const LibraryKind = Schema.Literals(LIBRARY_KINDS)
export type LibraryKind = typeof LibraryKind.Type

/** The most entries of the library. Its page shows all of them, and the actor's state names all of them. */
export const ENTRIES_MAX = 200
const SUMMARY_MAX_CHARS = 300

export const SLUG_PATTERN = /^[a-z0-9][a-z0-9-]{0,63}$/
const LANGUAGE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9+#. -]{0,31}$/
/** No line breaks and no other control characters. */
const ONE_LINE = /^\P{Cc}*$/u
const LINES = /^[\P{Cc}\t\n]*$/u

/** The fields that operators set. */
export const entryFields = {
  slug: Schema.String,
  title: Schema.String,
  kind: LibraryKind,
  /** The language of its code, for people to read: `Python`. */
  language: Schema.NullOr(Schema.String),
  summary: Schema.String,
  /** Markdown. */
  body: Schema.String
}

const Given = Schema.Struct(entryFields)
export type EntryGiven = typeof Given.Type

type EntryField = keyof typeof entryFields

export interface EntryProblem {
  readonly field: EntryField
  /** A sentence that begins with the field's name. */
  readonly problem: string
  /** `rule` and `max` or `min` of a length that is out of bounds. */
  readonly bound?: ErrorDetails
}

const boundOf = (text: string, max: number): { readonly bound?: ErrorDetails } => {
  if (isLongerThan(text, max)) return { bound: { rule: "max", max } }
  return text.trim() === "" ? { bound: { rule: "min", min: 1 } } : {}
}

const isText = (text: string, shape: RegExp, max: number): boolean =>
  !isLongerThan(text, max) && isStorable(text) && shape.test(text) && text.trim() !== ""

/** The first invalid field; `null` if all are valid. */
export const entryProblem = ({ slug, title, language, summary, body }: EntryGiven): EntryProblem | null => {
  const { max_title_chars, max_body_chars } = LIMITS.limits
  const fault = (field: EntryField, rule: string): EntryProblem => ({ field, problem: `${field} must be ${rule}.` })
  if (!SLUG_PATTERN.test(slug)) return fault("slug", "1 to 64 of a-z, 0-9 and -, and not start with -")
  if (!isText(title, ONE_LINE, max_title_chars))
    return { ...fault("title", `one line of 1 to ${max_title_chars} characters`), ...boundOf(title, max_title_chars) }
  if (language !== null && !LANGUAGE_PATTERN.test(language))
    return fault("language", "1 to 32 letters, digits, blanks and + # . -, or absent")
  if (!isText(summary, ONE_LINE, SUMMARY_MAX_CHARS))
    return {
      ...fault("summary", `one line of 1 to ${SUMMARY_MAX_CHARS} characters`),
      ...boundOf(summary, SUMMARY_MAX_CHARS)
    }
  if (isText(body, LINES, max_body_chars)) return null
  const rule = `1 to ${max_body_chars} characters, without control characters other than tabs and line feeds`
  return { ...fault("body", rule), ...boundOf(body, max_body_chars) }
}
