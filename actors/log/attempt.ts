/** Turns promises into Effects. A rejection becomes the failure. */
import { Effect, Schedule } from "effect"

const AWAITED_AGAIN_MS = 250

export const attempt = <A>(act: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: act, catch: (error) => error })

/**
 * Repeats a step of a process's start until it succeeds, and logs each failure. The bus may be electing its leaders, or
 * the machine may be at a standstill; neither is a reason to end the process.
 */
export const awaited = <A, R>(what: string, step: Effect.Effect<A, unknown, R>): Effect.Effect<A, never, R> =>
  step.pipe(
    Effect.tapError((error) => Effect.logWarning(`waiting for ${what}`, error)),
    Effect.annotateLogs({ at: "start" }),
    Effect.retry(Schedule.spaced(AWAITED_AGAIN_MS)),
    Effect.orDie
  )
