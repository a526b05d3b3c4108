/**
 * Time for code that does not run as an Effect: synchronous classes, callbacks of libraries, promises. Effects use
 * `Clock` and `Effect.sleep` instead.
 *
 * Every node takes its clock once, from the context of the Effect that opens it, and passes it on. Two kinds of time:
 *  - wall time (`wallMs`) is Unix time. It can jump. Use it for times that are stored, compared with others' times, or
 *    that expire at a date.
 *  - monotonic time (`monotonicMs`) has no origin and never goes back. It is for durations, beats and caches.
 */
import { Clock, Context, Effect, Fiber } from "effect"

/** Cancels a timer. Calling it again, or after the timer has fired, does nothing. */
export type Cancel = () => void

/** With `unref` the timer does not keep the process alive. */
export type Hold = "ref" | "unref"

/** The method by which a clock sets timers without a fiber. */
export const setTimer: unique symbol = Symbol("hub/setTimer")

/** A clock with its own timers, such as one that a test moves. */
export interface TimerClock extends Clock.Clock {
  readonly [setTimer]: (ms: number, act: () => void, hold: Hold) => Cancel
}

/** The machine's clock, for programs that are not nodes. A node is given its clock. */
export const machineClock: Clock.Clock = Context.get(Context.empty(), Clock.Clock)

/** Wall time in Unix milliseconds. */
export const wallMs = (clock: Clock.Clock): number => clock.currentTimeMillisUnsafe()

/** Wall time in whole Unix seconds. */
export const wallSeconds = (clock: Clock.Clock): number => Math.floor(wallMs(clock) / 1000)

/** Monotonic time in milliseconds, with fractions. */
export const monotonicMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

const isTimerClock = (clock: Clock.Clock): clock is TimerClock => setTimer in clock

const onMachine = (ms: number, act: () => void, hold: Hold): Cancel => {
  const timer = setTimeout(act, ms)
  if (hold === "unref") timer.unref()
  return () => clearTimeout(timer)
}

/** A timer on a clock that can only sleep, such as Effect's `TestClock`. It takes one fiber. */
const bySleep = (clock: Clock.Clock, ms: number, act: () => void): Cancel => {
  const fiber = Effect.runFork(
    Effect.andThen(Effect.provideService(Effect.sleep(ms), Clock.Clock, clock), Effect.sync(act))
  )
  return () => void Effect.runFork(Fiber.interrupt(fiber))
}

/** Calls `act` once, `ms` from now. On the machine's clock this is one timer of Node, without a fiber or a promise. */
export const after = (clock: Clock.Clock, ms: number, act: () => void, hold: Hold = "ref"): Cancel => {
  if (clock === machineClock) return onMachine(ms, act, hold)
  return isTimerClock(clock) ? clock[setTimer](ms, act, hold) : bySleep(clock, ms, act)
}

/** Calls `act` every `ms`, first `ms` from now. If the clock jumps over several turns, `act` is called once. */
export const every = (clock: Clock.Clock, ms: number, act: () => void, hold: Hold = "ref"): Cancel => {
  if (clock === machineClock) {
    const timer = setInterval(act, ms)
    if (hold === "unref") timer.unref()
    return () => clearInterval(timer)
  }
  let cancel: Cancel = () => undefined
  const turn = (): void => {
    cancel = after(clock, ms, turn, hold)
    act()
  }
  cancel = after(clock, ms, turn, hold)
  return () => cancel()
}

export const delay = (clock: Clock.Clock, ms: number, hold: Hold = "ref"): Promise<void> =>
  new Promise((resolve) => void after(clock, ms, resolve, hold))
