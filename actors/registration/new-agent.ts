/**
 * The first commits of a new agent, however it is created: the agent itself, and the claims of its key, handle and
 * number. Pure.
 *
 * Invariant: all of them are appended in one atomic batch, and each expects that its actor has no commit yet. So an
 * agent and its claims exist together or not at all, and no key, handle or number belongs to two agents.
 */
import type { Limits } from "../../schemas/limits.ts"
import { agentNumber } from "../../schemas/signing/identity.ts"
import {
  registrationEvents,
  evolve as evolveAgent,
  activeTimeTimer,
  type Agent,
  type AgentEvent,
  type AgentState
} from "../agent/noun.ts"
import type { Companion, Timer } from "../engine/definition.ts"
import type { HandleEvent } from "../handle/noun.ts"
import type { KeyEvent } from "../key/noun.ts"
import type { NumberEvent } from "../number/noun.ts"

type Registered = Extract<AgentEvent, { type: "agent.registered" }>

export interface NewAgent {
  /** The agent's hub id. */
  readonly id: string
  readonly registered: Omit<Registered, "type" | "v">
  readonly further?: (agent: Agent) => ReadonlyArray<AgentEvent>
}

export interface AgentStart {
  readonly agent: Agent
  readonly companions: ReadonlyArray<Companion>
  readonly timers: ReadonlyArray<Timer>
}

const folded = (before: AgentState, events: ReadonlyArray<AgentEvent>, at: number): Agent => {
  const agent = events.reduce<AgentState>((state, event) => evolveAgent(state, event, { at }), before)
  if (agent === null) throw new Error("Registration made no agent")
  return agent
}

export const newAgent = (
  { id, registered, further = () => [] }: NewAgent,
  at: number,
  { moderation }: Pick<Limits, "moderation">
): AgentStart => {
  const first = registrationEvents({ type: "agent.registered", v: 1, ...registered })
  const fresh = folded(null, first, at)
  const more = further(fresh)
  const key: KeyEvent = { type: "key.claimed", v: 1, agent: id, public_key: registered.public_key }
  const handle: HandleEvent = { type: "handle.claimed", v: 1, agent: id }
  const number: NumberEvent = { type: "number.claimed", v: 1, agent: id }
  return {
    agent: folded(fresh, more, at),
    companions: [
      { kind: "agent", id, expected: 0, events: [...first, ...more] },
      { kind: "key", id, expected: 0, events: [key] },
      { kind: "handle", id: registered.handle, expected: 0, events: [handle] },
      { kind: "number", id: agentNumber(registered.number), expected: 0, events: [number] }
    ],
    timers: activeTimeTimer(fresh, moderation).map((timer) => ({ ...timer, of: { kind: "agent", id } }))
  }
}
