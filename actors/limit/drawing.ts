/**
 * An actor draws on a bucket that edges also draw on. It draws once for a command, even if that is prepared or sent
 * several times.
 */
import { Clock, Effect } from "effect"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { type CountedBucket, figuresOf } from "../../schemas/limit/bucket.ts"
import { homeOf } from "../../schemas/limit/home.ts"
import type { Limits } from "../../schemas/limits.ts"
import { Actors, type Asking } from "../engine/services.ts"

/** Fails if no unit is left. `value`: the identity that is counted. */
export const drawnFor = (
  asking: Asking,
  bucket: CountedBucket,
  value: string,
  limits: Limits
): Effect.Effect<void, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const drawn = yield* actors.ask(asking, "limit.draw", homeOf(bucket, value), { bucket, wanted: 1 })
    if (drawn.granted > 0) return
    const { requests, window_seconds } = figuresOf(limits, bucket)
    const retryAfter = Math.max(1, Math.ceil((drawn.resets_at - (yield* Clock.currentTimeMillis)) / 1000))
    const details = { bucket, limit: requests, window_seconds, retry_after: retryAfter }
    const why = `Too many requests: ${requests} in ${window_seconds} seconds are allowed here.`
    return yield* Effect.fail({ ...refusal("rate_limited", why, details), retryAfter })
  })

/** Returns the unit of a command that had no effect. A failure is ignored. */
export const givenBackFor = (
  asking: Asking,
  bucket: CountedBucket,
  value: string
): Effect.Effect<void, never, Actors> =>
  Effect.flatMap(Actors, (actors) =>
    Effect.ignore(actors.ask(asking, "limit.give_back", homeOf(bucket, value), { bucket, count: 1 }))
  )
