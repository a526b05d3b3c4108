/**
 * The order in which one keeper serves its askers.
 *
 * Invariants
 *  - Tokens of one place are issued one after another. So they are answered in the order in which they are admitted,
 *    and the token that is answered last works.
 *  - A query without an answer is tried again (schemas/runtime/bus/queries.ts), and a frozen process finds all of its
 *    tries at once. They share one run. The first answer reaches the asker, so after a refusal no other try may act.
 */
import { type Clock, Effect } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { after, wallMs } from "../../../schemas/runtime/clock.ts"

export const LATE = unavailable("The request took too long. It is safe to try again.")

export const TOO_MANY: Refusal = {
  code: "overloaded",
  message: "Too many requests for tokens of this place wait. Try again in a little while.",
  retryAfter: 2
}

/** The most requests of one place that wait. */
export const WAITING_MAX = 16
/** The most refusals that are remembered. The oldest one is forgotten first. */
const REFUSALS_MAX = 1000

export class Turns {
  private readonly clock: Clock.Clock
  /** The requests that wait, in order, for each place at which one runs. */
  private readonly waiting = new Map<string, Set<() => void>>()

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /**
   * Runs `act` after all earlier ones of the place. Fails with `LATE` if its turn has not come at `by` (Unix ms), and
   * with `TOO_MANY` if too many wait. `act` is then not begun.
   */
  take<A>(place: string, by: number, act: Effect.Effect<A, Refusal>): Effect.Effect<A, Refusal> {
    return Effect.acquireUseRelease(
      this.turn(place, by),
      () => act,
      () => Effect.sync(() => this.next(place))
    )
  }

  private turn(place: string, by: number): Effect.Effect<void, Refusal> {
    return Effect.callback<void, Refusal>((resume) => {
      const waiting = this.waiting.get(place)
      if (waiting === undefined) {
        this.waiting.set(place, new Set())
        return resume(Effect.void)
      }
      if (waiting.size >= WAITING_MAX) return resume(Effect.fail(TOO_MANY))
      const begin = (): void => {
        cancel()
        resume(Effect.void)
      }
      waiting.add(begin)
      const cancel = after(this.clock, Math.max(0, by - wallMs(this.clock)), () => {
        waiting.delete(begin)
        resume(Effect.fail(LATE))
      })
    })
  }

  private next(place: string): void {
    const waiting = this.waiting.get(place)
    const [first] = waiting ?? []
    if (first === undefined) {
      this.waiting.delete(place)
      return
    }
    waiting?.delete(first)
    first()
  }
}

export class Tries {
  private readonly underWay = new Map<string, Promise<unknown>>()
  private readonly refused = new Map<string, unknown>()

  /**
   * Runs `act`, or resolves as the run under the same `query` does. After `act` has rejected, all further tries reject
   * with the same error. After it has resolved, a further try runs again.
   */
  run<A>(query: string, act: () => Promise<A>): Promise<A> {
    if (this.refused.has(query)) return Promise.reject(this.refused.get(query))
    const known = this.underWay.get(query)
    if (known !== undefined) return known as Promise<A>
    const begun = act().then(
      (answer) => {
        this.underWay.delete(query)
        return answer
      },
      (error: unknown) => {
        this.underWay.delete(query)
        this.refused.set(query, error)
        const [oldest] = this.refused.keys()
        if (this.refused.size > REFUSALS_MAX && oldest !== undefined) this.refused.delete(oldest)
        throw error
      }
    )
    this.underWay.set(query, begun)
    return begun
  }
}
