/**
 * `If-Match` (RFC 9110, 13.1.1). On reads it is checked on the finished answer, even if that is 304, 206 or 416. So it
 * takes precedence over the other conditions and over ranges. A weak tag never matches.
 */
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { FileConditions } from "../../schemas/post/operations.ts"
import type { Call } from "./call.ts"
import type { Endpoint } from "./endpoints.ts"
import { tagsIn } from "./entity-tags.ts"
import type { Response } from "./respond.ts"

/** Statuses of answers that show a resource with a tag. `If-Match` is compared only for these. */
const SHOWN: ReadonlySet<number> = new Set([200, 206, 304, 416])

/** The refusal if none of the tags matches; `null` if the answer may be sent. */
export const ifMatchRefusal = (call: Call, { status, headers }: Response): Refusal | null => {
  const condition = call.header("if-match")
  const etag = headers["etag"] ?? call.headers["etag"]
  if (condition === undefined || etag === undefined || !SHOWN.has(status)) return null
  if (call.method !== "GET" && call.method !== "HEAD") return null
  const isSame = tagsIn(condition).some((tag) => tag === "*" || tag === etag)
  return isSame ? null : refusal("precondition_failed", "It is another by now: none of your If-Match tags is its own.")
}

/** `If-Modified-Since` is for reads alone. */
const CONDITIONS = ["If-Match", "If-None-Match", "If-Unmodified-Since"] as const

/**
 * Refuses a conditional write to an endpoint that does not compare tags or times, because the write must not happen if
 * the condition may be false (RFC 9110, 13.2.1). `If-Match: *` only asks that the resource exists, which every write
 * needs anyway.
 */
export const conditionalWriteRefusal = (call: Call, { method, comparesTags }: Endpoint): Refusal | null => {
  if (method === "GET" || comparesTags) return null
  const match = call.header("if-match")
  const isAnyMatch = match !== undefined && tagsIn(match).includes("*")
  const header = CONDITIONS.find(
    (name) => call.header(name.toLowerCase()) !== undefined && !(name === "If-Match" && isAnyMatch)
  )
  if (header === undefined) return null
  return refusal(
    "precondition_failed",
    `This request does not compare entity tags or times. Send it without ${header}.`
  )
}

/** A tag of stored bytes is their SHA-256 in quotes. */
const HASHED = /^"([0-9a-f]{64})"$/

/** Weak tags count only in `If-None-Match`. */
const hashesIn = (condition: string): ReadonlyArray<string> =>
  tagsIn(condition).flatMap((tag) => (tag === "*" ? [tag] : (HASHED.exec(tag)?.[1] ?? [])))

/** The conditions of a write of stored bytes: the hashes that the stored bytes must have, or must not have. */
export const fileConditions = (call: Call): FileConditions => {
  const [match, none] = [call.header("if-match"), call.header("if-none-match")]
  return {
    ...(match === undefined ? {} : { if_match: hashesIn(match) }),
    ...(none === undefined ? {} : { if_none_match: hashesIn(none.replaceAll("W/", "")) })
  }
}
