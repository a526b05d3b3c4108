/**
 * Stores the first answer to each request with an Idempotency-Key (contract 13, 21) by signing key, method, path and
 * Idempotency-Key. actors/idempotency/first-answers.ts is the storage.
 *
 * Invariants
 *  - A retired signing key is refused with `key_retired`, even for its own earlier answers, because their content may
 *    be private to the current key. The only exception is an exact repeat of the rotation that retired it.
 *  - If a signing key has no agent, only the answer to a successful registration is stored. Keys cost nothing, so
 *    stored refusals would let anybody displace the answers of others. A repeated registration is the same command, and
 *    its challenge remembers the answer.
 */
import { Effect } from "effect"
import {
  type IdempotencyBegin,
  type IdempotencyBeginning,
  type IdempotencyEntry,
  type IdempotencyFinish,
  idempotencyOperations as declared
} from "../../../schemas/idempotency/operations.ts"
import type { Owner } from "../../../schemas/idempotency/share.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import { custom, type PrepareContext } from "../../engine/definition.ts"
import { firstAnswers, firstAnswerReply } from "../../idempotency/noun.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { Sealer } from "../../log/seal.ts"
import { reporterWeight } from "../moderation/record.ts"
import type { AgentMemory } from "../memory.ts"
import type { AgentActor, AgentState } from "../state.ts"
import { statusRefusal } from "../decide.ts"
import { isRetired } from "./signer.ts"

/**
 * The refusal by the agent's status. The gate does not know whether a request with an Idempotency-Key is new. An agent
 * that is suspended now still gets the answers to what it did before.
 */
const closedTo = (state: AgentState, { closed }: IdempotencyBeginning): Refusal | null => {
  if (state === null || closed === undefined) return null
  // A deletion may come again whose answer was lost.
  return closed || state.status !== "deleted" ? statusRefusal(state, closed) : null
}

/** The HTTP status of the answer to a successful rotation, and to a successful registration. */
const ROTATED = 200
const REGISTERED = 201

type Parts = Pick<KindParts, "clock" | "nats" | "seed"> & { readonly config: Pick<KindParts["config"], "limits"> }

export const operations = ({ clock, nats, seed, config }: Parts): Operating<typeof declared, AgentActor> => {
  const answers = firstAnswers({ clock, nats, limits: config.limits, sealer: new Sealer(seed) })
  const { limits, moderation } = config.limits

  const sortOf = (state: AgentState, at: number): Owner | null => {
    if (state === null) return null
    return reporterWeight(state, at, moderation) === "none" ? "new_agent" : "established"
  }

  /**
   * Begins a request of a retired key. It is not counted among the requests in progress, because it can only get the
   * answer of its own rotation.
   */
  const beginRetired = (input: IdempotencyEntry, agent: string): Effect.Effect<IdempotencyBegin, Refusal> =>
    Effect.map(answers.keptOf(agent, input.key), (first) =>
      first?.status === ROTATED && first.body === input.body ? firstAnswerReply(first, input) : { state: "new" }
    )

  const ttlOf = (
    state: AgentState,
    { signer, status }: IdempotencyFinish,
    { by }: PrepareContext<AgentMemory>
  ): number | null => {
    if (state === null) return signer === "candidate" && status === REGISTERED ? limits.idempotency_ttl_seconds : null
    return status === ROTATED || !isRetired(state, by) ? limits.idempotency_ttl_seconds : null
  }

  return {
    "idempotency.begin": custom((state, input, context) =>
      isRetired(state, context.by)
        ? beginRetired(input, context.id)
        : answers.begin(input, context, sortOf(state, context.at), closedTo(state, input))
    ),
    "idempotency.finish": custom((state, input, context) =>
      answers.finish(input, context, ttlOf(state, input, context), sortOf(state, context.at))
    )
  }
}
