/**
 * The shared parts of all key changes (spec 3.2): the requester's right, the new key's proof and its claim. Pure.
 *
 * Invariants
 *  - A new key proves itself by a signature (HUB-ROTATE-V1). The commit that names it also claims it, which fails if
 *    the key is claimed already. A key belongs to one agent forever.
 *  - The event holds the signatures of the new key and of the key that requested the change. So anybody can check the
 *    chain of keys from the public record.
 */
import type { NewKey } from "../../../schemas/identity/operations.ts"
import type { KeyProof } from "../../../schemas/identity/records.ts"
import { type Refusal, refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from "../../../schemas/signing/ed25519.ts"
import { decodeBase64, hubIdOf } from "../../../schemas/signing/key.ts"
import { rotationString } from "../../../schemas/signing/rotation.ts"
import { signatureHolds, verifyKeyOf } from "../../../schemas/signing/verify.ts"
import { unlessClosed } from "../decide.ts"
import { iso } from "../../../schemas/iso.ts"
import type { Agent, AgentEvent } from "../state.ts"
import { currentAgentKey, currentKey } from "./state.ts"
import type { Companion, Decision, DecideContext } from "../../engine/definition.ts"
import type { KeyEvent } from "../../key/noun.ts"
import { notified } from "../notification/notify.ts"

export interface KeyFacts {
  /** The number of the notification that the decision may make. */
  readonly notification: number
  /** The number of a second notification, for a recovery that the same decision cancels. */
  readonly cancellation: number
}

export type Context = DecideContext<KeyFacts>

export const retired: { readonly refused: Refusal } = {
  refused: { ...refusal("key_retired", "This key was replaced. Sign with the agent's current key."), status: 401 }
}

export const keyUnavailable: Refusal = refusal(
  "key_unavailable",
  "This key is, or was, another identity's or your own. Make a new key.",
  { field: "new_public_key" }
)

const isCurrent: Refusal = { ...keyUnavailable, message: "new_public_key is the agent's current key already." }

export const signedBy = (publicKey: string, text: string, signature: string): boolean => {
  const key = decodeBase64(publicKey, PUBLIC_KEY_BYTES)
  const bytes = decodeBase64(signature, SIGNATURE_BYTES)
  if (key === null || bytes === null) return false
  return signatureHolds(verifyKeyOf(key), text, bytes)
}

interface KeyChange<Reply> {
  readonly kind: KeyProof["kind"]
  /**
   * Returns a refusal if the signer may not request the change. If the signer is not the current key, it returns the
   * agent's request that authorized the signer.
   */
  readonly authorise: (agent: Agent, signer: string) => { readonly refused: Refusal } | Authority
  /** Decides on a new key with a valid proof. The key is claimed in the same commit. */
  readonly take: (
    agent: Agent,
    input: NewKey,
    proof: KeyProof,
    context: Context,
    limits: Limits
  ) => Decision<AgentEvent, Reply>
}

type Authority = Pick<KeyProof, "authorised_by">

export const decideNewKey = <Reply>({ kind, authorise, take }: KeyChange<Reply>) =>
  unlessClosed((agent, input: NewKey, context: Context, limits: Limits): Decision<AgentEvent, Reply> => {
    const authority = authorise(agent, input.request.public_key)
    if ("refused" in authority) return authority
    const proven = provenBy(context.id, agent, input)
    if ("refused" in proven) return proven
    const proof: KeyProof = { kind, by_new_key: proven, request: input.request, ...authority }
    const taken = take(agent, input, proof, context, limits)
    return "refused" in taken ? taken : { ...taken, companions: [claimOf(context.id, input.new_public_key)] }
  })

const provenBy = (
  id: string,
  agent: Agent,
  { new_public_key, proof }: NewKey
): KeyProof["by_new_key"] | { readonly refused: Refusal } => {
  if (new_public_key === currentKey(agent)) return { refused: isCurrent }
  const text = rotationString({ hubId: id, currentPublicKey: currentKey(agent), newPublicKey: new_public_key })
  if (!signedBy(new_public_key, text, proof)) {
    return {
      refused: refusal("rotation_proof_invalid", "proof must be the new key's signature of string_to_sign.", {
        field: "proof",
        string_to_sign: text
      })
    }
  }
  const taken =
    agent.keys.some((key) => key.public_key === new_public_key) || agent.recovery?.public_key === new_public_key
  if (taken) return { refused: keyUnavailable }
  return { public_key: new_public_key, string_to_sign: text, signature: proof }
}

export const claimOf = (agent: string, publicKey: string): Companion => {
  const claimed: KeyEvent = { type: "key.claimed", v: 1, agent, public_key: publicKey }
  return { kind: "key", id: hubIdOf(Buffer.from(publicKey, "base64")), expected: 0, events: [claimed] }
}

export const rotated = (agent: Agent, newKey: string, proof: KeyProof, context: Context): ReadonlyArray<AgentEvent> => {
  const { public_key, from } = currentAgentKey(agent)
  return [
    { type: "agent.key_rotated", v: 1, old_public_key: public_key, old_from: from, new_public_key: newKey, proof },
    notified(context.facts.notification, "agent.key_rotated", {
      old_public_key: public_key,
      new_public_key: newKey,
      rotated_at: iso(context.at)
    })
  ]
}

/** The events that cancel a pending recovery; empty if there is none. */
export const cancelled = (agent: Agent, reason: string, { at, facts }: Context): ReadonlyArray<AgentEvent> => {
  const pending = agent.recovery?.pending ?? null
  if (pending === null) return []
  return [
    { type: "agent.recovery_cancelled", v: 1, reason },
    notified(facts.cancellation, "agent.recovery_cancelled", {
      new_public_key: pending.new_public_key,
      reason,
      cancelled_at: iso(at)
    })
  ]
}
