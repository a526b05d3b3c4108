/** The agent actor's operations for news of its vault: alerts, which its owners also get, and consents of owners. */
import { newsOperations } from "../../../schemas/vault/operations.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import type { NotificationName } from "../../../schemas/notification/types.ts"
import { type Decision, write } from "../../engine/definition.ts"
import type { Operating } from "../../kit/kind.ts"
import { missing } from "../decide.ts"
import { drawNotification } from "../notification/draw.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import type { AgentActor, AgentEvent, AgentState } from "../state.ts"

const JOURNAL = `${API_PREFIX}/vault/log`
const LINKS = { url: JOURNAL, api_url: JOURNAL }

/** Requires an existing account. */
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

export const vaultNews: Operating<typeof newsOperations, AgentActor> = {
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
  })
}
