/**
 * The agent actor's operations for its vault: notifications of alerts and of owners' consents, and the admission of
 * access tokens. Alerts reach the owners too.
 */
import { Effect } from "effect"
import type { Limits } from "../../../schemas/limits.ts"
import type { newsOperations, tokenOperations } from "../../../schemas/vault/operations.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import type { NotificationName } from "../../../schemas/notification/types.ts"
import { type Decision, once, write } from "../../engine/definition.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { holdersPart } from "../../limit/noun.ts"
import { missing, statusRefusal } from "../decide.ts"
import { drawAll } from "../gate.ts"
import { drawNotification } from "../notification/draw.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import type { AgentActor, AgentEvent, AgentState } from "../state.ts"

const JOURNAL = `${API_PREFIX}/vault/log`
const LINKS = { url: JOURNAL, api_url: JOURNAL }

/** Notifies the agent. A closed account gets nothing. */
const decideNews = (
  state: AgentState,
  about: NotificationName,
  payload: Readonly<Record<string, unknown>>,
  { notification }: NoticeFacts
): Decision<AgentEvent> => {
  if (state === null) return missing
  if (state.status === "deleted" || state.status === "banned") return { events: [] }
  return { events: [notified(notification, about, { ...payload, ...LINKS })] }
}

/** The bucket that all sources of the agent share. It has a part of the requests of the agent's own bucket. */
const SOURCES = "vault_sources"

const withSources = (limits: Limits) => {
  const { requests, window_seconds } = limits.rate_limits.agent
  const ofSources = { requests: holdersPart(requests), window_seconds }
  return { ...limits, rate_limits: { ...limits.rate_limits, [SOURCES]: ofSources } }
}

/**
 * The agent's rate limit also applies to its fill services. Sources belong to others, so they do not use up the agent's
 * requests. All holders are refused when the account is closed (contract 17).
 */
export const operations = ({
  config
}: KindParts): Operating<typeof newsOperations & typeof tokenOperations, AgentActor> => {
  const limits = withSources(config.limits)
  return {
    "agent.vault_alert": write({
      prepare: () => drawNotification,
      decide: (state, alert, { facts }) => decideNews(state, "vault.alert", alert, facts),
      answer: () => null
    }),
    "agent.vault_consent": write({
      prepare: () => drawNotification,
      decide: (state, { fill, entry, origin, allowed }, { facts }) =>
        decideNews(state, "vault.consent", { fill_id: fill, entry_id: entry, origin, allowed }, facts),
      answer: () => null
    }),
    "agent.admit_token": once((state, { writes, source }, { memory, at }) =>
      Effect.suspend(() => {
        if (state === null) return Effect.fail(missing.refused)
        const refused = statusRefusal(state, writes)
        if (refused !== null) return Effect.fail(refused)
        const verdict = drawAll(memory, limits, [source === true ? SOURCES : "agent"], at)
        return "pass" in verdict && !verdict.pass ? Effect.fail(verdict.refused) : Effect.succeed(null)
      })
    )
  }
}
