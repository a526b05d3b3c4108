/** Repeatable randomness: a run prints its seed, and HUB_TEST_SEED repeats it. */
import { randomInt } from "node:crypto"

const SEED_MAX = 2 ** 31

export class SeededRandom {
  readonly seed: number
  #state: number

  constructor(seed: number) {
    this.seed = seed
    this.#state = seed >>> 0
  }

  /** A number from 0 (inclusive) to 1 (exclusive), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<A>(from: ReadonlyArray<A>): A {
    const found = from[this.below(from.length)]
    if (found === undefined) throw new Error("nothing to pick from")
    return found
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }

  /** Lower-case letters and digits, starting with a letter. */
  word(length: number): string {
    const letters = "abcdefghijklmnopqrstuvwxyz"
    return Array.from({ length }, (_, index) => this.pick([...(index === 0 ? letters : `${letters}0123456789`)])).join(
      ""
    )
  }
}

/** `what` names the test in the printed line with the seed. */
export function seeded(what: string): SeededRandom {
  const given = Number(process.env["HUB_TEST_SEED"])
  const seed = Number.isInteger(given) && given > 0 ? given : randomInt(1, SEED_MAX)
  console.log(`${what}: HUB_TEST_SEED=${seed}`)
  return new SeededRandom(seed)
}
