/** What the agent actor does with keys and identity; they are declared in schemas/identity/operations.ts. */
import type { IdentityClaim, NewKey } from "../../schemas/identity/operations.ts"
import { notFound, type Refusal, refusal, unavailable } from "../../schemas/errors.ts"
import { hubIdOf } from "../../schemas/signing/key.ts"
import { agentNumber } from "../../schemas/signing/identity.ts"
import { attestationString } from "../../schemas/signing/attestation.ts"
import { jwkOf } from "../../schemas/signing/jwk.ts"
import type { AgentMemory } from "../agent/gate.ts"
import { iso } from "../agent/profile.ts"
import { type Agent, type AgentEvent, type AgentState, currentKey } from "../agent/state.ts"
import { custom, type Decision, once, type Operation, read, type Result, write } from "../engine/definition.ts"
import { nextNumber } from "../engine/counters.ts"
import type { DecideContext, PrepareContext } from "../engine/definition.ts"
import type { KindParts } from "../kind.ts"
import { Attester } from "./attest.ts"
import { Challenges } from "./challenge.ts"
import {
  decideCancelRecovery,
  decideRecover,
  decideRotate,
  decideSetRecovery,
  decideSignDirectory,
  decideTimer,
  decideUnsetRecovery,
  decideUnsignDirectory,
  type DirectorySigned,
  type KeyFacts,
  keyUnavailable,
  recoveryKeyTaken,
  type RecoveryKey,
  type RecoveryKeyFacts,
  type RotationReply,
  signedBy
} from "./decide.ts"
import { HostCounters, standOf } from "./hosts.ts"
import { directorySignatureRecord, identityRecord, recoveryRecord } from "./record.ts"
import { Proofs } from "./verify.ts"

type Operations = Readonly<Record<string, Operation<AgentState, AgentEvent>>>

const absent: Result = { refused: notFound("agent") }
const noIdentity: Result = { refused: notFound("identity") }

const verifiable = (state: AgentState): state is Agent =>
  state !== null && state.status !== "banned" && state.status !== "deleted"

const suspended: Result = {
  refused: refusal("agent_suspended", "This agent is suspended: the service attests nothing of it.")
}

/** Of a key change that was lost to somebody who claimed the same key first. */
const contested = (): Decision<AgentEvent> => ({ refused: keyUnavailable })

export const identityOperations = (
  parts: KindParts
): { readonly operations: Operations; readonly hosts: HostCounters } => {
  const { nats, manager, config, seed, proofs } = parts
  const { limits, baseUrl } = config
  const hosts = new HostCounters(nats, manager)
  const judge = new Proofs({ proofs, hosts, limits, baseUrl })
  const challenges = new Challenges(seed)
  const attester = new Attester(seed, baseUrl, limits.identity.attestation_ttl_seconds)

  /** Numbers are never given twice, and a gap is no harm: one is drawn for each attempt. */
  const drawNumber = async (): Promise<KeyFacts | { readonly refused: ReturnType<typeof unavailable> }> => {
    try {
      const cancellation = await nextNumber(nats, "notification")
      return { cancellation, notification: await nextNumber(nats, "notification") }
    } catch {
      return { refused: unavailable("The service cannot note this at the moment. It is safe to try again.") }
    }
  }
  /** Whose a key is: hub id, `null` for nobody's. */
  const claimantOf = async (
    publicKey: string,
    { commandId, deadline, traceparent }: PrepareContext
  ): Promise<string | null | { readonly refused: Refusal }> => {
    const actor = hubIdOf(Buffer.from(publicKey, "base64"))
    const { head, body } = await parts.ask({
      id: `${commandId}-claim`,
      kind: "key",
      actor,
      op: "key.resolve",
      input: null,
      deadline,
      traceparent
    })
    if (head.refused?.code === "not_found") return null
    return head.refused === undefined
      ? (JSON.parse(Buffer.from(body).toString("utf8")) as { readonly agent: string }).agent
      : { refused: head.refused }
  }
  const announced = <Input>(
    decide: (state: AgentState, input: Input, context: DecideContext<KeyFacts>) => Decision<AgentEvent>,
    answer: (state: AgentState, reply: unknown, id: string) => unknown
  ) =>
    write<AgentState, Input, AgentEvent, KeyFacts>({
      prepare: drawNumber,
      decide,
      contested,
      answer: (state, reply, { id }) => answer(state, reply, id),
      projected: true
    })
  const recovery = (state: AgentState): unknown => (state === null ? null : recoveryRecord(state, limits))
  const directorySignature = (state: AgentState): unknown =>
    state === null ? null : directorySignatureRecord(state, baseUrl)
  const signing = <Input>(decide: (state: AgentState, input: Input) => Decision<AgentEvent>) =>
    write<AgentState, Input, AgentEvent>({ decide, answer: directorySignature })

  return {
    hosts,
    operations: {
      "identity.record": read<AgentState, null>((state, _input, { id }) =>
        state === null ? noIdentity : { data: identityRecord(id, state, baseUrl) }
      ),
      "identity.keys": read<AgentState, null>((state, _input, { at }) => {
        if (state === null) return noIdentity
        const signed = state.directory_signature
        const current = state.status === "active" ? [jwkOf(currentKey(state))] : []
        return {
          data: {
            keys: current,
            signature: current.length > 0 && signed !== null && at < signed.expires_at ? signed : null
          }
        }
      }),
      "identity.verify": once<AgentState, IdentityClaim>((state, claim, context) =>
        judge.verdict(state, claim, context)
      ),
      "identity.hosts": custom<AgentState, { readonly page: number; readonly per_page: number }>(
        (_state, input, context) => hostPage(hosts, input, context)
      ),
      "identity.rotate": announced<NewKey>(
        (state, input, context) => decideRotate(state, input, context, limits),
        (state, reply, id) => keyRotated(state, reply as RotationReply, id)
      ),
      "identity.recovery": read<AgentState, null>((state) => (state === null ? absent : { data: recovery(state) })),
      "identity.set_recovery": write<AgentState, RecoveryKey, AgentEvent, RecoveryKeyFacts>({
        prepare: async (_state, input, context) => {
          const [facts, claimedBy] = await Promise.all([drawNumber(), claimantOf(input.recovery_public_key, context)])
          if ("refused" in facts) return facts
          return typeof claimedBy === "object" && claimedBy !== null ? claimedBy : { ...facts, claimedBy }
        },
        decide: decideSetRecovery,
        contested: () => ({ refused: recoveryKeyTaken }),
        answer: recovery,
        projected: true
      }),
      "identity.unset_recovery": announced(decideUnsetRecovery, recovery),
      "identity.cancel_recovery": announced(decideCancelRecovery, recovery),
      "identity.recover": announced<NewKey>(
        (state, input, context) => decideRecover(state, input, context, limits),
        (_state, reply, id) => {
          const { number, ...scheduled } = reply as { readonly number: number }
          return { id: agentNumber(number), hub_id: id, ...scheduled }
        }
      ),
      "identity.timer": announced(decideTimer, () => null),
      "identity.directory_signature": read<AgentState, null>((state) =>
        state === null ? absent : { data: directorySignature(state) }
      ),
      "identity.sign_directory": signing<DirectorySigned>(decideSignDirectory),
      "identity.unsign_directory": signing<null>(decideUnsignDirectory),
      "identity.challenge": read<AgentState, null>((state, _input, { id, at }) => {
        if (!verifiable(state)) return absent
        if (state.status === "suspended") return suspended
        const ttl = limits.identity.challenge_ttl_seconds
        const expires = Math.floor(at / 1000) + ttl
        const challenge = challenges.make(id, expires)
        return {
          data: {
            challenge,
            string_to_sign: attestationString({ hubId: id, challenge, expires }),
            expires_at: iso(expires * 1000),
            ttl_seconds: ttl
          }
        }
      }),
      "identity.attest": custom<AgentState, { readonly challenge: string; readonly signature: string }>(
        async (state, { challenge, signature }, { id, at, commandId }) => {
          if (!verifiable(state)) return absent
          if (state.status === "suspended") return suspended
          const expires = challenges.expiryOf(id, challenge)
          if (expires === null)
            return { refused: refusal("verify_challenge_unknown", "There is no such challenge for this agent.") }
          if (at / 1000 >= expires)
            return { refused: refusal("verify_challenge_expired", "The challenge is too old. Ask for a new one.") }
          const text = attestationString({ hubId: id, challenge, expires })
          if (!signedBy(currentKey(state), text, signature)) {
            return {
              refused: refusal(
                "verify_bad_signature",
                "signature must be the current key's signature of string_to_sign.",
                { string_to_sign: text }
              )
            }
          }
          const { use, recorded } = proofs.use(id, challenge, commandId, at)
          if (use === "reused")
            return {
              refused: refusal("verify_challenge_used", "This challenge was answered before. Ask for a new one.")
            }
          if (!(await recorded)) return { refused: unavailable("The challenge could not be marked as used.") }
          return { data: attester.attest(id, state, challenge, at) }
        }
      )
    }
  }
}

const keyRotated = (state: AgentState, reply: RotationReply, id: string): unknown =>
  state === null ? null : { id: agentNumber(state.number), hub_id: id, ...reply, rotated_at: iso(reply.rotated_at) }

const hostPage = async (
  hosts: HostCounters,
  input: { readonly page: number; readonly per_page: number },
  { id, memory }: PrepareContext
): Promise<Result> => {
  const kept = memory as AgentMemory
  kept.hosts ??= hosts.load(id)
  try {
    const table = await kept.hosts
    const all = [...table.values()].map(standOf).filter((host) => host.count > 0)
    const sorted = all.toSorted((a, b) => b.last_at - a.last_at || (a.host < b.host ? -1 : 1))
    const from = (input.page - 1) * input.per_page
    const items = sorted
      .slice(from, from + input.per_page)
      .map((host) => ({ ...host, first_at: iso(host.first_at), last_at: iso(host.last_at) }))
    return { data: { items, total: sorted.length } }
  } catch {
    kept.hosts = null
    return { refused: unavailable("The counters cannot be read at the moment.") }
  }
}
