/**
 * Keeps track of an agent's requests that are held until an owner answers. One is held for each purpose, by any edge
 * (spec 4.10). The record is lost with the activation; then one more may be held while the first one still is.
 */
import type { WaitPurpose } from "../../../schemas/owner/operations.ts"

interface Holding {
  /** The request's token. */
  readonly token: string
  /** Unix ms. By then its edge has given up waiting, or is gone. */
  readonly until: number
}

export type Held = Map<WaitPurpose, Holding>

export const newHeld = (): Held => new Map()

/** True if the request may be held. Asked again by the same request, it still is. */
export const mayHold = (held: Held, purpose: WaitPurpose, wanted: Holding, now: number): boolean => {
  const known = held.get(purpose)
  if (known !== undefined && known.token !== wanted.token && known.until > now) return false
  held.set(purpose, wanted)
  return true
}

export const letGo = (held: Held, purpose: WaitPurpose, token: string): void => {
  if (held.get(purpose)?.token === token) held.delete(purpose)
}
