/**
 * The memory of used nonces in one process.
 *
 * Invariants
 *  - A nonce is remembered for as long as its timestamp could be accepted again.
 *  - If a nonce cannot be remembered, `add` returns `full`. No nonce is forgotten early to make room.
 */
import { BOUNDS } from "./bounds.ts"
import { HalfSipHash } from "./half-siphash.ts"
import { runtime } from "./runtime.ts"

interface Generation {
  from: number
  /** Two words for each entry. An empty place has zero in both. */
  slots: Uint32Array
  size: number
  readonly shares: Uint32Array
  latestTimestamp: number
}

const GENERATION_SECONDS = 60
const FIRST_SLOTS = 256
const SHARE_BUCKETS = 4096

/**
 * Stores used nonces as 64-bit hashes, in an open-addressing table for each minute: 11 to 22 bytes a nonce. The hash is
 * keyed by a secret of this process, so nobody can choose nonces that collide. A whole minute is forgotten at once,
 * when none of its timestamps can be accepted any more. If the clock was set back since, timestamps up to the forgotten
 * ones are refused, because their use is no longer known.
 */
export class NonceMemory {
  size = 0
  /** Nonces with timestamps up to this one may have been used and forgotten. */
  forgottenUpTo = 0
  private generations: Array<Generation> = []
  private readonly max: number
  private readonly perAgent: number
  private readonly secret = new Uint32Array(3)
  private keyed = false
  private readonly shares = new Uint32Array(SHARE_BUCKETS)
  private readonly hashed = new HalfSipHash()

  constructor(max: number) {
    this.max = max
    this.perAgent = Math.max(1, Math.floor(max * BOUNDS.nonceShare))
  }

  add(number: number, nonce: string, timestamp: number, now: number): "fresh" | "replayed" | "full" {
    this.forget(now)
    if (!this.keyed) this.drawSecret()
    const { hashed } = this
    hashed.hash(`${number}\n${nonce}`, this.secret[0] as number, this.secret[1] as number)
    for (const { slots } of this.generations)
      if (slots[this.place(slots, hashed.high, hashed.low)] !== 0) return "replayed"
    const bucket = Math.imul((number % 4294967296) ^ (this.secret[2] as number), 0x9e3779b1) >>> 20
    if (this.size >= this.max || (this.shares[bucket] as number) >= this.perAgent) return "full"
    const generation = this.generationOf(now)
    if ((generation.size + 1) * 8 > generation.slots.length * 3) this.grow(generation)
    const at = this.place(generation.slots, hashed.high, hashed.low)
    generation.slots[at] = hashed.high
    generation.slots[at + 1] = hashed.low
    generation.size++
    generation.latestTimestamp = Math.max(generation.latestTimestamp, timestamp)
    generation.shares[bucket] = (generation.shares[bucket] as number) + 1
    this.shares[bucket] = (this.shares[bucket] as number) + 1
    this.size++
    return "fresh"
  }

  /** The secret is drawn with the first nonce, because Workers have no randomness while they start. */
  private drawSecret(): void {
    runtime.crypto?.getRandomValues(this.secret)
    this.keyed = true
  }

  forget(now: number): void {
    const keep: Array<Generation> = []
    for (const generation of this.generations) {
      // The clock was set back since this minute began. It is kept for the full time from now on.
      if (generation.from > now) generation.from = now
      if (generation.from + GENERATION_SECONDS + BOUNDS.nonceMemorySeconds > now) keep.push(generation)
      else this.drop(generation, now)
    }
    if (keep.length !== this.generations.length) this.generations = keep
  }

  private drop(generation: Generation, now: number): void {
    this.size -= generation.size
    for (let bucket = 0; bucket < SHARE_BUCKETS; bucket++) {
      this.shares[bucket] = (this.shares[bucket] as number) - (generation.shares[bucket] as number)
    }
    // Later timestamps come from a clock that was ahead. Refusing timestamps up to those would refuse all requests.
    if (generation.latestTimestamp <= now + BOUNDS.windowSeconds) {
      this.forgottenUpTo = Math.max(this.forgottenUpTo, generation.latestTimestamp)
    }
  }

  private generationOf(now: number): Generation {
    const from = now - (now % GENERATION_SECONDS)
    const known = this.generations.find((generation) => generation.from === from)
    if (known !== undefined) return known
    const fresh: Generation = {
      from,
      slots: new Uint32Array(FIRST_SLOTS * 2),
      size: 0,
      shares: new Uint32Array(SHARE_BUCKETS),
      latestTimestamp: 0
    }
    this.generations.unshift(fresh)
    return fresh
  }

  /** The index of the hash, or of the empty place for it. */
  private place(slots: Uint32Array, high: number, low: number): number {
    const mask = slots.length / 2 - 1
    for (let index = low & mask; ; index = (index + 1) & mask) {
      const at = index * 2
      if (slots[at] === 0 || (slots[at] === high && slots[at + 1] === low)) return at
    }
  }

  private grow(generation: Generation): void {
    const { slots } = generation
    const bigger = new Uint32Array(slots.length * 2)
    for (let at = 0; at < slots.length; at += 2) {
      const [high, low] = [slots[at] as number, slots[at + 1] as number]
      if (high === 0) continue
      const place = this.place(bigger, high, low)
      bigger[place] = high
      bigger[place + 1] = low
    }
    generation.slots = bigger
  }
}
