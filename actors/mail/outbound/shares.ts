/**
 * Limits concurrent attempts in one process, in all and for each share, such as a sender or a destination domain.
 *
 * Invariants
 *  - There are never more attempts than places. None begins beyond the share of its sender or domain.
 *  - An attempt that waits for its share is overtaken by others. Attempts of one sender to one domain keep their order.
 *  - If too many attempts of a sender or a domain wait already, further ones are refused.
 */
import { Effect, Latch } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"

/** The limits of a sender or a domain. `atOnce`: attempts under way. `held`: attempts under way and waiting. */
export interface Share {
  readonly name: string
  readonly atOnce: number
  readonly held: number
}

interface Place {
  readonly shares: ReadonlyArray<Share>
  readonly begun: Latch.Latch
  isBegun: boolean
}

const crowded = unavailable("As much of this sender, or for this domain, is under way as may be.")

export class Shares {
  private readonly atOnce: number
  /** The attempts in the order of their arrival. */
  private readonly places = new Set<Place>()

  constructor(atOnce: number) {
    this.atOnce = atOnce
  }

  /** Runs the attempt when a place is free. Fails if a share has too many attempts already. */
  using<A, E, R>(shares: ReadonlyArray<Share>, attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E | Refusal, R> {
    return Effect.suspend((): Effect.Effect<A, E | Refusal, R> => {
      if (shares.some((share) => this.count(share, () => true) >= share.held)) return Effect.fail(crowded)
      const place: Place = { shares, begun: Latch.makeUnsafe(false), isBegun: false }
      this.places.add(place)
      this.begin()
      return Effect.ensuring(
        Effect.andThen(place.begun.await, attempt),
        Effect.sync(() => {
          this.places.delete(place)
          this.begin()
        })
      )
    })
  }

  private count({ name }: Share, which: (place: Place) => boolean): number {
    let count = 0
    for (const place of this.places) if (which(place) && place.shares.some((one) => one.name === name)) count++
    return count
  }

  private begin(): void {
    const isBegun = (place: Place): boolean => place.isBegun
    let underWay = [...this.places].filter(isBegun).length
    for (const place of this.places) {
      if (underWay >= this.atOnce) return
      if (place.isBegun || place.shares.some((share) => this.count(share, isBegun) >= share.atOnce)) continue
      place.isBegun = true
      underWay++
      place.begun.openUnsafe()
    }
  }
}
