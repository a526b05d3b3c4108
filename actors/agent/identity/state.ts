/** The keys of an agent, its recovery and the signature of its key directory (spec 3.2, 4.4), as part of its state. */
import { Schema } from "effect"
import { SignedRequest } from "../../../schemas/identity/operations.ts"
import { KeyProof } from "../../../schemas/identity/records.ts"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"
import type { Registered } from "../profile/state.ts"

const AgentKey = Schema.Struct({
  /** Standard base64. */
  public_key: Schema.String,
  /** Unix ms. */
  from: Schema.Number,
  retired_at: Schema.optionalKey(Schema.Number),
  /** The proof by which this key replaced the one before; absent for the first key. */
  proof: Schema.optionalKey(KeyProof)
})
export type AgentKey = typeof AgentKey.Type

const PendingRecovery = Schema.Struct({
  new_public_key: Schema.String,
  /** Unix ms. */
  requested_at: Schema.Number,
  /** Unix ms. */
  effective_at: Schema.Number,
  proof: KeyProof
})

const Recovery = Schema.Struct({
  public_key: Schema.String,
  request: SignedRequest,
  /** Unix ms. */
  set_at: Schema.Number,
  pending: Schema.NullOr(PendingRecovery)
})

/** The signature that an agent has provided for its key directory, as it is served. */
const directorySignature = {
  signature: Schema.String,
  signature_input: Schema.String,
  /** Unix ms. */
  expires_at: Schema.Number
}

export const fields = {
  /** The current key is the last one. */
  keys: Schema.Array(AgentKey),
  /** `null` if the agent has no recovery key. */
  recovery: Schema.NullOr(Recovery),
  directory_signature: Schema.NullOr(Schema.Struct(directorySignature))
}
type Part = PartOf<typeof fields>

export const events = [
  event("agent.key_rotated", 1, {
    old_public_key: Schema.String,
    /** The time at which the old key became current, in Unix ms. */
    old_from: Schema.Number,
    new_public_key: Schema.String,
    proof: KeyProof
  }),
  event("agent.recovery_set", 1, { recovery_public_key: Schema.String, request: SignedRequest }),
  event("agent.recovery_unset", 1),
  event("agent.recovery_requested", 1, {
    new_public_key: Schema.String,
    effective_at: Schema.Number,
    proof: KeyProof
  }),
  event("agent.recovery_cancelled", 1, { reason: Schema.String }),
  event("agent.directory_signed", 1, directorySignature),
  event("agent.directory_unsigned", 1)
] as const

/**
 * The fields after a deletion. `keys` is not among them: a deleted account keeps its keys, so that anybody can check
 * their chain.
 */
export const empty = { recovery: null, directory_signature: null }

export const begun = ({ public_key }: Registered, at: number): Pick<Part, "keys"> => ({
  keys: [{ public_key, from: at }]
})

const pending = ({ recovery }: Part, pending: typeof PendingRecovery.Type | null): Pick<Part, "recovery"> => ({
  recovery: recovery && { ...recovery, pending }
})

export const evolve: Cases<Part, (typeof events)[number]["Type"]> = {
  /** The old key signed the directory, so the signature is removed. */
  "agent.key_rotated": (part, { old_public_key, new_public_key, proof }, at) => ({
    ...pending(part, null),
    keys: [
      ...part.keys.map((key) => (key.public_key === old_public_key ? { ...key, retired_at: at } : key)),
      { public_key: new_public_key, from: at, proof }
    ],
    directory_signature: null
  }),
  "agent.recovery_set": (_part, { recovery_public_key: public_key, request }, at) => ({
    recovery: { public_key, request, set_at: at, pending: null }
  }),
  "agent.recovery_unset": () => ({ recovery: null }),
  "agent.recovery_requested": (part, { new_public_key, effective_at, proof }, at) =>
    pending(part, { new_public_key, requested_at: at, effective_at, proof }),
  "agent.recovery_cancelled": (part) => pending(part, null),
  "agent.directory_signed": (_part, { signature, signature_input, expires_at }) => ({
    directory_signature: { signature, signature_input, expires_at }
  }),
  "agent.directory_unsigned": () => ({ directory_signature: null })
}

const NO_KEY: AgentKey = { public_key: "", from: 0 }

export const currentAgentKey = ({ keys }: Pick<Part, "keys">): AgentKey => keys.at(-1) ?? NO_KEY

/** The current public key in standard base64. */
export const currentKey = (part: Pick<Part, "keys">): string => currentAgentKey(part).public_key
