/** The agent actor: id = hub id. Its operations are listed in schemas/bus/operations.ts. */
import type { UpdateMe } from "../../schemas/agent/api.ts"
import { notFound } from "../../schemas/errors.ts"
import { custom, defineActor, read, type Result, write } from "../engine/definition.ts"
import { Json } from "../engine/json.ts"
import { decideBan, decideDelete, decideReinstate, decideRole, decideSuspend, decideSystem, decideUpdate } from "./decide.ts"
import { evolve } from "./evolve.ts"
import { agentGate, type GateParts, newAgentMemory } from "./gate.ts"
import { privateProfile, publicProfile } from "./profile.ts"
import type { LastSeen } from "./seen.ts"
import { AGENT_EVENTS, type Agent, type AgentEvent, type AgentState } from "./state.ts"

export interface AgentParts extends Omit<GateParts, "seen"> {
  readonly lastSeen: LastSeen
  readonly baseUrl: string
  readonly production: boolean
  readonly idempotency: ReturnType<typeof import("../idempotency/operations.ts").idempotencyOperations>
}

/** Ready answers of `GET /me` that a node keeps: they change only with the state and once a minute with last_seen_at. */
const READY_MAX = 5000

interface Ready {
  readonly state: Agent
  readonly seen: number
  readonly json: Json
}

const absent: Result = { refused: notFound("agent") }

export const agentActor = (parts: AgentParts) => {
  const ready = new Map<string, Ready>()

  const me = (state: AgentState, id: string, at: number): Result => {
    if (state === null) return absent
    const seen = parts.lastSeen.touch(id, at)
    const kept = ready.get(id)
    if (kept !== undefined && kept.state === state && kept.seen === seen) return { data: kept.json }
    const json = new Json(privateProfile(id, state, seen, parts.baseUrl))
    ready.set(id, { state, seen, json })
    if (ready.size > READY_MAX) ready.delete(ready.keys().next().value ?? "")
    return { data: json }
  }

  /** Operators see every status; the public sees no banned or deleted agent (spec 2.2). */
  const operatorView = (state: AgentState, context: { readonly id: string }) =>
    state === null
      ? null
      : { id: context.id, number: state.number, handle: state.handle, name: state.name, status: state.status, roles: state.roles, is_system: state.is_system, trust: state.trust, reputation: state.reputation }

  return defineActor<AgentState, AgentEvent>({
    kind: "agent",
    initial: null,
    events: AGENT_EVENTS,
    evolve,
    memory: newAgentMemory,
    gate: agentGate({ ...parts, seen: (id, now) => parts.lastSeen.touch(id, now) }),
    operations: {
      "agent.authenticate": read<AgentState, null>((state, _input, { id }) =>
        state === null
          ? absent
          : { data: { id, handle: state.handle, roles: state.roles, status: state.status, trust: state.trust, reputation: state.reputation } }
      ),
      "agent.me": read<AgentState, null>((state, _input, { id, at }) => me(state, id, at)),
      "agent.profile": custom<AgentState, null>(async (state, _input, { id }) => {
        if (state === null || state.status === "banned" || state.status === "deleted") return absent
        const seen = await parts.lastSeen.of(id, state.created_at)
        return { data: publicProfile(id, state, seen, parts.baseUrl) }
      }),
      "agent.admit_key": custom<AgentState, null>(async (state, _input, { id }) => {
        if (state !== null) return { data: { state: state.status === "deleted" || state.status === "banned" ? "retired" : "registered" } }
        // A claimed key without an agent of its own came in by rotation: in use, or replaced since.
        const claim = await parts.claimOf(id)
        return { data: { state: claim === null ? "free" : "registered" } }
      }),
      "agent.update": write<AgentState, UpdateMe, AgentEvent>({
        decide: (state, input) => decideUpdate(state, input, parts.production),
        answer: (state, _reply, { id, at }) => profileOrNull(me(state, id, at)),
        projected: true
      }),
      "agent.delete": write<AgentState, { readonly confirm: string }, AgentEvent>({
        decide: decideDelete,
        answer: (_state, _reply, { id }) => ({ deleted: true, id }),
        projected: true
      }),
      "agent.suspend": write<AgentState, { readonly reason: string }, AgentEvent>({ decide: decideSuspend, answer: (state, _reply, context) => operatorView(state, context), projected: true }),
      "agent.reinstate": write<AgentState, { readonly reason: string }, AgentEvent>({ decide: decideReinstate, answer: (state, _reply, context) => operatorView(state, context), projected: true }),
      "agent.ban": write<AgentState, { readonly reason: string }, AgentEvent>({ decide: decideBan, answer: (state, _reply, context) => operatorView(state, context), projected: true }),
      "agent.role": write<AgentState, { readonly role: string; readonly granted: boolean }, AgentEvent>({ decide: decideRole, answer: (state, _reply, context) => operatorView(state, context), projected: true }),
      "agent.system": write<AgentState, { readonly is_system: boolean }, AgentEvent>({ decide: decideSystem, answer: (state, _reply, context) => operatorView(state, context), projected: true }),
      "agent.inspect": read<AgentState, null>((state, _input, context) => (state === null ? absent : { data: operatorView(state, context) })),
      ...parts.idempotency
    }
  })
}

const profileOrNull = (result: Result): unknown => ("data" in result ? result.data : null)
