/**
 * Lets a stopping edge turn its callers away before it closes its port.
 *
 *  1. It says that it is not ready (`/ready`), and goes on for as long as a balancer is told to take to see that.
 *  2. Then it goes on until nobody connects any more. A connection that waits in the listener's queue as that closes is
 *     reset, with its request. On a machine too busy for its balancer to look in time, many wait there at once.
 *  3. Clients that connect all the same, without a balancer, delay it by three times that while and no longer.
 */
import { Effect, type Scope } from "effect"

const LOOK_MS = 100
/**
 * Looks in a row that see no new connection. Counted, not timed: between two of them the process has taken what came
 * meanwhile, however long it was away itself.
 */
const QUIET_LOOKS = 5
const AT_MOST = 3

export class Leaving {
  private told = false
  private connections = 0

  /** True once the edge has been asked to end. */
  get now(): boolean {
    return this.told
  }

  /** A connection came in. */
  met(): void {
    this.connections++
  }

  /** As a scope closes, before anything else of it: the time for balancers to turn away. */
  first(seconds: number): Effect.Effect<void, never, Scope.Scope> {
    return Effect.addFinalizer(() =>
      Effect.suspend(() => {
        this.told = true
        if (seconds === 0) return Effect.void
        const quiet = Effect.timeoutOption(this.untilQuiet(), (AT_MOST - 1) * seconds * 1000)
        return Effect.andThen(Effect.sleep(seconds * 1000), Effect.asVoid(quiet))
      })
    )
  }

  private untilQuiet(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      let seen = this.connections
      for (let quiet = 0; quiet < QUIET_LOOKS; quiet++) {
        yield* Effect.sleep(LOOK_MS)
        if (this.connections !== seen) quiet = -1
        seen = this.connections
      }
    })
  }
}
