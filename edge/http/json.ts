/**
 * JSON bodies, from raw bytes to checked values. The body of a JSON endpoint is read as JSON whatever its Content-Type
 * says (curl's `-d` calls it a form).
 *
 * Invariants
 *  - Depth and number of members are bounded before parsing (json-scan.ts), because a parsed value is later traversed
 *    and written again. The lengths of arrays are bounded before their items are decoded (lengths.ts).
 *  - Members named `__proto__` are dropped, so that no copy of the value can change its own prototype. If another name
 *    is repeated, the last member counts, as in `JSON.parse`.
 *  - Members that a schema does not know are dropped, and the answer names them (`meta.ignored`).
 */
import { Effect, Result, Schema, SchemaIssue } from "effect"
import { invalidField, type Refusal } from "../../schemas/errors.ts"
import type { Call } from "./call.ts"
import { brokenBound } from "./bounds.ts"
import { ignoredIn } from "./ignored.ts"
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX, JSON_OBJECT_MEMBERS_MAX, scanJson } from "./json-scan.ts"
import { lengthsOf } from "./lengths.ts"
import { type Refused, refuse } from "./refused.ts"

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly refusal: Refusal }

/**
 * A byte order mark is not part of JSON (RFC 8259, 8.1). If it were dropped here, it would still be in the published
 * bytes.
 */
export const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const bodyProblem = (message: string, rule: string): Parsed => ({
  ok: false,
  refusal: invalidField("body", message, { rule })
})

const BEYOND = {
  depth: bodyProblem(`The body must not nest deeper than ${JSON_DEPTH_MAX} levels.`, "depth"),
  members: bodyProblem(
    `The body must not hold more than ${JSON_MEMBERS_MAX} members, nor one object more than ${JSON_OBJECT_MEMBERS_MAX}.`,
    "members"
  )
}

export const parseJson = (bytes: Uint8Array): Parsed => {
  if (bytes.length === 0) return bodyProblem("A JSON body is required.", "json")
  const { beyond, suspect } = scanJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  if (beyond !== null) return BEYOND[beyond]
  let text: string
  try {
    text = strictUtf8.decode(bytes)
  } catch {
    return bodyProblem("The body must be UTF-8.", "utf-8")
  }
  try {
    const value: unknown = JSON.parse(text)
    if (suspect) dropPrototypeKeys(value)
    return { ok: true, value }
  } catch {
    return bodyProblem("The body is not valid JSON.", "json")
  }
}

const dropPrototypeKeys = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return
  // The parser made `__proto__` an ordinary member. Assigning it to another object would set that object's prototype.
  Reflect.deleteProperty(value, "__proto__")
  for (const part of Object.values(value)) dropPrototypeKeys(part)
}

/** Names of the outermost object's members in the order of the text, with repetitions. The JSON must be valid. */
export const memberNames = (bytes: Buffer): ReadonlyArray<string> =>
  scanJson(bytes).names.map((name) => JSON.parse(name) as string)

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first fault of a value in the form of spec 7: the field by its dotted path, and a sentence about it. */
export const issueRefusal = (issue: SchemaIssue.Issue, value: unknown, whole: string): Refusal => {
  const [first] = format(issue).issues
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part))
  const field = path.length === 0 ? whole : path.join(".")
  return invalidField(field, `${field} ${rule(first?.message ?? "is not valid")}.`, brokenBound(issue, value))
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
  NAMES[expected] ??
  (/^(?:"[^"]*"|-?\d+)(?: \| (?:"[^"]*"|-?\d+))+$/.test(expected)
    ? `one of ${expected.replaceAll('"', "").replaceAll(" | ", ", ")}`
    : expected)

/** Decodes a call's JSON value by a schema. The decoder is compiled once, at the start. */
export const valueDecoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const tooLong = lengthsOf(schema)
  const decode = Schema.decodeUnknownResult(schema)
  return (call: Call, value: unknown): Effect.Effect<S["Type"], Refused> => {
    const overlong = tooLong(value)
    if (overlong !== null) return Effect.fail(refuse(overlong))
    const result = decode(value)
    if (Result.isFailure(result)) return Effect.fail(refuse(issueRefusal(result.failure.issue, value, "body")))
    call.ignored = ignoredIn(value, result.success)
    return Effect.succeed(result.success)
  }
}

/** Decodes a call's body, which must be an object. If `bytes` are given, they are parsed instead. */
export const bodyDecoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = valueDecoder(schema)
  return (call: Call, bytes: Uint8Array = call.body): Effect.Effect<S["Type"], Refused> => {
    const parsed = parseJson(bytes)
    if (!parsed.ok) return Effect.fail(refuse(parsed.refusal))
    if (!isRecord(parsed.value))
      return Effect.fail(refuse(invalidField("body", "The body must be a JSON object.", { rule: "object" })))
    return decode(call, parsed.value)
  }
}
