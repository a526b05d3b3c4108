/**
 * Decisions on the recovery of an agent whose key is lost (spec 3.2). Pure.
 *
 * A recovery is a rotation with a waiting time. Its proof names the key that was current at the request. A rotation
 * before the recovery is due therefore cancels the recovery. Apart from that, only a request of the current key or the
 * end of the account cancels it.
 */
import type { FiredTimer } from "../../../schemas/timer.ts"
import type { RecoveryKey } from "../../../schemas/identity/operations.ts"
import { invalidField, type Refusal, refusal, unavailable } from "../../../schemas/errors.ts"
import { recoveryString } from "../../../schemas/signing/recovery.ts"
import { statusRefusal, unlessClosed } from "../decide.ts"
import { iso } from "../../../schemas/iso.ts"
import type { AgentEvent, AgentState } from "../state.ts"
import { currentKey } from "./state.ts"
import { type Decision, type DecideContext, firing } from "../../engine/definition.ts"
import { notified } from "../notification/notify.ts"
import { cancelled, claimOf, type Context, decideNewKey, type KeyFacts, retired, rotated, signedBy } from "./new-key.ts"

export interface RecoveryKeyFacts extends KeyFacts {
  /** The hub id of the agent that has claimed the recovery key; `null` if none has. */
  readonly claimedBy: string | null
}

export interface RecoveryReply {
  readonly number: number
  readonly new_public_key: string
  readonly requested_at: string
  readonly effective_at: string
}

export const decideSetRecovery = unlessClosed(
  (agent, input: RecoveryKey, context: DecideContext<RecoveryKeyFacts>): Decision<AgentEvent> => {
    const { recovery_public_key, proof, request } = input
    if (request.public_key !== currentKey(agent)) return retired
    const text = recoveryString({
      hubId: context.id,
      currentPublicKey: currentKey(agent),
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
    if (agent.keys.some((key) => key.public_key === recovery_public_key)) {
      return {
        refused: invalidField(
          "recovery_public_key",
          "recovery_public_key must be a key of its own: it is to be there when the signing key is lost."
        )
      }
    }
    if (agent.recovery?.public_key === recovery_public_key) return { events: [] }
    const { claimedBy } = context.facts
    if (claimedBy !== null && claimedBy !== context.id) return { refused: recoveryKeyTaken }
    return {
      events: [
        ...cancelled(agent, "the recovery key was replaced", context),
        { type: "agent.recovery_set", v: 1, recovery_public_key, request },
        notified(context.facts.notification, "agent.recovery_changed", {
          recovery_public_key,
          changed_at: iso(context.at)
        })
      ],
      // The claim prevents a registration with this key and a rotation to it.
      companions: claimedBy === null ? [claimOf(context.id, recovery_public_key)] : []
    }
  }
)

export const recoveryKeyTaken: Refusal = refusal(
  "key_unavailable",
  "This key is, or was, another identity's. Make a new key.",
  { field: "recovery_public_key" }
)

export const decideUnsetRecovery = unlessClosed((agent, _input: null, context: Context): Decision<AgentEvent> => {
  if (agent.recovery === null) return { events: [] }
  return {
    events: [
      ...cancelled(agent, "recovery was switched off", context),
      { type: "agent.recovery_unset", v: 1 },
      notified(context.facts.notification, "agent.recovery_changed", {
        recovery_public_key: null,
        changed_at: iso(context.at)
      })
    ]
  }
})

export const decideCancelRecovery = unlessClosed((agent, _input: null, context: Context): Decision<AgentEvent> => {
  const events = cancelled(agent, "cancelled by the current key", context)
  return events.length === 0
    ? { refused: refusal("recovery_not_pending", "No recovery of this agent is under way.") }
    : { events }
})

export const RECOVERY_TIMER = "recovery"

const recoveryRefused: { readonly refused: Refusal } = {
  refused: refusal("recovery_refused", "The request must be signed by the recovery key that this agent has set.")
}

/** Decides on a recovery. `signer`: the key that signed the request, which must be the recovery key. */
export const decideRecover = decideNewKey<RecoveryReply>({
  kind: "recovery",
  authorise: ({ recovery }, signer) => {
    if (recovery === null || recovery.public_key !== signer) return recoveryRefused
    const { pending, request } = recovery
    if (pending === null) return { authorised_by: request }
    const details = { new_public_key: pending.new_public_key, effective_at: iso(pending.effective_at) }
    return { refused: refusal("recovery_pending", "A recovery of this agent is under way already.", details) }
  },
  take: ({ number }, { new_public_key }, proof, { at, facts }, limits) => {
    const effective_at = at + limits.identity.recovery_delay_seconds * 1000
    const scheduled = { new_public_key, requested_at: iso(at), effective_at: iso(effective_at) }
    return {
      events: [
        { type: "agent.recovery_requested", v: 1, new_public_key, effective_at, proof },
        notified(facts.notification, "agent.recovery_scheduled", scheduled)
      ],
      reply: { number, ...scheduled },
      timers: [{ name: RECOVERY_TIMER, at: effective_at }]
    }
  }
})

/**
 * Decides when the timer of a recovery fires. It does nothing if the recovery was cancelled or replaced by another one.
 */
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
  return { events: rotated(state, pending.new_public_key, pending.proof, context) }
}
