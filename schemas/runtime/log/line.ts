/**
 * A line of the log: one JSON object.
 *
 * Invariants
 *  - It is always one line and cannot control a terminal, whoever wrote its values.
 *  - Its length is bounded. A longer text is cut before anything else is done with it, and fields without room are left
 *    out.
 *  - Secrets are masked, by the name of their field or by the form of the text.
 *  - Making a line never throws, even if reading a value does.
 */
import { harmless } from "../../printed.ts"
import { withoutTokens } from "../../secret/without-tokens.ts"

export type Level = "trace" | "debug" | "info" | "warn" | "error" | "fatal"

/** The longest line. A character is three bytes at most. */
export const LINE_MAX_CHARS = 4096
const VALUE_MAX_CHARS = 1024
const STACK_MAX_CHARS = 2048
const NAME_MAX_CHARS = 64
/** The most values of an object that are read. */
const INNER_MAX = 100
const CUT = "…"
const CUT_FIELD = `,"cut":true`
const UNPRINTABLE = `"(cannot be printed)"`
const MASK = "***"

/** The first fields of every line. No other field replaces them. */
const RESERVED: ReadonlySet<string> = new Set(["time", "level", "at", "cut"])
const SECRET_NAMES = /secret|password|passphrase|token|(private|server|address)_?key|authorization|cookie|seed/i
/** Credentials in an address, and those of a header. */
const SECRET_TEXTS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\/\/[^\s/"'\\]*@/g, `//${MASK}@`],
  [/\b(bearer) +[^\s"'\\]+/gi, `$1 ${MASK}`]
]

const masked = (text: string): string => {
  let left = withoutTokens(text)
  for (const [pattern, mask] of SECRET_TEXTS) left = left.replaceAll(pattern, mask)
  return left
}

/** The text as JSON, of at most `max` characters with all escapes. */
export const quoted = (text: string, max = VALUE_MAX_CHARS): string => {
  // A secret that begins before the cut may be recognizable only by the text after the cut, so more is read before
  // masking.
  const shown = masked(text.slice(0, 2 * max))
  let json = harmless(JSON.stringify(shown))
  for (let kept = max - CUT.length - 2; json.length > max; kept >>= 1)
    json = harmless(JSON.stringify(shown.slice(0, kept) + CUT))
  return json
}

const bounding = () => {
  let left = INNER_MAX
  return (name: string, value: unknown): unknown => {
    if (left-- <= 0) return undefined
    if (value !== null && SECRET_NAMES.test(name)) return MASK
    if (typeof value === "bigint") return String(value)
    return typeof value === "string" ? masked(value.slice(0, 2 * VALUE_MAX_CHARS)) : value
  }
}

const jsonOf = (name: string, value: unknown): string => {
  const max = name === "stack" ? STACK_MAX_CHARS : VALUE_MAX_CHARS
  try {
    if (value !== null && SECRET_NAMES.test(name)) return `"${MASK}"`
    if (typeof value === "string") return quoted(value, max)
    if (value instanceof Error) return quoted(name === "stack" ? (value.stack ?? "") : String(value), max)
    const json = harmless(JSON.stringify(value, bounding()) ?? JSON.stringify(String(value)))
    return json.length > max ? quoted(json, max) : json
  } catch {
    return UNPRINTABLE
  }
}

/**
 * Fields with the value `undefined` are left out. An error is written as text; under the name `stack` with its stack.
 */
export const lineOf = (level: Level, at: string, unixMs: number, fields: Readonly<Record<string, unknown>>): string => {
  let line = `{"time":"${new Date(unixMs).toISOString()}","level":"${level}","at":${quoted(at, NAME_MAX_CHARS)}`
  const end = "}\n"
  let cut = ""
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || RESERVED.has(name)) continue
    const field = `,${quoted(name, NAME_MAX_CHARS)}:${jsonOf(name, value)}`
    if (line.length + field.length + CUT_FIELD.length + end.length > LINE_MAX_CHARS) cut = CUT_FIELD
    else line += field
  }
  return line + cut + end
}
