/**
 * A table with a small number for each actor of a log. It takes 17 to 33 bytes for an actor, because ids are stored as
 * hashes of 64 bits. With ten million actors, two have the same hash in about one of 370,000 logs.
 */

/** The most actors of a log. The table then takes 170 MB. */
const ACTORS_MAX = 10_000_000
const SLOTS_FIRST = 4096
/** The share of used slots at which the table grows. */
const FULL = 0.6

export class TooMany extends Error {}

export class ActorTable {
  private size = 0
  private low = new Uint32Array(SLOTS_FIRST)
  private high = new Uint32Array(SLOTS_FIRST)
  private codes = new Uint16Array(SLOTS_FIRST)
  private readonly max: number

  constructor(max = ACTORS_MAX) {
    this.max = max
  }

  /**
   * Replaces the actor's number by the result of `next`, which is from 1 to 65,535. `next` gets 0 for a new actor.
   * Throws `TooMany`.
   */
  update(name: string, next: (before: number) => number): void {
    if (this.size >= this.codes.length * FULL) this.grow()
    let low = 0xdeadbeef
    let high = 0x41c6ce57
    for (let at = 0; at < name.length; at++) {
      const char = name.charCodeAt(at)
      low = Math.imul(low ^ char, 0x9e3779b1)
      high = Math.imul(high ^ char, 0x5f356495)
    }
    // Each half is mixed with the other, so that short names that differ only in the last letter get distant slots.
    low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
    high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
    const slot = this.slotOf(low >>> 0, high >>> 0)
    const before = this.codes[slot] ?? 0
    if (before === 0) {
      if (this.size >= this.max) throw new TooMany(`the log has more than ${this.max} actors`)
      this.low[slot] = low
      this.high[slot] = high
      this.size++
    }
    this.codes[slot] = next(before)
  }

  /** The slot of this hash, given as two halves, or a free slot for it. */
  private slotOf(low: number, high: number): number {
    const { codes } = this
    const last = codes.length - 1
    let slot = low & last
    while (codes[slot] !== 0 && (this.low[slot] !== low || this.high[slot] !== high)) slot = (slot + 1) & last
    return slot
  }

  private grow(): void {
    const { low, high, codes } = this
    this.low = new Uint32Array(codes.length * 2)
    this.high = new Uint32Array(codes.length * 2)
    this.codes = new Uint16Array(codes.length * 2)
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at] ?? 0
      if (code === 0) continue
      const slot = this.slotOf(low[at] ?? 0, high[at] ?? 0)
      this.low[slot] = low[at] ?? 0
      this.high[slot] = high[at] ?? 0
      this.codes[slot] = code
    }
  }
}
