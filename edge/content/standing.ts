/** Shows writers their own content if the read models do not have it yet. */
import { Effect } from "effect"
import type { Caller } from "../../schemas/content/author.ts"
import { unavailable } from "../../schemas/errors.ts"
import type { VoteTarget } from "../../schemas/vote/records.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"

/** The same request finds it later, also under the same Idempotency-Key. */
export const notVisibleYet = refuse(
  unavailable("The service does not show this yet. It is safe to send the same request again.")
)

export interface Standing {
  readonly noun: VoteTarget
  readonly id: number
  readonly by: Caller
}

/** Refused as `not_found` only if the actor says so. Content that the read models lack may just be too new for them. */
export const standing = <A>(
  bus: Bus,
  call: Call,
  { noun, id, by }: Standing,
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
