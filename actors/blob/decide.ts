/** Decisions on a blob. Pure. */
import { unavailable } from "../../schemas/errors.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import { type Decision, firing, type Timer } from "../engine/definition.ts"
import type { BlobEvent, BlobState } from "./state.ts"

export const COLLECT_TIMER = "collect"
export const PURGE_TIMER = "purge"

const NOTHING: Decision<BlobEvent> = { events: [] }

export const isStanding = (state: BlobState): state is NonNullable<BlobState> =>
  state !== null && state.through === null

export const collectAt = (sha256: string, at: number): Timer => ({
  name: COLLECT_TIMER,
  at,
  of: { kind: "blob", id: sha256 }
})

/** Decides on an upload that is about to begin. The caller has purged the blob if it was condemned. */
export const decideExpect = (
  state: BlobState,
  { size }: { readonly size: number },
  { id, at }: { readonly id: string; readonly at: number },
  graceMs: number
): Decision<BlobEvent> => {
  // A blob with references is kept for the grace period after the last one is removed. An expected blob with half of
  // the grace period left is not extended.
  if (isStanding(state) && (state.names > 0 || state.until - at >= graceMs / 2)) return NOTHING
  const until = at + graceMs
  const gone: ReadonlyArray<BlobEvent> =
    state === null || state.through === null ? [] : [{ type: "blob.collected", v: 1 }]
  return {
    events: [...gone, { type: "blob.expected", v: 1, size, names: 0, until }],
    timers: [collectAt(id, until)]
  }
}

/**
 * Compares a fired timer with the time at which the blob is to be deleted. `another`: a record refers to the blob
 * again, or the time was changed.
 */
export const collecting = (state: BlobState, fired: FiredTimer, at: number): "due" | "early" | "another" =>
  isStanding(state) && state.names === 0 ? firing(fired, state.until, at) : "another"

/** `facts`: the last sequence of the stream of pieces. */
export const decideCollect = (
  state: BlobState,
  fired: FiredTimer,
  { id, at, facts }: { readonly id: string; readonly at: number; readonly facts: number }
): Decision<BlobEvent> => {
  const now = collecting(state, fired, at)
  if (now === "early") return { refused: unavailable("The blob is not due yet by this node's clock.") }
  if (now !== "due" || state === null) return NOTHING
  return {
    events: [{ type: "blob.condemned", v: 1, size: state.size, through: facts }],
    timers: [{ name: PURGE_TIMER, at, of: { kind: "blob", id } }]
  }
}

/** Decides after the blob's pieces were purged. */
export const decidePurge = (state: BlobState): Decision<BlobEvent> =>
  state === null || state.through === null ? NOTHING : { events: [{ type: "blob.collected", v: 1 }] }
