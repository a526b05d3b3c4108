/**
 * Decisions on an agent's keys (spec 3.2, 4.4): rotation, recovery, the signature of its key directory. Pure.
 *
 * Invariants
 *  - A new key proves itself (HUB-ROTATE-V1) and is claimed in the same commit that names it, where nobody has claimed
 *    it: a key belongs to one agent for good, whatever becomes of it.
 *  - Both sides' signatures go into the event, so that the chain of keys can be checked by anybody from the record.
 *  - A recovery is a rotation that waits: its proof names the key current when it was asked for, so whatever rotates
 *    the key before it is due cancels it. Only the current key can cancel it besides.
 *  - Successful rotations are counted in the keys themselves, so their limit survives whatever happens to the node.
 */
import type { FiredTimer } from "../../../schemas/timer.ts"
import type { DirectorySigned, NewKey, RecoveryKey, SignedRequest } from "../../../schemas/identity/operations.ts"
import type { KeyProof } from "../../../schemas/identity/records.ts"
import { invalidField, type Refusal, refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from "../../../schemas/signing/ed25519.ts"
import { decodeBase64, hubIdOf } from "../../../schemas/signing/key.ts"
import { recoveryString } from "../../../schemas/signing/recovery.ts"
import { rotationString } from "../../../schemas/signing/rotation.ts"
import { signatureHolds, verifyKeyOf } from "../../../schemas/signing/verify.ts"
import { missing, statusRefusal } from "../decide.ts"
import { iso } from "../profile.ts"
import { type Agent, type AgentEvent, type AgentState, currentAgentKey, currentKey } from "../state.ts"
import { type Companion, type Decision, type DecideContext, firing } from "../../engine/definition.ts"
import type { KeyEvent } from "../../key/actor.ts"
import { notified } from "../notification/notify.ts"

export interface KeyFacts {
  /** Number of the notification that the decision may make. */
  readonly notification: number
  /** Of the one before it, that a recovery under way was cancelled by the same decision. */
  readonly cancellation: number
}

export interface RecoveryKeyFacts extends KeyFacts {
  /** Whose the key is already: an agent's hub id, or `null`. */
  readonly claimedBy: string | null
}

export interface RotationReply {
  readonly old_public_key: string
  readonly new_public_key: string
  /** Unix ms. */
  readonly rotated_at: number
}

export interface RecoveryReply {
  /** The agent's. */
  readonly number: number
  readonly new_public_key: string
  readonly requested_at: string
  readonly effective_at: string
}

type Context = DecideContext<KeyFacts>

const retired: { readonly refused: Refusal } = {
  refused: { ...refusal("key_retired", "This key was replaced. Sign with the agent's current key."), status: 401 }
}

export const keyUnavailable: Refusal = refusal(
  "key_unavailable",
  "This key is, or was, another identity's or your own. Make a new key.",
  { field: "new_public_key" }
)

/** Both in base64, of either alphabet. */
const isCurrent: Refusal = { ...keyUnavailable, message: "new_public_key is the agent's current key already." }

export const signedBy = (publicKey: string, text: string, signature: string): boolean => {
  const key = decodeBase64(publicKey, PUBLIC_KEY_BYTES)
  const bytes = decodeBase64(signature, SIGNATURE_BYTES)
  if (key === null || bytes === null) return false
  return signatureHolds(verifyKeyOf(key), text, bytes)
}

/** The proof of the new key, or why it does not hold. */
const proven = (
  kind: KeyProof["kind"],
  id: string,
  agent: Agent,
  input: NewKey,
  authorised?: SignedRequest
): { readonly proof: KeyProof } | { readonly refused: Refusal } => {
  const { new_public_key, proof, request } = input
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
  return {
    proof: {
      kind,
      by_new_key: { public_key: new_public_key, string_to_sign: text, signature: proof },
      request,
      ...(authorised === undefined ? {} : { authorised_by: authorised })
    }
  }
}

const claimOf = (agent: string, publicKey: string): Companion => {
  const claimed: KeyEvent = { type: "key.claimed", v: 1, agent, public_key: publicKey }
  return { kind: "key", id: hubIdOf(Buffer.from(publicKey, "base64")), expected: 0, events: [claimed] }
}

const rotation = (agent: Agent, newKey: string, proof: KeyProof, context: Context): ReadonlyArray<AgentEvent> => {
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

/** spec 3.2: successful rotations alone are counted; recoveries, three days apart at least, are none. */
const tooManyRotations = (agent: Agent, at: number, limits: Limits): Refusal | null => {
  const { requests, window_seconds } = limits.rate_limits.key_rotation
  const since = at - window_seconds * 1000
  const recent = agent.keys.filter((key) => key.proof?.kind === "rotation" && key.from > since)
  const [oldest] = recent.slice(-requests)
  if (recent.length < requests) return null
  const retryAfter = Math.max(1, Math.ceil(((oldest?.from ?? at) - since) / 1000))
  const details = { bucket: "key_rotation", limit: requests, window_seconds, retry_after: retryAfter }
  return {
    ...refusal("rate_limited", `Too many rotations: ${requests} in ${window_seconds} seconds are allowed.`, details),
    retryAfter
  }
}

export const decideRotate = (
  state: AgentState,
  input: NewKey,
  context: Context,
  limits: Limits
): Decision<AgentEvent, RotationReply> => {
  if (state === null) return missing
  const closed = statusRefusal(state, false)
  if (closed !== null) return { refused: closed }
  // Another rotation may have been quicker than this request.
  if (input.request.public_key !== currentKey(state)) return retired
  const proof = proven("rotation", context.id, state, input)
  if ("refused" in proof) return proof
  const limited = tooManyRotations(state, context.at, limits)
  if (limited !== null) return { refused: limited }
  const reply: RotationReply = {
    old_public_key: currentKey(state),
    new_public_key: input.new_public_key,
    rotated_at: context.at
  }
  return {
    events: [
      ...cancelled(state, "the key was rotated", context),
      ...rotation(state, input.new_public_key, proof.proof, context)
    ],
    reply,
    also: [claimOf(context.id, input.new_public_key)]
  }
}

// Recovery

/** What ends a recovery under way; nothing where none is. */
const cancelled = (agent: Agent, reason: string, { at, facts }: Context): ReadonlyArray<AgentEvent> => {
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

export const decideSetRecovery = (
  state: AgentState,
  input: RecoveryKey,
  context: DecideContext<RecoveryKeyFacts>
): Decision<AgentEvent> => {
  if (state === null) return missing
  const closed = statusRefusal(state, false)
  if (closed !== null) return { refused: closed }
  const { recovery_public_key, proof, request } = input
  if (request.public_key !== currentKey(state)) return retired
  const text = recoveryString({
    hubId: context.id,
    currentPublicKey: currentKey(state),
    recoveryPublicKey: recovery_public_key
  })
  if (!signedBy(recovery_public_key, text, proof)) {
    return {
      refused: refusal("recovery_proof_invalid", "proof must be the recovery key's signature of string_to_sign.", {
        field: "proof",
        string_to_sign: text
      })
    }
  }
  if (state.keys.some((key) => key.public_key === recovery_public_key)) {
    return {
      refused: invalidField(
        "recovery_public_key",
        "recovery_public_key must be a key of its own: it is to be there when the signing key is lost."
      )
    }
  }
  if (state.recovery?.public_key === recovery_public_key) return { events: [] }
  const { claimedBy } = context.facts
  if (claimedBy !== null && claimedBy !== context.id) return { refused: recoveryKeyTaken }
  return {
    events: [
      ...cancelled(state, "the recovery key was replaced", context),
      { type: "agent.recovery_set", v: 1, recovery_public_key, request },
      notified(context.facts.notification, "agent.recovery_changed", {
        recovery_public_key,
        changed_at: iso(context.at)
      })
    ],
    // So that nobody registers with it, or rotates to it, and it proves one thing only.
    also: claimedBy === null ? [claimOf(context.id, recovery_public_key)] : []
  }
}

export const recoveryKeyTaken: Refusal = refusal(
  "key_unavailable",
  "This key is, or was, another identity's. Make a new key.",
  { field: "recovery_public_key" }
)

export const decideUnsetRecovery = (state: AgentState, _input: null, context: Context): Decision<AgentEvent> => {
  if (state === null) return missing
  const closed = statusRefusal(state, false)
  if (closed !== null) return { refused: closed }
  if (state.recovery === null) return { events: [] }
  return {
    events: [
      ...cancelled(state, "recovery was switched off", context),
      { type: "agent.recovery_unset", v: 1 },
      notified(context.facts.notification, "agent.recovery_changed", {
        recovery_public_key: null,
        changed_at: iso(context.at)
      })
    ]
  }
}

export const decideCancelRecovery = (state: AgentState, _input: null, context: Context): Decision<AgentEvent> => {
  if (state === null) return missing
  const closed = statusRefusal(state, false)
  if (closed !== null) return { refused: closed }
  const events = cancelled(state, "cancelled by the current key", context)
  return events.length === 0
    ? { refused: refusal("recovery_not_pending", "No recovery of this agent is under way.") }
    : { events }
}

export const RECOVERY_TIMER = "recovery"

const recoveryRefused: { readonly refused: Refusal } = {
  refused: refusal("recovery_refused", "The request must be signed by the recovery key that this agent has set.")
}

/** Asked by the edge with the key that signed the request; that key belongs to no agent. */
export const decideRecover = (
  state: AgentState,
  input: NewKey,
  context: Context,
  limits: Limits
): Decision<AgentEvent, RecoveryReply> => {
  if (state === null) return missing
  const closed = statusRefusal(state, false)
  if (closed !== null) return { refused: closed }
  if (state.recovery === null || state.recovery.public_key !== input.request.public_key) return recoveryRefused
  if (state.recovery.pending !== null) {
    const details = {
      new_public_key: state.recovery.pending.new_public_key,
      effective_at: iso(state.recovery.pending.effective_at)
    }
    return { refused: refusal("recovery_pending", "A recovery of this agent is under way already.", details) }
  }
  const proof = proven("recovery", context.id, state, input, state.recovery.request)
  if ("refused" in proof) return proof
  const effective_at = context.at + limits.identity.recovery_delay_seconds * 1000
  const payload = {
    new_public_key: input.new_public_key,
    requested_at: iso(context.at),
    effective_at: iso(effective_at)
  }
  return {
    events: [
      {
        type: "agent.recovery_requested",
        v: 1,
        new_public_key: input.new_public_key,
        effective_at,
        proof: proof.proof
      },
      notified(context.facts.notification, "agent.recovery_scheduled", payload)
    ],
    reply: { number: state.number, ...payload },
    also: [claimOf(context.id, input.new_public_key)],
    timers: [{ name: RECOVERY_TIMER, at: effective_at }]
  }
}

/** A recovery that is due. A timer without one, or of another (one that was cancelled), does nothing. */
export const decideTimer = (state: AgentState, input: FiredTimer, context: Context): Decision<AgentEvent> => {
  const pending = state?.recovery?.pending ?? null
  if (state === null || pending === null || input.name !== RECOVERY_TIMER) return { events: [] }
  const now = firing(input, pending.effective_at, context.at)
  if (now !== "due")
    return now === "early"
      ? { refused: unavailable("The recovery is not due yet by this node's clock.") }
      : { events: [] }
  const closed = statusRefusal(state, false)
  if (closed !== null) return { events: cancelled(state, closed.message, context) }
  return { events: rotation(state, pending.new_public_key, pending.proof, context) }
}

// The signature of the key directory

export const decideSignDirectory = (state: AgentState, input: DirectorySigned): Decision<AgentEvent> => {
  if (state === null) return missing
  const closed = statusRefusal(state, true)
  if (closed !== null) return { refused: closed }
  if (input.public_key !== currentKey(state)) return retired
  const { signature, signature_input, expires_at } = input
  return { events: [{ type: "agent.directory_signed", v: 1, signature, signature_input, expires_at }] }
}

export const decideUnsignDirectory = (state: AgentState): Decision<AgentEvent> => {
  if (state === null) return missing
  const closed = statusRefusal(state, true)
  if (closed !== null) return { refused: closed }
  return { events: state.directory_signature === null ? [] : [{ type: "agent.directory_unsigned", v: 1 }] }
}
