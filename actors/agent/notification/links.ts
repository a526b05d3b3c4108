/** Completes the links of a notification. Senders give paths, and this file adds the base URL. Pure. */
import { API_PREFIX } from "../../../schemas/version.ts"
import type { Decision } from "../../engine/definition.ts"
import type { Agent, AgentEvent, AgentState } from "../state.ts"

/** A payload without a path gets the links of the agent's own account. */
const linked = ({ handle }: Agent, payload: Readonly<Record<string, unknown>>, baseUrl: string) => {
  const { url = `/agents/${handle}`, api_url = `${API_PREFIX}/me` } = payload
  return { ...payload, url: absolute(url, baseUrl), api_url: absolute(api_url, baseUrl) }
}

const absolute = (address: unknown, baseUrl: string): unknown =>
  typeof address === "string" && address.startsWith("/") ? `${baseUrl}${address}` : address

export const withLinks = (state: AgentState, decision: Decision<AgentEvent>, baseUrl: string): Decision<AgentEvent> => {
  const { events } = decision
  if (state === null || events === undefined || !events.some(({ type }) => type === "agent.notified")) return decision
  return {
    ...decision,
    events: events.map((event) =>
      event.type === "agent.notified" ? { ...event, payload: linked(state, event.payload, baseUrl) } : event
    )
  }
}
