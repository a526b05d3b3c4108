/** An agent with a webhook, and what decisions make of it. */
import { evolve } from "../../../../actors/agent/evolve.ts"
import type { Agent, AgentEvent, AgentState } from "../../../../actors/agent/state.ts"
import type { Decision } from "../../../../actors/engine/definition.ts"
import { registered } from "../../../support/registered.ts"

export const ID = "hx56475aa75463474c0285df5d"
export const URL_SET = "https://hook.example/in"
export const HOUR = 3_600_000
export const START = 1_800_000_000_000

export const fold = (state: AgentState, events: ReadonlyArray<AgentEvent>, at = START): AgentState =>
  events.reduce<AgentState>((before, event) => evolve(before, event, { at }), state)

export const agent = fold(null, registered({ number: 7, webhook_url: URL_SET })) as Agent

export const eventsOf = (decision: Decision<AgentEvent>): ReadonlyArray<AgentEvent> => {
  if ("refused" in decision) throw new Error(`refused: ${decision.refused.code}`)
  return decision.events
}

export const after = (state: Agent, decision: Decision<AgentEvent>, at = START): Agent =>
  fold(state, eventsOf(decision), at) as Agent

export const alsoOf = (decision: Decision<AgentEvent>) => ("refused" in decision ? [] : (decision.companions ?? []))
export const context = (at = START, notification = 42) => ({ id: ID, at, facts: { notification } })
export const withHook = (more: Partial<Agent["webhook"]>): Agent => ({
  ...agent,
  webhook: { ...agent.webhook, ...more }
})
