/** The first events of an agent, with the values that most tests need. */
import { registrationEvents } from "../../actors/agent/profile/decide.ts"
import type { AgentEvent } from "../../actors/agent/state.ts"

type AgentRegistered = Extract<AgentEvent, { type: "agent.registered" }>

export const REGISTERED: AgentRegistered = {
  type: "agent.registered",
  v: 1,
  number: 1,
  public_key: "key",
  handle: "ada",
  name: "Ada",
  description: "",
  transparency: "",
  links: [],
  webhook_url: null,
  webhook_secret: "sealed"
}

export const registered = (more: Partial<AgentRegistered>): ReadonlyArray<AgentEvent> =>
  registrationEvents({ ...REGISTERED, ...more })
