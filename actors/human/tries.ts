/**
 * Limits the tries of a password for one address, whether it has an account or not (spec 8). A try is counted before
 * the password is checked, so that many tries at the same time cannot exceed the limit. The try of a right password
 * is returned afterwards.
 */
import { Clock, Effect } from "effect"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { bucketActor } from "../../schemas/limit/bucket.ts"
import type { Limits } from "../../schemas/limits.ts"
import { Actors, type Asking } from "../engine/services.ts"

const BUCKET = "login_failures"
const GIVEN_BACK_WITHIN_MS = 5_000

/** Tries at the console are counted separately, so that guesses at the public pages cannot lock operators out. */
const counted = (address: string, isConsole: boolean): string =>
  bucketActor(BUCKET, isConsole ? `console-${address}` : address, false)

/** `address`: the keyed hash of the address. */
export const tryOf = (
  asking: Asking,
  address: string,
  { limits }: Limits,
  isConsole = false
): Effect.Effect<void, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const input = { bucket: BUCKET, wanted: 1 }
    const drawn = yield* actors.ask(asking, "limit.draw", counted(address, isConsole), input)
    if (drawn.granted > 0) return
    const { requests, window_seconds } = limits.owner.login_failures
    const retryAfter = Math.max(1, Math.ceil((drawn.resets_at - (yield* Clock.currentTimeMillis)) / 1000))
    const details = { bucket: BUCKET, limit: requests, window_seconds, retry_after: retryAfter }
    const why = `Too many wrong passwords: ${requests} in ${window_seconds} seconds are allowed.`
    return yield* Effect.fail({ ...refusal("rate_limited", why, details), retryAfter })
  })

/**
 * Returns the try of a right password. If the node dies first, the try stays counted, which alone locks nobody out.
 * `id`: the same for each repetition of one login, so that its try is returned only once.
 */
export const giveBackTry = (id: string, address: string, isConsole = false): Effect.Effect<void, never, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const asking = { commandId: id, deadline: (yield* Clock.currentTimeMillis) + GIVEN_BACK_WITHIN_MS }
    const actor = counted(address, isConsole)
    yield* Effect.ignore(actors.ask(asking, "limit.give_back", actor, { bucket: BUCKET, count: 1 }))
  })
