import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"

/** Turns `not_found` into `null`. Other refusals stay. */
export const orNone = <A, R>(asked: Effect.Effect<A, Refusal, R>): Effect.Effect<A | null, Refusal, R> =>
  Effect.catchIf(
    asked,
    ({ code }) => code === "not_found",
    () => Effect.succeed(null)
  )
