/**
 * `Last-Modified` and `If-Modified-Since` (RFC 9110, 8.8.2 and 13.1.3), whose times are whole seconds.
 *
 * Invariants
 *  - A change less than `SETTLED_SECONDS` ago is dated before that. Read models may still hear of more in the same
 *    second, and a client that comes back with that time gets those too.
 *  - Only the very time that was told is answered with 304. A later one is no proof: when something is taken away, what
 *    is left is older.
 *  - An entity tag, if there is one, decides alone.
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

/**
 * True if the client has the content already. `modified`: as `lastModified` made it; `null` if nothing is known of
 * it.
 */
export const isUnchanged = (call: Call, etag: string, modified: string | null): boolean => {
  const tags = call.header("if-none-match")
  if (tags !== undefined) return matchesTag(tags, etag)
  return modified !== null && call.header("if-modified-since") === modified
}
