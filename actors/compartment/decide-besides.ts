/** Pure decisions on waiting archives and on links for browsers. */
import type { BlobRef } from "../../schemas/blob/operations.ts"
import type { Asker } from "../../schemas/compartment/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import { RUNTIME_SERVICE_LIMITS } from "../../schemas/compartment/limits.ts"
import { belongsTo, type Decided } from "./decide.ts"
import { BUSY, NO_COMPARTMENT, SUSPENDED } from "./refusals.ts"
import { type CompartmentState, isSuspended, isThere } from "./state.ts"

export const decideQueueFiles = (
  state: CompartmentState,
  { by, ...upload }: { by: Asker; dest: string; blob: BlobRef; key: string; files: number }
): Decided => {
  if (!isThere(state) || !belongsTo(state, by)) return NO_COMPARTMENT
  if (isSuspended(state)) return SUSPENDED
  if (state.status === "deleting" || state.uploads.length >= RUNTIME_SERVICE_LIMITS.uploads_max) return BUSY
  return { events: [{ type: "compartment.files_queued", v: 1, upload: state.last_upload + 1, ...upload }] }
}

export const blobsIn = (state: CompartmentState): ReadonlyArray<BlobRef> =>
  isThere(state) && state.status !== "deleting" ? state.uploads.map(({ blob }) => blob) : []

/** `hash`: the hash of the link's token. */
export const decideLink = (
  state: CompartmentState,
  { by }: { readonly by: Asker },
  { hash, until, key }: { readonly hash: string; readonly until: number; readonly key: string | null }
): Decided => {
  if (!isThere(state) || state.status === "deleting" || !belongsTo(state, by)) return NO_COMPARTMENT
  const of = by.type === "agent" && key !== null ? { key } : {}
  return { events: [{ type: "compartment.link_made", v: 1, hash, until, ...of }] }
}

export const NO_LINK = { refused: notFound("link") }

/** True while a browser can still open the link. */
export const linkWaits = (state: CompartmentState, hash: string, at: number): boolean =>
  isThere(state) && state.links.some((one) => one.hash === hash && one.browser === null && at < one.until)

/** The present key and status of the agent that owns the compartment. */
export interface LinkOwner {
  /** `null` if the account is closed. */
  readonly key: string | null
  readonly moderation: string | null
}

/**
 * Opens a link for the first browser that uses it. A link that an agent made works only while the agent has the key
 * that made it.
 */
export const decideOpenLink = (
  state: CompartmentState,
  { hash, browser }: { readonly hash: string; readonly browser: string },
  { at, owner: { key, moderation } }: { readonly at: number; readonly owner: LinkOwner }
): Decided => {
  const link = isThere(state) ? state.links.find((one) => one.hash === hash) : undefined
  if (link === undefined || at >= link.until || key === null || moderation === "banned") return NO_LINK
  if (link.key !== undefined && link.key !== key) return NO_LINK
  if (link.browser === null) return { events: [{ type: "compartment.link_opened", v: 1, hash, browser }] }
  return link.browser === browser ? { events: [] } : NO_LINK
}
