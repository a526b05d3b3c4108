/** Agents in columns: about a hundred bytes an agent, and no object of its own for any of them. */
import { PUBLIC_KEY_BYTES } from "../../../schemas/signing/ed25519.ts"

/**
 * The forms in which an address is kept: absent, whole, or as a known beginning followed by the handle or the number.
 */
export const URL_NONE = 0
export const URL_WHOLE = 1
export const URL_PREFIXED = 2

export interface Columns {
  numbers: Float64Array
  /** Places in the order of their numbers; `null` if they already stand so. */
  order: Uint32Array | null
  /** Status, moderation and how many retired keys, in two bits each and the rest. */
  states: Uint8Array
  /** Trust and reputation, in turn. */
  scores: Float64Array
  keys: Uint8Array
  retired: Uint8Array
  retiredFrom: Uint32Array
  texts: Uint8Array
  textFrom: Uint32Array
  prefixes: Array<string>
}

export const columnsFor = (agents: number, retiredKeys: number, textBytes: number): Columns => ({
  numbers: new Float64Array(agents),
  order: null,
  states: new Uint8Array(agents),
  scores: new Float64Array(agents * 2),
  keys: new Uint8Array(agents * PUBLIC_KEY_BYTES),
  retired: new Uint8Array(retiredKeys * PUBLIC_KEY_BYTES),
  retiredFrom: new Uint32Array(agents),
  texts: new Uint8Array(textBytes),
  textFrom: new Uint32Array(agents),
  prefixes: []
})

export const keyAt = (keys: Uint8Array, at: number): Uint8Array =>
  keys.subarray(at * PUBLIC_KEY_BYTES, (at + 1) * PUBLIC_KEY_BYTES)

/** An array that grows: bytes in blocks are copied only when they double. */
export const grown = <A extends Uint8Array | Uint32Array | Float64Array>(array: A, needed: number): A => {
  if (needed <= array.length) return array
  const bigger = new (array.constructor as new (length: number) => A)(Math.max(needed, array.length * 2))
  bigger.set(array)
  return bigger
}
