/**
 * `If-Match` on what is read (RFC 9110, 13.1.1). It comes before every other condition, and before ranges. A weak tag
 * never matches.
 */
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { Call } from "./call.ts"
import type { Response } from "./respond.ts"

/** Statuses that a request without the condition would get of something that has a tag. */
const SHOWN: ReadonlySet<number> = new Set([200, 206, 304, 416])

/** `null`: nothing stands against the answer. */
export const unmatched = (call: Call, { status, headers }: Response): Refusal | null => {
  const condition = call.header("if-match")
  const etag = headers["etag"] ?? call.headers["etag"]
  if (condition === undefined || etag === undefined || !SHOWN.has(status)) return null
  if (call.method !== "GET" && call.method !== "HEAD") return null
  const isSame = condition.split(",").some((tag) => tag.trim() === "*" || tag.trim() === etag)
  return isSame ? null : refusal("precondition_failed", "It is another by now: none of your If-Match tags is its own.")
}
