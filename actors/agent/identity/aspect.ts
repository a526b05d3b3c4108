/** The agent actor's operations on keys and identity, declared in schemas/identity/operations.ts. */
import { Effect } from "effect"
import { identityOperations as declared } from "../../../schemas/identity/operations.ts"
import { notFound, type Refusal, refusal, unavailable } from "../../../schemas/errors.ts"
import { hubIdOf } from "../../../schemas/signing/key.ts"
import { agentNumber } from "../../../schemas/signing/identity.ts"
import { attestationString } from "../../../schemas/signing/attestation.ts"
import { jwkOf } from "../../../schemas/signing/jwk.ts"
import type { AgentMemory } from "../memory.ts"
import { iso } from "../../../schemas/iso.ts"
import type { Agent, AgentActor, AgentEvent, AgentState } from "../state.ts"
import { currentKey } from "./state.ts"
import {
  type Answer,
  custom,
  type Decision,
  type DecideContext,
  once,
  type PrepareContext,
  read,
  write,
  type WriteOperation
} from "../../engine/definition.ts"
import { existing } from "../../engine/existing.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { Actors, Counters } from "../../engine/services.ts"
import { Attester } from "./attest.ts"
import { Challenges } from "./challenge.ts"
import { decideSignDirectory, decideUnsignDirectory } from "./directory.ts"
import { HostCounters, standOf } from "./hosts.ts"
import { type KeyFacts, keyUnavailable, signedBy } from "./new-key.ts"
import { directorySignatureRecord, identityRecord, recoveryRecord } from "./record.ts"
import {
  decideCancelRecovery,
  decideRecover,
  decideSetRecovery,
  decideTimer,
  decideUnsetRecovery,
  RECOVERY_TIMER,
  recoveryKeyTaken
} from "./recovery.ts"
import { decideRotate } from "./rotation.ts"
import { Proofs } from "./verify.ts"
import type { Answering } from "../../queries/serve.ts"
import { IdentityRows } from "./projection.ts"
import { directoryBlockQuery, directoryChangesQuery, directoryQuery } from "./queries.ts"

type Operations = typeof declared
type Page = Operations["identity.hosts"]["input"]["Type"]

const noAgent = notFound("agent")
const absent = { refused: noAgent }
const noIdentity = { refused: notFound("identity") }

const verifiable = (state: AgentState): state is Agent =>
  state !== null && state.status !== "banned" && state.status !== "deleted"

const suspended = refusal("agent_suspended", "This agent is suspended: the service attests nothing of it.")

const contested = (): { readonly refused: Refusal } => ({ refused: keyUnavailable })

export const timers = { [RECOVERY_TIMER]: "identity.timer" }

export const operations = (parts: KindParts): Operating<Operations, AgentActor> => {
  const { clock, nats, manager, config, seed, proofs, restored } = parts
  const { limits, baseUrl } = config
  const hosts = new HostCounters(clock, nats, manager)
  const judge = new Proofs({ proofs, restored, hosts, limits, baseUrl })
  const challenges = new Challenges(seed)
  /**
   * The time at which a challenge was made, in Unix ms. A challenge made before a restore is refused, because the
   * record of its use may be lost.
   */
  const madeAt = (expires: number): number => (expires - limits.identity.challenge_ttl_seconds) * 1000
  const attester = new Attester(seed, baseUrl, limits.identity.attestation_ttl_seconds)

  const keyFacts: Effect.Effect<KeyFacts, Refusal, Counters> = Effect.gen(function* () {
    const counters = yield* Counters
    const cancellation = yield* counters.next("notification")
    return { cancellation, notification: yield* counters.next("notification") }
  })
  /** The hub id of the agent that has claimed a key; `null` if none has. */
  const claimantOf = (publicKey: string, context: PrepareContext): Effect.Effect<string | null, Refusal, Actors> =>
    Effect.gen(function* () {
      const actors = yield* Actors
      const actor = hubIdOf(Buffer.from(publicKey, "base64"))
      const claim = actors.ask(context, "key.resolve", actor, null)
      return yield* Effect.catch(
        Effect.map(claim, ({ agent }): string | null => agent),
        (refusal) => (refusal.code === "not_found" ? Effect.succeed(null) : Effect.fail(refusal))
      )
    })
  const announced = <Input, Output, Reply = unknown>(
    decide: (state: AgentState, input: Input, context: DecideContext<KeyFacts>) => Decision<AgentEvent, Reply>,
    answer: (state: AgentState, reply: Reply, id: string) => Answer<Output>
  ): WriteOperation<AgentActor, Input, Output, KeyFacts, Reply, Counters> =>
    write({
      prepare: () => keyFacts,
      decide,
      contested,
      answer: (state, reply, { id }) => answer(state, reply, id),
      projected: true
    })
  const recovery = (state: AgentState) => recoveryRecord(existing(state), limits)
  const directorySignature = (state: AgentState) => directorySignatureRecord(existing(state), baseUrl)

  return {
    "identity.record": read((state, _input, { id }) =>
      state === null ? noIdentity : { data: identityRecord(id, state, baseUrl) }
    ),
    "identity.keys": read((state, _input, { at }) => {
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
    "identity.verify": once((state, claim, context) => judge.verdict(state, claim, context)),
    "identity.hosts": custom((_state, input, context) => hostPage(hosts, input, context)),
    "identity.forget_hosts": custom((_state, _input, { id, memory }) => {
      memory.hosts = null
      return Effect.as(
        Effect.tryPromise({
          try: () => hosts.erase(id),
          catch: () => unavailable("The counters cannot be erased at the moment.")
        }),
        null
      )
    }),
    "identity.rotate": announced(
      (state, input, context) => decideRotate(state, input, context, limits),
      (state, reply, id) => ({
        id: agentNumber(existing(state).number),
        hub_id: id,
        ...reply,
        rotated_at: iso(reply.rotated_at)
      })
    ),
    "identity.recovery": read((state) => (state === null ? absent : { data: recovery(state) })),
    "identity.set_recovery": write({
      prepare: (_state, input, context) =>
        Effect.zipWith(keyFacts, claimantOf(input.recovery_public_key, context), (facts, claimedBy) => ({
          ...facts,
          claimedBy
        })),
      decide: decideSetRecovery,
      contested: () => ({ refused: recoveryKeyTaken }),
      answer: recovery,
      projected: true
    }),
    "identity.unset_recovery": announced(decideUnsetRecovery, recovery),
    "identity.cancel_recovery": announced(decideCancelRecovery, recovery),
    "identity.recover": announced(
      (state, input, context) => decideRecover(state, input, context, limits),
      (_state, { number, ...scheduled }, id) => ({ id: agentNumber(number), hub_id: id, ...scheduled })
    ),
    "identity.timer": announced(decideTimer, () => null),
    "identity.directory_signature": read((state) => (state === null ? absent : { data: directorySignature(state) })),
    "identity.sign_directory": write({ decide: decideSignDirectory, answer: directorySignature }),
    "identity.unsign_directory": write({ decide: decideUnsignDirectory, answer: directorySignature }),
    "identity.challenge": read((state, _input, { id, at }) => {
      if (!verifiable(state)) return absent
      if (state.status === "suspended") return { refused: suspended }
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
    "identity.attest": custom((state, { challenge, signature }, { id, at, commandId }) =>
      Effect.gen(function* () {
        if (!verifiable(state)) return yield* Effect.fail(noAgent)
        if (state.status === "suspended") return yield* Effect.fail(suspended)
        const expires = challenges.expiryOf(id, challenge)
        if (expires === null) return yield* Effect.fail(challengeUnknown)
        if (at / 1000 >= expires || madeAt(expires) <= restored.at) return yield* Effect.fail(challengeExpired)
        const text = attestationString({ hubId: id, challenge, expires })
        if (!signedBy(currentKey(state), text, signature)) return yield* Effect.fail(badSignature(text))
        const { use, recorded } = proofs.use(id, challenge, commandId, at)
        if (use === "reused") return yield* Effect.fail(challengeUsed)
        if (!(yield* Effect.promise(() => recorded)))
          return yield* Effect.fail(unavailable("The challenge could not be marked as used."))
        return attester.attest(id, state, challenge, at)
      })
    )
  }
}

const challengeUnknown = refusal("verify_challenge_unknown", "There is no such challenge for this agent.")
const challengeExpired = refusal("verify_challenge_expired", "The challenge is too old. Ask for a new one.")
const challengeUsed = refusal("verify_challenge_used", "This challenge was answered before. Ask for a new one.")
const badSignature = (text: string): Refusal =>
  refusal("verify_bad_signature", "signature must be the current key's signature of string_to_sign.", {
    string_to_sign: text
  })

const hostPage = (
  hosts: HostCounters,
  input: Page,
  { id, memory: kept }: PrepareContext<AgentMemory>
): Effect.Effect<Operations["identity.hosts"]["output"]["Type"], Refusal> => {
  const table = Effect.tryPromise({
    try: () => (kept.hosts ??= hosts.load(id)),
    catch: () => {
      kept.hosts = null
      return unavailable("The counters cannot be read at the moment.")
    }
  })
  return Effect.map(table, (counters) => {
    const all = [...counters.values()].map(standOf).filter((host) => host.count > 0)
    const sorted = all.toSorted((a, b) => b.last_at - a.last_at || (a.host < b.host ? -1 : 1))
    const from = (input.page - 1) * input.per_page
    const items = sorted
      .slice(from, from + input.per_page)
      .map((host) => ({ ...host, first_at: iso(host.first_at), last_at: iso(host.last_at) }))
    return { items, total: sorted.length }
  })
}

export const tables = [
  { name: "retired_keys", kind: "agent", actor: "agent" },
  { name: "identity_blocks", kind: "agent", actor: null }
] as const

export const rows = () => new IdentityRows()

export const queries = ({ db, config: { baseUrl } }: Answering) => ({
  directory: directoryQuery(db),
  directory_changes: directoryChangesQuery(db, baseUrl),
  directory_block: directoryBlockQuery(db, baseUrl)
})
