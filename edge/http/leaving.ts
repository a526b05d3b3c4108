/**
 * Lets a stopping edge send its clients elsewhere before it closes its port.
 *
 *  1. It reports that it is not ready (`/ready`), and still serves for as long as a balancer needs to notice that.
 *  2. Then it serves until no client connects any more. When the listener closes, a connection that waits in its queue
 *     is reset, with its request. On a machine too busy for its balancer to notice in time, many wait there at once.
 *  3. Clients that connect without a balancer delay the end at most until three times the first period has passed.
 */
import { Effect, type Scope } from "effect"

const LOOK_MS = 100
/**
 * The number of checks in a row without a new connection. They are counted and not timed: between two checks the
 * process accepts waiting connections, even after a pause of the whole process.
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

  /** Called for each new connection. */
  met(): void {
    this.connections++
  }

  /** Adds a finalizer that gives balancers time to turn away. It must run before all other finalizers of the scope. */
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
