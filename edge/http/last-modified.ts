/**
 * `Last-Modified` and `If-Modified-Since` (RFC 9110, 8.8.2 and 13.1.3), whose times are whole seconds.
 *
 * Invariants
 *  - What changed less than `SETTLED_SECONDS` ago is said to have changed before that: read models may still hear of more
 *    that happened in the same second, and whoever comes back with the time that was told gets that too.
 *  - Only the very time that was told is answered with 304. A later one is no proof: when something is taken away, what
 *    is left is older.
 *  - Where an entity tag comes along, it alone decides.
 */
import type { Call } from "./call.ts"
import { matchesTag } from "./documents.ts"

const SECOND_MS = 1000
export const SETTLED_SECONDS = 5

/** `changed`, `now`: Unix ms. */
export const lastModified = (changed: number, now: number): string => {
  const settled = Math.floor(now / SECOND_MS) - SETTLED_SECONDS
  return new Date(Math.min(Math.floor(changed / SECOND_MS), settled) * SECOND_MS).toUTCString()
}

/** Whether the client has it already. `modified`: as `lastModified` made it; `null` where nothing is known of it. */
export const isUnchanged = (call: Call, etag: string, modified: string | null): boolean => {
  const tags = call.header("if-none-match")
  if (tags !== undefined) return matchesTag(tags, etag)
  return modified !== null && call.header("if-modified-since") === modified
}
