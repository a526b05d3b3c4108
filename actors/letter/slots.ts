/**
 * Attempts that a node may have under way, each in a slot of its own.
 *
 * Invariants
 *  - There are never more than there are slots. A letter that finds none waits in the schedule of timers, where it
 *    stands in nobody's way.
 *  - Letters to one domain hold half of the slots at most: a server that never answers keeps no other letter waiting.
 *  - A slot is reserved before an attempt is committed, for a while: a commit that fails leaves nothing behind.
 *  - As the node ends no slot is given any more, and those that are taken are waited for.
 */
import { Effect, Latch } from "effect"

export class Slots {
  private readonly max: number
  private readonly now: () => number
  /** By letter: until when it is reserved, in monotonic ms; `Infinity` while the attempt is made. */
  private readonly taken = new Map<string, number>()
  /** By letter that has a slot: where it goes. */
  private readonly domains = new Map<string, string>()
  private closed = false
  private readonly empty = Latch.makeUnsafe(false)

  constructor(max: number, now: () => number) {
    this.max = max
    this.now = now
  }

  /** Whether the letter has one now, for so long. */
  reserve(letter: string, forMs: number): boolean {
    const now = this.now()
    for (const [other, until] of this.taken) if (until <= now) this.free(other)
    if (this.closed || (!this.taken.has(letter) && this.taken.size >= this.max)) return false
    // Of an attempt that is still under way nothing is taken away.
    if (this.taken.get(letter) !== Number.POSITIVE_INFINITY) this.taken.set(letter, now + forMs)
    return true
  }

  /** Returns true if a letter that has a slot may hold it for this domain. */
  mayGoTo(letter: string, domain: string): boolean {
    let others = 0
    for (const [other, to] of this.domains) if (to === domain && other !== letter) others++
    if (others >= Math.max(1, Math.floor(this.max / 2))) return false
    if (this.taken.has(letter)) this.domains.set(letter, domain)
    return true
  }

  /** What was reserved, and is not needed. */
  giveBack(letter: string): void {
    if (this.taken.get(letter) !== Number.POSITIVE_INFINITY) this.free(letter)
  }

  /** With the letter's slot; without one, `otherwise`. */
  using<A, R>(letter: string, attempt: Effect.Effect<A, never, R>, otherwise: Effect.Effect<A, never, R>) {
    return Effect.suspend(() => {
      if (!this.hold(letter)) return otherwise
      return Effect.ensuring(
        attempt,
        Effect.sync(() => this.release(letter))
      )
    })
  }

  /** Resolves when nothing is under way any more, and nothing will be. */
  get ended(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.closed = true
      for (const [letter, until] of this.taken) if (until !== Number.POSITIVE_INFINITY) this.free(letter)
      if (this.taken.size === 0) this.empty.openUnsafe()
      return this.empty.await
    })
  }

  private hold(letter: string): boolean {
    if (this.taken.get(letter) === Number.POSITIVE_INFINITY || !this.reserve(letter, 0)) return false
    this.taken.set(letter, Number.POSITIVE_INFINITY)
    return true
  }

  private free(letter: string): void {
    this.taken.delete(letter)
    this.domains.delete(letter)
  }

  private release(letter: string): void {
    this.free(letter)
    if (this.closed && this.taken.size === 0) this.empty.openUnsafe()
  }
}
