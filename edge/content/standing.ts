/** Answers for writers whose content the read models may not have yet. */
import { Effect } from "effect"
import type { Caller } from "../../schemas/content/author.ts"
import { unavailable } from "../../schemas/errors.ts"
import type { VoteTarget } from "../../schemas/vote/records.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"

/** The same request finds the content later, even under the same Idempotency-Key. */
export const notVisibleYet = refuse(
  unavailable("The service does not show this yet. It is safe to send the same request again.")
)

export interface ContentLook {
  readonly noun: VoteTarget
  readonly id: number
  readonly by: Caller
}

/**
 * Refuses `not_found` only if the actor says so: content that is missing in the read models may be too new for them.
 */
export const standing = <A>(
  bus: Bus,
  call: Call,
  { noun, id, by }: ContentLook,
  shown: Effect.Effect<A, Refused>
): Effect.Effect<A, Refused> =>
  Effect.catchIf(
    shown,
    ({ refusal: { code } }) => code === "not_found",
    () =>
      Effect.andThen(
        bus.ask(call, { actor: String(id), op: `${noun}.stands`, input: { by } }),
        Effect.fail(notVisibleYet)
      )
  )
