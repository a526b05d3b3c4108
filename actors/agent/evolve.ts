/** Applies an event to the parts of the agent's state that it changes. */
import { joined, partsOf } from "../../schemas/noun.ts"
import type { Registered } from "./profile/state.ts"
import type { Agent, AgentEvent, AgentState } from "./state.ts"
import * as states from "./states.ts"

/**
 * The method syntax makes the parameters bivariant. A case may then accept only its own events and its own part of the
 * state.
 */
type Case = { change(state: Agent, event: AgentEvent, at: number): Partial<Agent> }["change"]

const EMPTY = joined(partsOf(states, "empty"))

const BEGUN = partsOf(states, "begun")

const CASES = Map.groupBy(
  partsOf(states, "evolve").flatMap((cases) => Object.entries<Case>(cases)),
  ([type]) => type
)

const registered = (event: Registered, at: number): Agent => ({
  ...EMPTY,
  ...joined(BEGUN.map((begun) => begun(event, at)))
})

export const evolve = (state: AgentState, event: AgentEvent, { at }: { readonly at: number }): AgentState => {
  if (event.type === "agent.registered") return registered(event, at)
  if (state === null) return null
  let next: Agent = event.type === "agent.deleted" ? { ...state, ...EMPTY } : state
  for (const [, change] of CASES.get(event.type) ?? []) next = { ...next, ...change(state, event, at) }
  return next
}
