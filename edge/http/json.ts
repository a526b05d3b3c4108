/**
 * JSON bodies, from raw bytes to checked values. Whatever its Content-Type says, a body of a JSON endpoint is read as
 * JSON (curl's `-d` calls it a form). Depth is bounded before parsing, since what is parsed is later walked and
 * written again; `__proto__` keys are dropped, so that no copy of the value can change its own prototype.
 */
import { Effect, Result, Schema, SchemaIssue } from "effect"
import { invalidField, type Refusal } from "../../schemas/errors.ts"
import { type Refused, refuse } from "./refused.ts"

const DEPTH_MAX = 64

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly refusal: Refusal }

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })
const bodyProblem = (message: string, rule: string): Parsed => ({ ok: false, refusal: invalidField("body", message, { rule }) })

export const parseJson = (bytes: Uint8Array): Parsed => {
  if (bytes.length === 0) return bodyProblem("A JSON body is required.", "json")
  let text: string
  try {
    text = strictUtf8.decode(bytes)
  } catch {
    return bodyProblem("The body must be UTF-8.", "utf-8")
  }
  if (tooDeep(text)) return bodyProblem(`The body must not nest deeper than ${DEPTH_MAX} levels.`, "depth")
  try {
    const value: unknown = text.includes("__proto__") ? JSON.parse(text, dropPrototypeKeys) : JSON.parse(text)
    return { ok: true, value }
  } catch {
    return bodyProblem("The body is not valid JSON.", "json")
  }
}

const dropPrototypeKeys = (key: string, value: unknown): unknown => (key === "__proto__" ? undefined : value)

const QUOTE = 34
const BACKSLASH = 92

const tooDeep = (text: string): boolean => {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === BACKSLASH) index++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === 123 || code === 91) {
      if (++depth > DEPTH_MAX) return true
    } else if (code === 125 || code === 93) depth--
  }
  return false
}

/** Names of an object's own members in the order of the text, repeated ones repeated. Of valid JSON. */
export const memberNames = (text: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth++
    else if (token === "}" || token === "]") depth--
    else if (depth === 1 && token.endsWith(":")) names.push(JSON.parse(token.slice(0, -1)) as string)
  }
  return names
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first thing wrong, as spec 7 wants it: the field by its dotted path and a sentence about it. */
export const issueRefusal = (issue: SchemaIssue.Issue, whole: string): Refusal => {
  const [first] = format(issue).issues
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part))
  const field = path.length === 0 ? whole : path.join(".")
  return invalidField(field, `${field} ${rule(first?.message ?? "is not valid")}.`)
}

const rule = (message: string): string => {
  if (message === "Missing key") return "is required"
  if (message.startsWith("Expected ")) return `must be ${named(message.slice("Expected ".length))}`
  return message
}

const NAMES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  "string | null": "a string or null"
}

const named = (expected: string): string =>
  NAMES[expected] ?? (/^"[^"]*"( \| "[^"]*")+$/.test(expected) ? `one of ${expected.replaceAll('"', "").replaceAll(" | ", ", ")}` : expected)

/** Of a JSON value, by a schema. Compiled once, at the start. */
export const valueDecoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: unknown): Effect.Effect<S["Type"], Refused> => {
    const result = decode(value)
    return Result.isSuccess(result)
      ? Effect.succeed(result.success)
      : Effect.fail(refuse(issueRefusal(result.failure.issue, "body")))
  }
}

/** The same of a body that must be an object. */
export const bodyDecoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = valueDecoder(schema)
  return (bytes: Uint8Array): Effect.Effect<S["Type"], Refused> => {
    const parsed = parseJson(bytes)
    if (!parsed.ok) return Effect.fail(refuse(parsed.refusal))
    if (!isRecord(parsed.value)) return Effect.fail(refuse(invalidField("body", "The body must be a JSON object.", { rule: "object" })))
    return decode(parsed.value)
  }
}
