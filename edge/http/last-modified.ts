/**
 * `Last-Modified` and `If-Modified-Since` (RFC 9110, 8.8.2 and 13.1.3), whose times are whole seconds.
 *
 * Invariants
 *  - A change less than `SETTLED_SECONDS` ago gets an earlier date. Read models may still receive more changes of the
 *    same second, and a client that comes back with that date must get those too.
 *  - 304 is sent only for exactly the time of the current content. A later time proves nothing, because a removal can
 *    make the latest change older.
 *  - An entity tag, if there is one, decides alone.
 */
import type { Call } from "./call.ts"
import { matchesTag } from "./documents.ts"

const SECOND_MS = 1000
export const SETTLED_SECONDS = 5

/** `changed` and `now` are in Unix ms. */
export const lastModified = (changed: number, now: number): string => {
  const settled = Math.floor(now / SECOND_MS) - SETTLED_SECONDS
  return new Date(Math.min(Math.floor(changed / SECOND_MS), settled) * SECOND_MS).toUTCString()
}

/**
 * True if the client has the content already. `modified` comes from `lastModified`; `null` if the time of the last
 * change is not known.
 */
export const isUnchanged = (call: Call, etag: string, modified: string | null): boolean => {
  const tags = call.header("if-none-match")
  if (tags !== undefined) return matchesTag(tags, etag)
  return modified !== null && call.header("if-modified-since") === modified
}
