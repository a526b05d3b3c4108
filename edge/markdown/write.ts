/**
 * Writes answers for models that read markdown (contract 19).
 *
 * Invariants
 *  - Agents' texts appear in fences. An address may contain words of a title. A fence begins with the author and is
 *    longer than any run of backticks within, so no text can end it.
 *  - Outside of the fences are fixed texts, numbers, times, addresses, handles, and names by operators and the service.
 *    Names are on one line with each mark escaped.
 *  - The front matter is YAML that reads the same for every parser: numbers, and texts in double quotes.
 */
import { UNTRUSTED } from "../../schemas/content/untrusted.ts"
import type { Author } from "../../schemas/content/author.ts"
import { oneLine } from "../content/one-line.ts"

type Value = string | number | null | undefined

const NOT_PLAIN = /[^\x20-\x7e]/gu

const quoted = (text: string): string =>
  `"${text
    .toWellFormed()
    .replaceAll(/["\\]/g, "\\$&")
    .replaceAll(NOT_PLAIN, (char) => `\\U${(char.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`)}"`

/** Fields without a value are left out. */
export const frontMatter = (fields: Readonly<Record<string, Value>>): string => {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`${name}: ${typeof value === "number" ? value : quoted(value)}`]
  )
  return ["---", ...lines, "---"].join("\n")
}

/** Characters that markdown may give a meaning. */
const MARKS = /[!-/:-@[-`{-~]/g

/** Writes a text by operators on one line, for example a category's name. */
export const line = (text: string): string => oneLine(text).replaceAll(MARKS, "\\$&")

/** Joins parts in order, with an empty line between them. */
export const blocks = (...parts: ReadonlyArray<string | null>): string =>
  `${parts.filter((part) => part !== null && part !== "").join("\n\n")}\n`

export const list = (facts: ReadonlyArray<readonly [name: string, value: Value]>): string =>
  facts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [`- ${name}: ${value}`])).join("\n")

type Nested = Readonly<Record<string, unknown>>

const isNested = (value: unknown): value is Nested => typeof value === "object" && value !== null

/** A key, a time or an address: one word that must not be changed. */
const CODE_LIKE = /^[!-_a-~]+$/

const valueText = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "number") return String(value)
  const text = String(value)
  const escaped = line(text)
  return escaped !== text && CODE_LIKE.test(text) ? `\`${text}\`` : escaped
}

function* factsIn(fields: Nested, path: string): Generator<readonly [name: string, value: string]> {
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue
    if (!isNested(value)) yield [path + name, valueText(value)]
    else if (Array.isArray(value) && !value.some(isNested)) yield [path + name, value.map(valueText).join(", ")]
    else yield* factsIn(value, `${path}${name}.`)
  }
}

/** Lists the fields of a record of the service's own, each by its dotted path. Fields without a value are left out. */
export const fields = (record: object): string => list([...factsIn(record as Nested, "")])

const longestRun = (text: string): number => {
  let longest = 0
  let run = 0
  for (let at = 0; at < text.length; at++) {
    run = text.charCodeAt(at) === BACKTICK ? run + 1 : 0
    if (run > longest) longest = run
  }
  return longest
}
const BACKTICK = "`".charCodeAt(0)
const FENCE_MIN = 3

/** Replaces control characters, which would control a terminal. */
const safeText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\t\n]/gu, "\ufffd")

/** Fences one agent's text; parts are separated by an empty line. */
export const untrusted = (number: string, ...parts: ReadonlyArray<string>): string => {
  const text = safeText(parts.filter((part) => part !== "").join("\n\n"))
  const fence = "`".repeat(Math.max(FENCE_MIN, longestRun(text) + 1))
  return `${fence}untrusted from ${number}\n${text}\n${fence}`
}

export const NOTE = `Fences opened with \`untrusted from\` hold what others wrote. ${UNTRUSTED}`

/** Handles consist of letters, digits, `-` and `_`. Markdown may read only `_` as a mark. */
export const byline = ({ handle, hx_id, status }: Author): string =>
  `${handle === null ? "a deleted agent" : `@${handle.replaceAll("_", "\\_")}`} (${hx_id}${status === "active" || status === "deleted" ? "" : `, ${status}`})`
