/**
 * Timeouts that all have the same length, for work that may begin at any time. They end in the order in which they
 * began, so one fiber watches all of them. A race with a clock (`Effect.timeout`) would cost two fibers each.
 */
import { Clock, Effect, Latch, type Scope } from "effect"

const NANOS_A_MS = 1_000_000

export class Deadlines {
  private readonly spanMs: number
  private readonly clock: Clock.Clock
  /** The monotonic time (ms) of each action. */
  private readonly ends = new Map<() => void, number>()
  private readonly some = Latch.makeUnsafe()

  private constructor(spanMs: number, clock: Clock.Clock) {
    this.spanMs = spanMs
    this.clock = clock
  }

  static make(spanMs: number): Effect.Effect<Deadlines, never, Scope.Scope> {
    return Effect.gen(function* () {
      const deadlines = new Deadlines(spanMs, yield* Clock.Clock)
      yield* Effect.forkScoped(Effect.forever(deadlines.watch()))
      return deadlines
    })
  }

  /** Monotonic time in ms. */
  now(): number {
    return Number(this.clock.monotonicTimeNanosUnsafe()) / NANOS_A_MS
  }

  set(over: () => void): void {
    this.ends.set(over, this.now() + this.spanMs)
    this.some.openUnsafe()
  }

  clear(over: () => void): void {
    this.ends.delete(over)
  }

  private watch(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      yield* this.some.await
      const [first] = this.ends.values()
      if (first === undefined) return void this.some.closeUnsafe()
      // The first timeout may have been cleared by then, so another one may be the first.
      yield* Effect.sleep(Math.max(0, Math.ceil(first - this.now())))
      for (const [over, end] of this.ends) {
        if (end > this.now()) return
        this.ends.delete(over)
        over()
      }
    })
  }
}
