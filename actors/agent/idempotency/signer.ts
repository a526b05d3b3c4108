/** Decides which key may store and read the stored answers to an agent's requests (contract 21). Pure. */
import type { SignedBy } from "../../../schemas/bus/frames.ts"
import type { IdempotencyEntry } from "../../../schemas/idempotency/operations.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import { keyRefusal, unknownKey } from "../decide.ts"
import type { AgentState } from "../state.ts"

/**
 * The refusal if the key may not store and read answers at this agent; `null` if it may. A retired key is allowed if
 * `signer` is `retiring`. For a retired key, `idempotency.begin` returns only the answer to the rotation that retired
 * it.
 */
export const signerRefusal = (
  agent: AgentState,
  by: SignedBy,
  { signer }: Pick<IdempotencyEntry, "signer">
): Refusal | null => {
  if (signer === "candidate" || signer === "recovery") return null
  if (agent === null) return unknownKey
  const refused = keyRefusal(agent, by.publicKey)
  return refused?.code === "key_retired" && signer === "retiring" ? null : refused
}

export const isRetired = (agent: AgentState, by: SignedBy | undefined): boolean =>
  agent !== null && by !== undefined && keyRefusal(agent, by.publicKey)?.code === "key_retired"
