/** One thing at a time for each name, in the order in which they were put in line. */
import { Deferred, Effect } from "effect"

export class Turns {
  /** The last that is in line or under way. */
  private readonly last = new Map<string, Deferred.Deferred<void>>()

  /** In line from now on. If the one before it fails, its turn never comes: the failing one ends them all. */
  inTurn<A, E>(name: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    const before = this.last.get(name)
    const own = Deferred.makeUnsafe<void>()
    this.last.set(name, own)
    const ended = Effect.suspend(() => {
      if (this.last.get(name) === own) this.last.delete(name)
      return Deferred.succeed(own, undefined)
    })
    return Effect.tap(before === undefined ? work : Effect.andThen(Deferred.await(before), work), () => ended)
  }
}
