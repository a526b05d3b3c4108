/**
 * Keeps track of an agent's requests that edges hold open until an owner answers. At most one is held for each purpose,
 * over all edges (spec 4.10). The record is lost with the activation, so a second request may be held after that.
 */
import type { WaitPurpose } from "../../../schemas/owner/operations.ts"

interface Holding {
  readonly token: string
  /** Unix ms after which the edge has stopped waiting or has failed. */
  readonly until: number
}

export type Holdings = Map<WaitPurpose, Holding>

export const newHeld = (): Holdings => new Map()

/** True if the request may be held. A repeated question by the same request is answered with true again. */
export const mayHold = (held: Holdings, purpose: WaitPurpose, wanted: Holding, now: number): boolean => {
  const known = held.get(purpose)
  if (known !== undefined && known.token !== wanted.token && known.until > now) return false
  held.set(purpose, wanted)
  return true
}

export const releaseHolding = (held: Holdings, purpose: WaitPurpose, token: string): void => {
  if (held.get(purpose)?.token === token) held.delete(purpose)
}
