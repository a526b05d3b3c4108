/**
 * Removes the stored parts of messages that were not received. After some failures it is unknown for a while whether a
 * message was received.
 *
 * Invariants
 *  - Parts of a message that may have been received are never removed. The log is read only when no commit of it can
 *    follow any more.
 *  - At most `doubts_max` messages wait for this check, and only while the process lives. The parts of all others are
 *    deleted when their time to live ends.
 */
import { Effect, FiberSet, Schedule, type Scope } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import type { MailStore, Place } from "./store.ts"

export interface UnconfirmedParts {
  readonly ask: Asking
  readonly store: Pick<MailStore, "forget">
  readonly bounds: Pick<Limits["service"]["mail"], "doubt_ms" | "doubts_max" | "doubt_looks_max">
}

export const unconfirmedMails = ({
  ask,
  store,
  bounds: { doubt_ms, doubts_max, doubt_looks_max }
}: UnconfirmedParts): Effect.Effect<(place: Place) => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = yield* FiberSet.make()
    const run = yield* FiberSet.runtime(waiting)()
    const looked = (place: Place): Effect.Effect<void, Refusal> =>
      Effect.flatMap(ask(`there-${place.mail}`, "mail.there", String(place.mail), null), (isThere) =>
        isThere ? Effect.void : Effect.ignore(Effect.tryPromise(() => store.forget(place)))
      )
    let count = 0
    return (place) => {
      if (count >= doubts_max) return
      count += 1
      const again = Effect.retry(looked(place), { schedule: Schedule.spaced(doubt_ms), times: doubt_looks_max - 1 })
      const over = Effect.sync(() => void (count -= 1))
      run(Effect.ensuring(Effect.ignore(Effect.delay(again, doubt_ms)), over))
    }
  })
