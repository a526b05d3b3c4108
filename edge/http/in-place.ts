/** Work of which an edge does a limited number at a time. */
import { Effect, type Semaphore } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import type { Call } from "./call.ts"
import { type Refused, refuse } from "./refused.ts"

/**
 * Runs `run` with one place. If none is free before the request's deadline, it fails with `tooMany`, because the client
 * no longer waits after that.
 */
export const inPlace = <A>(
  { clock, deadline }: Pick<Call, "clock" | "deadline">,
  places: Semaphore.Semaphore,
  tooMany: Refusal,
  run: Effect.Effect<A, Refused>
): Effect.Effect<A, Refused> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const inTime = Effect.timeoutOrElse(places.take(1), {
        duration: Math.max(0, deadline - wallMs(clock)),
        orElse: () => Effect.fail(refuse(tooMany))
      })
      return Effect.andThen(restore(inTime), Effect.ensuring(restore(run), places.release(1)))
    })
  )
