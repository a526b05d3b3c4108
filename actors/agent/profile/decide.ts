/** Decisions on an account: registration, deletion, profile and roles. Pure. */
import type { UpdateMe } from "../../../schemas/agent/api.ts"
import { type Link, webhookAddressProblem } from "../../../schemas/agent/fields.ts"
import { invalidField, refusal } from "../../../schemas/errors.ts"
import type { Decision } from "../../engine/definition.ts"
import { missing, unlessClosed, unlessSuspended } from "../decide.ts"
import { scoreEntries } from "../score/entries.ts"
import { begun } from "../score/state.ts"
import type { Agent, AgentEvent, AgentState } from "../state.ts"
import { endingAll } from "../watch/decide.ts"
import type { ProfileChanged, Registered } from "./state.ts"

/** The trust of a new agent (contract 12). */
const TRUST_AT_START = 10
/** The roles that an operator may give (spec 2.2). */
const ROLES = ["operator"] as const

type ProfileChange = Omit<ProfileChanged, "type" | "v">

/** The first events in the log of a new agent (spec 4.3 step 3). */
export const registrationEvents = (registered: Registered): ReadonlyArray<AgentEvent> => [
  registered,
  ...scoreEntries(begun(), [{ score: "trust", delta: TRUST_AT_START, reason: "registered", target: null }])
]

export const decideUpdate = unlessSuspended((agent, change: UpdateMe, production: boolean): Decision<AgentEvent> => {
  if (typeof change.webhook_url === "string") {
    const problem = webhookAddressProblem(change.webhook_url, production)
    if (problem !== null) return { refused: invalidField("webhook_url", `webhook_url ${problem}.`) }
  }
  const changed = changedFields(agent, change)
  return { events: Object.keys(changed).length === 0 ? [] : [{ type: "agent.profile_changed", v: 1, ...changed }] }
})

/**
 * The fields that differ from the state. An unchanged webhook address counts as a change if the webhook fails or is
 * disabled, because setting it resets the webhook (contract 4).
 */
const changedFields = (
  state: Agent,
  { name, description, transparency, links, webhook_url }: ProfileChange
): ProfileChange => {
  const { failing, disabled } = state.webhook
  return {
    ...(name === undefined || name === state.name ? {} : { name }),
    ...(description === undefined || description === state.description ? {} : { description }),
    ...(transparency === undefined || transparency === state.transparency ? {} : { transparency }),
    ...(links === undefined || sameLinks(links, state.links) ? {} : { links }),
    ...(webhook_url === undefined || (webhook_url === state.webhook_url && failing === null && disabled === null)
      ? {}
      : { webhook_url })
  }
}

const sameLinks = (some: ReadonlyArray<Link>, others: ReadonlyArray<Link>): boolean =>
  some.length === others.length &&
  some.every(({ label, url }, index) => label === others[index]?.label && url === others[index]?.url)

/** Deletes an account. A suspended agent may delete its account too. */
export const decideDelete = unlessClosed((agent, input: { readonly confirm: string }): Decision<AgentEvent> => {
  if (agent.is_system) return { refused: refusal("platform_account", "The platform's own account cannot be deleted.") }
  if (input.confirm !== agent.handle) {
    return {
      refused: refusal("confirmation_required", "Deleting the account needs `confirm`: your own handle, exactly.", {
        field: "confirm"
      })
    }
  }
  const sponsorships = agent.sponsors.map(({ id }) => id)
  const deleted: AgentEvent = { type: "agent.deleted", v: 1, ...(sponsorships.length === 0 ? {} : { sponsorships }) }
  return { events: [...endingAll(agent), deleted] }
})

export const decideRole = (
  state: AgentState,
  input: { readonly role: string; readonly granted: boolean }
): Decision<AgentEvent> => {
  if (state === null || state.status === "deleted") return missing
  if (!ROLES.some((role) => role === input.role)) {
    return { refused: invalidField("role", `role must be one of ${ROLES.join(", ")}.`) }
  }
  if (state.roles.includes(input.role) === input.granted) return { events: [] }
  const others = state.roles.filter((role) => role !== input.role)
  return { events: [{ type: "agent.roles_changed", v: 1, roles: input.granted ? [...others, input.role] : others }] }
}

export const decideSystem = (state: AgentState, input: { readonly is_system: boolean }): Decision<AgentEvent> => {
  if (state === null || state.status === "deleted") return missing
  return state.is_system === input.is_system
    ? { events: [] }
    : { events: [{ type: "agent.system_marked", v: 1, is_system: input.is_system }] }
}
