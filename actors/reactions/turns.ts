/** Runs work one at a time for each name, in the order in which it was put in line. */
import { Deferred, Effect } from "effect"

export class Turns {
  /** For each name, the last work that is in line or under way. */
  private readonly last = new Map<string, Deferred.Deferred<void>>()

  /** Puts work in line at once. If the work before it fails, its turn never comes, because a failure ends them all. */
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
