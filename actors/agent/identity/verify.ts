/**
 * The part of the verdict on a proof of identity that the agent's own actor decides (spec 4.7). The edge has already
 * made all checks that come before "the number is known" in the spec's table.
 *
 * Invariants
 *  - The checks have the order of that table. The first failed check gives the reason.
 *  - Keys and status are those of the actor's last commit. A rotation that was answered therefore holds at all edges.
 *  - Only a valid proof consumes its nonce, which is logged before the verdict is sent. If an edge sends the same ask
 *    again after a lost connection, the nonce counts as used once.
 *  - A proof of a suspended or banned agent consumes no nonce and is not counted.
 */
import { type KeyObject, verify } from "node:crypto"
import { Effect } from "effect"
import type { IdentityClaim, IdentityProof } from "../../../schemas/identity/operations.ts"
import type { VerifyReason } from "../../../schemas/identity/reasons.ts"
import type { Verdict, VerifyScheme } from "../../../schemas/identity/records.ts"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { SIGNATURE_BYTES } from "../../../schemas/signing/ed25519.ts"
import { decodeBase64 } from "../../../schemas/signing/key.ts"
import { jwkOf } from "../../../schemas/signing/jwk.ts"
import { NONCE_PATTERN, TIMESTAMP_PATTERN } from "../../../schemas/signing/request.ts"
import { verifyKeyOf } from "../../../schemas/signing/verify.ts"
import type { AgentMemory } from "../memory.ts"
import type { Agent, AgentState } from "../state.ts"
import { currentKey } from "./state.ts"
import type { PrepareContext } from "../../engine/definition.ts"
import type { Restored } from "../../log/last-restore.ts"
import type { NonceLog } from "../../log/nonces.ts"
import type { HostCounters } from "./hosts.ts"
import { verdictAgent } from "./record.ts"

/**
 * The most retired keys that one proof is checked against, newest first. It bounds the cost of a forged proof. A
 * signature by an older key counts as a bad signature. The website verifier has the same limit
 * (edge/sdk/verify/bounds.ts), so both give the same reason.
 */
const RETIRED_KEYS_TRIED_MAX = 15
const KEYS_MAX = 10_000

const MESSAGES: Readonly<Partial<Record<VerifyReason, string>>> = {
  announced_only: "The User-Agent announces this number; nothing proves it.",
  agent_retired: "The owner deleted this account.",
  timestamp_invalid: "The timestamp must be unix seconds, 9 to 11 digits; one of 13 counts milliseconds.",
  timestamp_expired: "The timestamp is too far from the service's clock.",
  nonce_invalid: "The nonce must be 8 to 128 of A-Z a-z 0-9 _ - = . : + /.",
  bad_signature: "The signature matches no key of this agent for this method, host and path.",
  key_retired: "The signature was made with a key that has been replaced.",
  agent_suspended: "The signature is genuine; the agent is suspended.",
  agent_banned: "The signature is genuine; the agent is banned.",
  replayed: "This nonce was verified before."
}

type ProofFault = Exclude<VerifyReason, "replayed"> | null

export interface VerifyParts {
  readonly proofs: NonceLog
  readonly restored: Restored
  readonly hosts: HostCounters
  readonly limits: Limits
  readonly baseUrl: string
}

export class Proofs {
  private readonly parts: VerifyParts
  private readonly keys = new Map<string, KeyObject>()

  constructor(parts: VerifyParts) {
    this.parts = parts
  }

  verdict(
    state: AgentState,
    claim: IdentityClaim,
    context: PrepareContext<AgentMemory>
  ): Effect.Effect<Verdict | null, Refusal> {
    if (state === null) return Effect.succeed(null)
    const { proof, scheme } = claim
    if (proof === null) return Effect.succeed(this.answer(state, scheme, "announced_only", { announced: true }))
    const reason = this.judge(state, proof, context.at)
    if (reason === "agent_suspended" || reason === "agent_banned")
      return Effect.succeed(this.answer(state, scheme, reason, { signature_ok: true }))
    if (reason !== null) return Effect.succeed(this.answer(state, scheme, reason))
    const { use, recorded } = this.parts.proofs.use(context.id, proof.nonce, context.commandId, context.at)
    if (use === "reused") return Effect.succeed(this.answer(state, scheme, "replayed"))
    const counted = this.count(context, proof.host)
    return Effect.flatMap(
      Effect.promise(() => Promise.all([recorded, counted])),
      ([isRecorded, isCounted]) =>
        isRecorded && isCounted
          ? Effect.succeed(this.answer(state, scheme, null))
          : Effect.fail(unavailable("The verification could not be recorded."))
    )
  }

  /** Checks everything but the nonce, because only an otherwise valid proof may consume it. */
  private judge(agent: Agent, proof: IdentityProof, now: number): ProofFault {
    if (agent.status === "deleted") return "agent_retired"
    if (!TIMESTAMP_PATTERN.test(proof.timestamp)) return "timestamp_invalid"
    const skew = Math.abs(Math.floor(now / 1000) - Number(proof.timestamp))
    if (skew > this.parts.limits.identity.timestamp_window_seconds) return "timestamp_expired"
    // The restore may have lost the record that this nonce was used.
    if (Number(proof.timestamp) * 1000 <= this.parts.restored.at) return "timestamp_expired"
    if (proof.expires !== undefined && now / 1000 >= proof.expires) return "timestamp_expired"
    if (!NONCE_PATTERN.test(proof.nonce)) return "nonce_invalid"
    const by = this.signedBy(agent, proof)
    if (by === null) return "bad_signature"
    if (by !== currentKey(agent)) return "key_retired"
    if (agent.status === "suspended") return "agent_suspended"
    return agent.status === "banned" ? "agent_banned" : null
  }

  private signedBy(agent: Agent, proof: IdentityProof): string | null {
    const { string_to_sign, keyid } = proof
    const signature = decodeBase64(proof.signature, SIGNATURE_BYTES)
    if (signature === null || string_to_sign === null) return null
    const text = Buffer.from(string_to_sign, "utf8")
    const newestFirst = agent.keys.slice(-1 - RETIRED_KEYS_TRIED_MAX).toReversed()
    const found = newestFirst.find(
      ({ public_key }) =>
        (keyid === undefined || jwkOf(public_key).kid === keyid) &&
        verify(null, text, this.keyOf(public_key), signature)
    )
    return found?.public_key ?? null
  }

  private keyOf(publicKey: string): KeyObject {
    const known = this.keys.get(publicKey)
    if (known !== undefined) return known
    const key = verifyKeyOf(Buffer.from(publicKey, "base64"))
    this.keys.set(publicKey, key)
    if (this.keys.size > KEYS_MAX) this.keys.delete(this.keys.keys().next().value ?? "")
    return key
  }

  private async count(context: PrepareContext<AgentMemory>, host: string): Promise<boolean> {
    const { memory } = context
    memory.hosts ??= this.parts.hosts.load(context.id)
    try {
      return await this.parts.hosts.count(context.id, await memory.hosts, host, context.at)
    } catch {
      memory.hosts = null
      return false
    }
  }

  private answer(
    agent: Agent,
    scheme: VerifyScheme,
    reason: VerifyReason | null,
    more: Pick<Verdict, "announced" | "signature_ok"> = {}
  ): Verdict {
    const message = reason === null ? undefined : MESSAGES[reason]
    return {
      valid: reason === null,
      reason,
      scheme,
      ...verdictAgent(agent, this.parts.baseUrl),
      ...more,
      ...(message === undefined ? {} : { message })
    }
  }
}
