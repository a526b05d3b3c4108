/** Folds the webhook's events into the agent's state. */
import { type Agent, type AgentEvent, TRIED_MAX, type WebhookState } from "../state.ts"

/** With the present one, three secrets sign at most (contract 22). */
const OLD_SECRETS_MAX = 2

export const evolveWebhook = (agent: Agent, event: AgentEvent, at: number): WebhookState => {
  const { webhook } = agent
  switch (event.type) {
    case "agent.profile_changed":
      // An address, be it the same again, is a fresh start (contract 4).
      return event.webhook_url === undefined ? webhook : { ...webhook, failing: null, disabled: null }
    case "agent.webhook_events_chosen":
      return { ...webhook, events: event.events }
    case "agent.webhook_secret_changed":
      return { ...webhook, old: replaced(agent, event.old_until, at) }
    case "agent.webhook_failing":
      return { ...webhook, failing: { since: event.since, warned: false } }
    case "agent.webhook_recovered":
      return { ...webhook, failing: null }
    case "agent.webhook_warned":
      return { ...webhook, failing: webhook.failing && { ...webhook.failing, warned: true } }
    case "agent.webhook_disabled":
      return { ...webhook, disabled: { at, reason: event.reason } }
    case "agent.webhook_paused":
      return { ...webhook, paused: at }
    case "agent.webhook_resumed": {
      const { paused: _paused, ...rest } = webhook
      // No attempt was possible meanwhile: the time of the pause is no time of failure.
      return { ...rest, failing: null }
    }
    case "agent.notified":
      return event.about === "webhook.test" ? triedAt(webhook, at) : webhook
    case "agent.redelivery_asked":
      return triedAt(webhook, at)
    default:
      return webhook
  }
}

/** Makes the present secret an old one. Besides it and its successor, one more may sign. */
const replaced = ({ webhook_secret, webhook }: Agent, until: number, at: number): WebhookState["old"] => {
  const living = webhook.old.filter((one) => at < one.until)
  return webhook_secret === null ? living : [{ webhook_secret, until }, ...living].slice(0, OLD_SECRETS_MAX)
}

const triedAt = (webhook: WebhookState, at: number): WebhookState => ({
  ...webhook,
  tried: [...webhook.tried, at].slice(-TRIED_MAX)
})
