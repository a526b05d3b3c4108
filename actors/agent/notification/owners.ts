/**
 * Adds the current owners to each notification that is forwarded to owners, so that reactions need only the log. Pure.
 */
import { isRelayed } from "../../../schemas/relay/events.ts"
import type { Decision } from "../../engine/definition.ts"
import { ownersOf } from "../owner/decide.ts"
import type { AgentEvent, AgentState } from "../state.ts"

export const withOwners = (state: AgentState, decision: Decision<AgentEvent>): Decision<AgentEvent> => {
  const { events } = decision
  if (state === null || state.sponsors.length === 0 || events === undefined) return decision
  const isTold = (event: AgentEvent): boolean => event.type === "agent.notified" && isRelayed(event.about)
  const owners = events.some(isTold) ? ownersOf(state) : []
  if (owners.length === 0) return decision
  return { ...decision, events: events.map((event) => (isTold(event) ? { ...event, owners } : event)) }
}
