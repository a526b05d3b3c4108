/**
 * First answers of an agent under an Idempotency-Key (contract 13, 21): kept per (signing key, method, path, key).
 * Storage: actors/idempotency/first-answers.ts.
 *
 * Invariants
 *  - A key that is no longer the agent's current one hears `key_retired`, its own earlier answers included: they may
 *    hold what only the key's owner may see now. The one exception is the rotation that retired it, repeated as it was.
 *  - For a key without an agent, only registration's answer is kept.
 */
import { Effect } from "effect"
import {
  type IdempotencyBegin,
  type IdempotencyEntry,
  type IdempotencyFinish,
  idempotencyOperations as declared
} from "../../../schemas/idempotency/operations.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import { custom, type PrepareContext } from "../../engine/definition.ts"
import { firstAnswers, type FirstAnswersParts, heard } from "../../idempotency/noun.ts"
import type { Operating } from "../../kit/kind.ts"
import type { AgentMemory } from "../memory.ts"
import type { AgentActor, AgentState } from "../state.ts"
import { isRetired } from "./signer.ts"

/** The status of the answer to a successful rotation. */
const ROTATED = 200
const REGISTERED = 201
/** Refusals of a registration: whoever has keys enough must not push out what others keep. */
const STRANGERS_TTL_SECONDS = 600

export const idempotencyOperations = (parts: FirstAnswersParts): Operating<typeof declared, AgentActor> => {
  const answers = firstAnswers(parts)
  const { limits } = parts.limits

  /** A retired key takes no place among what is under way: all that it can hear is how its own rotation went. */
  const beginRetired = (input: IdempotencyEntry, agent: string): Effect.Effect<IdempotencyBegin, Refusal> =>
    Effect.map(answers.keptOf(agent, input.key), (first) =>
      first?.status === ROTATED && first.body === input.body ? heard(first, input) : { state: "new" }
    )

  const ttlOf = (
    state: AgentState,
    { signer, status }: IdempotencyFinish,
    { by }: PrepareContext<AgentMemory>
  ): number | null => {
    if (state === null) {
      if (signer !== "candidate") return null
      return status === REGISTERED ? limits.idempotency_ttl_seconds : STRANGERS_TTL_SECONDS
    }
    return status === ROTATED || !isRetired(state, by) ? limits.idempotency_ttl_seconds : null
  }

  return {
    "idempotency.begin": custom((state, input, context) =>
      isRetired(state, context.by) ? beginRetired(input, context.id) : answers.begin(input, context, state !== null)
    ),
    "idempotency.finish": custom((state, input, context) =>
      answers.finish(input, context, ttlOf(state, input, context), state !== null)
    )
  }
}
