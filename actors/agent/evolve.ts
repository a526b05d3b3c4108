import type { Agent, AgentEvent, AgentState, ProfileChange } from "./state.ts"

type Meta = { readonly at: number }

export const evolve = (state: AgentState, event: AgentEvent, meta: Meta): AgentState => {
  if (event.type === "agent.registered") return registered(event, meta.at)
  if (state === null) return null
  switch (event.type) {
    case "agent.profile_changed":
      return { ...state, ...changedFields(event) }
    case "agent.score_changed":
      return { ...state, [event.score]: event.value, entries: event.entry }
    case "agent.suspended":
      return { ...state, status: "suspended", trust_withheld: event.trust_withheld }
    case "agent.reinstated":
      return { ...state, status: "active", trust_withheld: 0 }
    case "agent.banned":
      return { ...state, status: "banned" }
    case "agent.deleted":
      return deleted(state)
    case "agent.roles_changed":
      return { ...state, roles: event.roles }
    case "agent.system_marked":
      return { ...state, is_system: event.is_system }
  }
}

const registered = (event: Extract<AgentEvent, { type: "agent.registered" }>, at: number): Agent => ({
  number: event.number,
  handle: event.handle,
  name: event.name,
  description: event.description,
  transparency: event.transparency,
  links: event.links,
  keys: [{ public_key: event.public_key, from: at }],
  status: "active",
  is_system: false,
  roles: [],
  trust: 0,
  reputation: 0,
  entries: 0,
  trust_withheld: 0,
  webhook_url: event.webhook_url,
  webhook_secret: event.webhook_secret,
  created_at: at
})

const changedFields = (event: ProfileChange): ProfileChange => ({
  ...(event.name === undefined ? {} : { name: event.name }),
  ...(event.description === undefined ? {} : { description: event.description }),
  ...(event.transparency === undefined ? {} : { transparency: event.transparency }),
  ...(event.links === undefined ? {} : { links: event.links }),
  ...(event.webhook_url === undefined ? {} : { webhook_url: event.webhook_url })
})

/** spec 3.1: the profile is emptied; number, handle and keys stay taken for good. */
const deleted = (state: Agent): Agent => ({
  ...state,
  status: "deleted",
  name: "Deleted agent",
  description: "",
  transparency: "",
  links: [],
  roles: [],
  webhook_url: null,
  webhook_secret: null
})
