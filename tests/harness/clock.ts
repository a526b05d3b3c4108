/**
 * Clocks that a test moves forward. `movableClock` is for running systems: real time passes too, because sockets and
 * servers are real. `standingClock` is for single parts of the product: its time stands still between two moves.
 *
 * The process's own timers are not replaced: other systems in it use them, and their timers would never fire again.
 *
 * A move is a jump: the clock shows the new time at once, and every timer that is due by then fires, the earliest
 * first. A timer that is set by one of them counts from the new time.
 */
import { Clock, Duration, Effect } from "effect"
import { type Cancel, type Hold, machineClock, setTimer, type TimerClock } from "../../schemas/runtime/clock.ts"

export interface MovableClock extends TimerClock {
  /** Wall time in Unix milliseconds. */
  readonly now: () => number
  /** Moves wall and monotonic time forward. */
  readonly move: (ms: number) => void
  /** Moves by `stepMs` again and again until the promise settles. */
  readonly passing: <A>(act: Promise<A>, stepMs?: number) => Promise<A>
  /** The milliseconds that each set timer has left, ascending. */
  readonly waits: () => ReadonlyArray<number>
}

interface Timer {
  /** The time at which the timer fires, in milliseconds of the moved monotonic clock. */
  readonly due: number
  readonly act: () => void
  readonly hold: Hold
  real: NodeJS.Timeout | undefined
}

const NANOS_PER_MS = 1e6
/** The default step of `passing`. */
const STEP_MS = 1000
const PAUSE_MS = 50
/** Node fires a timer with a longer delay at once. */
const REAL_TIMER_MAX_MS = 2 ** 31 - 1

const WHOLE_MS = 1_000_000n

/**
 * A clock that stands still at the machine's present time. Its times are whole milliseconds: with fractions, a time plus
 * a wait may be a little later than the same time moved by the wait, and its timer would never fire.
 */
const stopped = () => {
  const whole = (nanos: bigint): bigint => nanos - (nanos % WHOLE_MS)
  const [ms, nanos, monotonic] = [
    machineClock.currentTimeMillisUnsafe(),
    whole(machineClock.currentTimeNanosUnsafe()),
    whole(machineClock.monotonicTimeNanosUnsafe())
  ]
  return {
    currentTimeMillisUnsafe: () => ms,
    currentTimeNanosUnsafe: () => nanos,
    monotonicTimeNanosUnsafe: () => monotonic
  }
}

class Movable implements MovableClock {
  #movedMs = 0
  readonly #timers = new Set<Timer>()
  /** The clock without any moves. */
  readonly #base: Pick<Clock.Clock, "currentTimeMillisUnsafe" | "currentTimeNanosUnsafe" | "monotonicTimeNanosUnsafe">
  readonly #stands: boolean

  constructor(stands: boolean) {
    this.#stands = stands
    this.#base = stands ? stopped() : machineClock
  }

  get #movedNanos(): bigint {
    return BigInt(Math.round(this.#movedMs * NANOS_PER_MS))
  }

  get #monotonicMs(): number {
    return Number(this.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
  }

  readonly now = (): number => this.currentTimeMillisUnsafe()

  readonly move = (ms: number): void => {
    if (!(ms >= 0)) throw new RangeError(`a clock moves forward, not by ${ms} ms`)
    this.#movedMs += ms
    const now = this.#monotonicMs
    const due = [...this.#timers].filter((timer) => timer.due <= now).toSorted((one, other) => one.due - other.due)
    for (const timer of this.#timers) if (timer.due > now) this.#arm(timer)
    // A timer may have been removed by one that fired before it.
    for (const timer of due) if (this.#timers.has(timer)) this.#fire(timer)
  }

  readonly passing = async <A>(act: Promise<A>, stepMs = STEP_MS): Promise<A> => {
    const moving = setInterval(() => this.move(stepMs), PAUSE_MS)
    try {
      return await act
    } finally {
      clearInterval(moving)
    }
  }

  readonly waits = (): ReadonlyArray<number> => {
    const now = this.#monotonicMs
    return [...this.#timers].map(({ due }) => Math.round(due - now)).toSorted((one, other) => one - other)
  }

  currentTimeMillisUnsafe(): number {
    return this.#base.currentTimeMillisUnsafe() + this.#movedMs
  }

  currentTimeNanosUnsafe(): bigint {
    return this.#base.currentTimeNanosUnsafe() + this.#movedNanos
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.#base.monotonicTimeNanosUnsafe() + this.#movedNanos
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const ms = Duration.toMillis(duration)
    if (ms <= 0) return Effect.yieldNow
    if (!Number.isFinite(ms)) return Effect.never
    return Effect.callback((resume) => {
      const cancel = this[setTimer](ms, () => resume(Effect.void), "ref")
      return Effect.sync(cancel)
    })
  }

  [setTimer](ms: number, act: () => void, hold: Hold): Cancel {
    const timer: Timer = { due: this.#monotonicMs + ms, act, hold, real: undefined }
    this.#timers.add(timer)
    this.#arm(timer)
    return () => this.#forget(timer)
  }

  #arm(timer: Timer): void {
    clearTimeout(timer.real)
    if (this.#stands) return
    const left = timer.due - this.#monotonicMs
    timer.real = setTimeout(
      () => (left > REAL_TIMER_MAX_MS ? this.#arm(timer) : this.#fire(timer)),
      Math.min(Math.max(0, left), REAL_TIMER_MAX_MS)
    )
    if (timer.hold === "unref") timer.real.unref()
  }

  /** Milliseconds until the next timer is due; infinite if there is none. */
  protected get untilNext(): number {
    return Math.min(...[...this.#timers].map(({ due }) => due - this.#monotonicMs))
  }

  #fire(timer: Timer): void {
    this.#forget(timer)
    timer.act()
  }

  #forget(timer: Timer): void {
    clearTimeout(timer.real)
    this.#timers.delete(timer)
  }
}

export const movableClock = (): MovableClock => new Movable(false)

export interface StandingClock extends MovableClock {
  /**
   * Moves through every timer that is due by then, in order. The work that a timer starts runs before the next timer
   * fires.
   */
  readonly pass: (ms: number) => Promise<void>
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

class Standing extends Movable implements StandingClock {
  constructor() {
    super(true)
  }

  readonly pass = async (ms: number): Promise<void> => {
    let left = ms
    for (;;) {
      await turn()
      const step = Math.min(left, Math.max(0, this.untilNext))
      this.move(step)
      left -= step
      if (left <= 0) return turn()
    }
  }
}

export const standingClock = (): StandingClock => new Standing()

/** Runs an effect with this clock. */
export const onClock = (clock: Clock.Clock): (<A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  Effect.provideService(Clock.Clock, clock)
