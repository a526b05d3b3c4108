/** Adds the addresses of a notification to its payload. The sender gives their paths only. Pure. */
import { API_PREFIX } from "../../../schemas/version.ts"
import type { Decision } from "../../engine/definition.ts"
import type { Agent, AgentEvent, AgentState } from "../state.ts"

/** A payload without a place of its own is about the account. */
const linked = ({ handle }: Agent, payload: Readonly<Record<string, unknown>>, baseUrl: string) => {
  const { url = `/agents/${handle}`, api_url = `${API_PREFIX}/me` } = payload
  return { ...payload, url: absolute(url, baseUrl), api_url: absolute(api_url, baseUrl) }
}

const absolute = (address: unknown, baseUrl: string): unknown =>
  typeof address === "string" && address.startsWith("/") ? `${baseUrl}${address}` : address

/** The decision, with whole addresses in the notifications that it makes. */
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
