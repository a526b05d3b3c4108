/**
 * Used nonces in memory: 64 bits of a hash of key and nonce, and 32 bits that name the request that used it, in one
 * open-addressing table for each minute. A nonce takes 24 to 48 bytes, there are no objects, and a whole minute is
 * forgotten in one step.
 *
 * Two different nonces share a 64-bit hash about once in 10^13 checks at a million nonces. The later one is then
 * refused, and its client signs again with a fresh nonce. The hash includes the key, so nobody can cause that for
 * another agent's key.
 */
import { hash } from "node:crypto"

const GENERATION_MS = 60_000
const FIRST_CAPACITY = 1024

interface Generation {
  readonly from: number
  /** Three words for each entry: two of the hash, one of the request. A hash of zero marks an empty place. */
  slots: Uint32Array
  size: number
}

export interface NonceMark {
  readonly high: number
  readonly low: number
  readonly request: number
}

export const markOf = (key: string, nonce: string, requestId: string): NonceMark => {
  const digest = hash("sha256", `${key}\n${nonce}`, "buffer")
  return {
    // Zero marks an empty place.
    high: digest.readUInt32LE(0) | 1,
    low: digest.readUInt32LE(4),
    request: fingerprint(requestId)
  }
}

/** FNV-1a. It is enough, because request ids are random and made by the edge, so nobody can choose them to collide. */
const fingerprint = (text: string): number => {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value >>> 0
}

export class NonceTable {
  private generations: Array<Generation> = []
  private readonly keepMs: number

  constructor(keepMs: number) {
    this.keepMs = keepMs
  }

  /** The request that used the nonce, or `null`. */
  usedBy(mark: NonceMark): number | null {
    for (const generation of this.generations) {
      const at = place(generation.slots, mark)
      if (generation.slots[at] !== 0) return generation.slots[at + 2] ?? 0
    }
    return null
  }

  add(mark: NonceMark, at: number): void {
    this.forget(at)
    const generation = this.generationOf(at)
    if ((generation.size + 1) * 2 > generation.slots.length / 3) grow(generation)
    const slot = place(generation.slots, mark)
    if (generation.slots[slot] !== 0) return
    generation.slots[slot] = mark.high
    generation.slots[slot + 1] = mark.low
    generation.slots[slot + 2] = mark.request
    generation.size++
  }

  get size(): number {
    return this.generations.reduce((sum, generation) => sum + generation.size, 0)
  }

  private generationOf(at: number): Generation {
    const from = Math.floor(at / GENERATION_MS) * GENERATION_MS
    const known = this.generations.find((generation) => generation.from === from)
    if (known !== undefined) return known
    const fresh: Generation = { from, slots: new Uint32Array(FIRST_CAPACITY * 3), size: 0 }
    this.generations.unshift(fresh)
    return fresh
  }

  private forget(now: number): void {
    const oldest = now - this.keepMs - GENERATION_MS
    if (this.generations.some((generation) => generation.from < oldest)) {
      this.generations = this.generations.filter((generation) => generation.from >= oldest)
    }
  }
}

/** The place of a nonce, or the empty place where it would be stored. */
const place = (slots: Uint32Array, mark: NonceMark): number => {
  const capacity = slots.length / 3
  let index = mark.low & (capacity - 1)
  for (;;) {
    const at = index * 3
    const high = slots[at]
    if (high === 0 || (high === mark.high >>> 0 && slots[at + 1] === mark.low)) return at
    index = (index + 1) & (capacity - 1)
  }
}

const grow = (generation: Generation): void => {
  const bigger = new Uint32Array(generation.slots.length * 2)
  for (let at = 0; at < generation.slots.length; at += 3) {
    const high = generation.slots[at] ?? 0
    if (high === 0) continue
    const slot = place(bigger, { high, low: generation.slots[at + 1] ?? 0, request: 0 })
    bigger[slot] = high
    bigger[slot + 1] = generation.slots[at + 1] ?? 0
    bigger[slot + 2] = generation.slots[at + 2] ?? 0
  }
  generation.slots = bigger
}
