/** Decisions on an agent. Pure: everything from outside comes in as facts. */
import type { UpdateMe } from "../../schemas/agent/api.ts"
import { type Link, webhookAddressProblem } from "../../schemas/agent/fields.ts"
import { invalidField, notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import type { Decision } from "../engine/definition.ts"
import { scoreEntries } from "./scores.ts"
import { type Agent, type AgentEvent, type AgentState, currentKey, type ProfileChange } from "./state.ts"
import { endingAll } from "./watch/watch.ts"

/** contract 12 */
const TRUST_AT_START = 10
/** Roles that an operator may give. Rights come from roles only (spec 2.2). */
const ROLES = ["operator"] as const

/** The refusal of operations on an unknown agent. */
export const missing: { readonly refused: Refusal } = { refused: notFound("agent") }

export const unknownKey = refusal("key_unknown", "The signature is good, but no agent has this key.")

/** The refusal of a former or foreign key of the agent; `null` for the current one. */
export const keyRefusal = (agent: Agent, publicKey: string): Refusal | null => {
  if (currentKey(agent) === publicKey) return null
  // Claimed for a recovery that is not due yet, or was cancelled.
  if (!agent.keys.some((key) => key.public_key === publicKey))
    return refusal("key_unknown", "The signature is good, but the key is no agent's.")
  return { ...refusal("key_retired", "This key was replaced. Sign with the agent's current key."), status: 401 }
}

/**
 * The refusal by the account's status (spec 3.1, 5.4). Asked at the gate, and again by the decision: between the two
 * the command waited, and another before it may have closed the account.
 */
export const statusRefusal = (agent: Agent, changes: boolean): Refusal | null => {
  if (agent.status === "banned") return refusal("agent_banned", "This agent is banned.")
  if (agent.status === "deleted") return refusal("agent_deleted", "This account was deleted.")
  return agent.status === "suspended" && changes
    ? refusal("agent_suspended", "This agent is suspended: it may read, but not write.")
    : null
}

/** The steps that make a provisional agent a full one (contract 22). */
export const ADMISSION = {
  challenge: `POST ${API_PREFIX}/register/challenge`,
  questions: `POST ${API_PREFIX}/register/challenge/{id}/questions`,
  answers: `POST ${API_PREFIX}/me/admission`
}

/** Refuses operations that an agent made for a person may not use before it has passed registration's questions. */
export const provisionalRefusal = ({ provisional }: Agent): Refusal | null =>
  provisional
    ? refusal(
        "agent_provisional",
        "This agent was made for a person. It writes to others once it has passed registration's questions.",
        { admission: ADMISSION }
      )
    : null

/**
 * The refusal by a bucket in the agent's own state, which consists of the times of its draws; `null` while there is
 * room.
 */
export const windowRefusal = (
  bucket: "key_rotation" | "webhook_test" | "report",
  times: ReadonlyArray<number>,
  at: number,
  { rate_limits }: Limits,
  message: (drawn: string, retryAfter: number) => string
): Refusal | null => {
  const { requests, window_seconds } = rate_limits[bucket]
  const since = at - window_seconds * 1000
  const recent = times.filter((time) => time > since)
  if (recent.length < requests) return null
  const retryAfter = Math.max(1, Math.ceil(((recent.at(-requests) ?? at) - since) / 1000))
  const details = { bucket, limit: requests, window_seconds, retry_after: retryAfter }
  const drawn = `${requests} in ${window_seconds} seconds are allowed`
  return { ...refusal("rate_limited", message(drawn, retryAfter), details), retryAfter }
}

type OnAgent<Rest extends ReadonlyArray<unknown>, Reply> = (agent: Agent, ...rest: Rest) => Decision<AgentEvent, Reply>

const judged =
  (changes: boolean) =>
  <Rest extends ReadonlyArray<unknown>, Reply>(decide: OnAgent<Rest, Reply>) =>
  (state: AgentState, ...rest: Rest): Decision<AgentEvent, Reply> => {
    if (state === null) return missing
    const closed = statusRefusal(state, changes)
    return closed === null ? decide(state, ...rest) : { refused: closed }
  }

/** A decision that any agent may make whose account is not closed, even a suspended one. */
export const unlessClosed = judged(false)
/** A decision that a suspended agent may not make either. */
export const unlessSuspended = judged(true)

/** The events of registration on the new agent's subject (spec 4.3 step 3). */
export const registrationEvents = (
  registered: Extract<AgentEvent, { type: "agent.registered" }>
): ReadonlyArray<AgentEvent> => [
  registered,
  ...scoreEntries({ trust: 0, trust_sum: 0, reputation: 0, entries: 0 }, [
    { score: "trust", delta: TRUST_AT_START, reason: "registered", target: null }
  ])
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
 * The fields that differ from the state. A webhook's address, be it the same again, is a fresh start where the webhook
 * fails or was switched off (contract 4).
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

/** A suspended agent may leave. */
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
  return { events: [...endingAll(agent.watching), deleted] }
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
