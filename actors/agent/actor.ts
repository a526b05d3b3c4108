/** The agent actor: id = hub id. What others may ask of it is declared in schemas/agent/operations.ts. */
import { Effect } from "effect"
import type { UpdateMe } from "../../schemas/agent/api.ts"
import { notFound, type Refusal } from "../../schemas/errors.ts"
import type { IdentityRecord } from "../../schemas/identity/records.ts"
import { hubIdOf } from "../../schemas/signing/key.ts"
import { custom, type PrepareContext, read, type Result, write } from "../engine/definition.ts"
import { Json } from "../engine/json.ts"
import { Sealer } from "../engine/seal.ts"
import { decideDelete, decideRole, decideSystem, decideUpdate } from "./decide.ts"
import { evolve } from "./evolve.ts"
import { idempotencyOperations } from "./idempotency/operations.ts"
import { identityOperations } from "./identity/operations.ts"
import type { KeyClaim } from "../key/actor.ts"
import { type Fold, kind } from "../kind.ts"
import { logBytesMeter } from "../limit/log-bytes.ts"
import { MODERATION_TIMERS, moderationOperations, operatorWrite } from "./moderation/operations.ts"
import { operatorView } from "./moderation/record.ts"
import { notificationOperations } from "./notification/operations.ts"
import { deliveringOperations, webhookOperations } from "./webhook/operations.ts"
import { Actors } from "../services.ts"
import { agentGate, newAgentMemory } from "./gate.ts"
import { privateProfile, publicProfile, shown } from "./profile.ts"
import { LastSeen } from "./seen/last-seen.ts"
import { type Agent, AgentEvent, AgentState, currentKey } from "./state.ts"

/**
 * Ready answers of `GET /me` that a node keeps: they change only with the state and once a minute with last_seen_at.
 */
const READY_MAX = 5000

interface Ready {
  readonly state: Agent
  readonly seen: number
  readonly json: Json
}

const noAgent = notFound("agent")
const absent: Result = { refused: noAgent }

interface Admitted {
  readonly state: "free" | "registered" | "retired"
}

/** `GET /me`, kept ready. */
const readyProfiles = (lastSeen: LastSeen, baseUrl: string) => {
  const ready = new Map<string, Ready>()
  return (state: AgentState, id: string, at: number): Result => {
    if (state === null) return absent
    const seen = lastSeen.touch(id, at)
    const kept = ready.get(id)
    if (kept !== undefined && kept.state === state && kept.seen === seen) return { data: kept.json }
    const json = new Json(privateProfile(id, state, seen, baseUrl))
    ready.set(id, { state, seen, json })
    if (ready.size > READY_MAX) ready.delete(ready.keys().next().value ?? "")
    return { data: json }
  }
}

const fold: Fold<AgentState, AgentEvent> = {
  kind: "agent",
  state: AgentState,
  initial: null,
  events: AgentEvent,
  evolve
}

export const agentKind = kind(fold, (parts) => {
  const { nats, nonces, config, seed, stateOf } = parts
  const { limits, baseUrl } = config
  const lastSeen = new LastSeen(nats)
  const me = readyProfiles(lastSeen, baseUrl)
  const identity = identityOperations(parts)
  const claimOf = (key: string) => stateOf<KeyClaim | null>("key", key)
  /** spec 4.3: a key of a closed account, or one that a rotation replaced, is retired. */
  const admitKey = (state: AgentState, context: PrepareContext): Effect.Effect<Admitted, Refusal, Actors> =>
    Effect.gen(function* () {
      const { id } = context
      if (state !== null) {
        const closed = state.status === "deleted" || state.status === "banned"
        const replaced = hubIdOf(Buffer.from(currentKey(state), "base64")) !== id
        return { state: closed || replaced ? "retired" : "registered" }
      }
      const claim = yield* Effect.promise(() => claimOf(id))
      if (claim === null) return { state: "free" }
      // Without an agent of its own it came in by rotation: in use, or replaced since.
      const actors = yield* Actors
      const owner = { kind: "agent", actor: claim.agent, op: "identity.record", input: null }
      const { keys, status } = yield* actors.ask<Pick<IdentityRecord, "keys" | "status">>(context, owner)
      const retired =
        status === "retired" || keys.some((key) => key.public_key === claim.public_key && key.status === "retired")
      return { state: retired ? "retired" : "registered" }
    })
  return {
    memory: newAgentMemory,
    meter: logBytesMeter(nats, limits),
    onTimer: (name) => MODERATION_TIMERS.get(name) ?? "identity.timer",
    gate: agentGate({ nonces, limits, claimOf, seen: (id, now) => lastSeen.touch(id, now) }),
    operations: deliveringOperations({
      "agent.authenticate": read<AgentState, null>((state, _input, { id }) =>
        state === null
          ? absent
          : {
              data: {
                id,
                handle: state.handle,
                roles: state.roles,
                status: state.status,
                trust: state.trust,
                reputation: state.reputation
              }
            }
      ),
      "agent.me": read<AgentState, null>((state, _input, { id, at }) => me(state, id, at)),
      "agent.profile": custom<AgentState, null>((state, _input, { id }) => {
        if (state === null || state.status === "banned" || state.status === "deleted") return Effect.fail(noAgent)
        return Effect.map(
          Effect.promise(() => lastSeen.of(id, state.created_at)),
          (seen) => publicProfile(id, shown(state), seen, baseUrl)
        )
      }),
      "agent.admit_key": custom<AgentState, null, Actors>((state, _input, context) => admitKey(state, context)),
      "agent.update": write<AgentState, UpdateMe, AgentEvent>({
        decide: (state, input) => decideUpdate(state, input, config.env === "production"),
        answer: (state, _reply, { id, at }) => profileOrNull(me(state, id, at)),
        projected: true
      }),
      "agent.delete": write<AgentState, { readonly confirm: string }, AgentEvent>({
        decide: decideDelete,
        answer: (_state, _reply, { id }) => ({ deleted: true, id }),
        projected: true,
        after: (_input, { id }) => Effect.ignore(Effect.tryPromise(() => identity.hosts.erase(id)))
      }),
      "agent.role": operatorWrite(decideRole),
      "agent.system": operatorWrite(decideSystem),
      "agent.inspect": read<AgentState, null>((state, _input, context) =>
        state === null ? absent : { data: operatorView(state, context) }
      ),
      ...identity.operations,
      ...moderationOperations(parts),
      ...notificationOperations,
      ...webhookOperations(parts),
      ...idempotencyOperations(nats, limits, new Sealer(seed))
    })
  }
})

const profileOrNull = (result: Result): unknown => ("data" in result ? result.data : null)
