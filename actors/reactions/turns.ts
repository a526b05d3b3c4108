/** Runs the work of each name one after the other, in the order in which it was added. */
import { Deferred, Effect } from "effect"

export class Turns {
  /** For each name, the last work that waits or is under way. */
  private readonly last = new Map<string, Deferred.Deferred<void>>()

  /**
   * Adds work to the queue immediately. If the work before it fails, it is never begun, because a failure ends the
   * whole queue.
   */
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
