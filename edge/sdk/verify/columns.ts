/** Stores agents in columns: about a hundred bytes for each agent, and no object. */
import { PUBLIC_KEY_BYTES } from "../../../schemas/signing/ed25519.ts"

/**
 * The forms in which an address is stored: absent, whole, or as a known prefix followed by the handle or the number.
 */
export const URL_NONE = 0
export const URL_WHOLE = 1
export const URL_PREFIXED = 2

export interface Columns {
  numbers: Float64Array
  /** Positions in the order of the agents' numbers; `null` if the rows are in that order already. */
  order: Uint32Array | null
  /** Status and moderation in two bits each, and the number of retired keys in the rest. */
  states: Uint8Array
  /** Trust and reputation, alternating. */
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

/** Returns the array if it has room for `needed`, and otherwise a copy at least twice as large. */
export const grown = <A extends Uint8Array | Uint32Array | Float64Array>(array: A, needed: number): A => {
  if (needed <= array.length) return array
  const bigger = new (array.constructor as new (length: number) => A)(Math.max(needed, array.length * 2))
  bigger.set(array)
  return bigger
}
