/** The webhook's part of an agent's state. */
import { type Agent, type AgentEvent, TRIED_MAX, type WebhookState } from "../state.ts"

export const evolveWebhook = (agent: Agent, event: AgentEvent, at: number): WebhookState => {
  const { webhook } = agent
  switch (event.type) {
    case "agent.profile_changed":
      // An address, be it the same again, is a fresh start (contract 4).
      return event.webhook_url === undefined ? webhook : { ...webhook, failing: null, disabled: null }
    case "agent.webhook_events_chosen":
      return { ...webhook, events: event.events }
    case "agent.webhook_secret_changed":
      return {
        ...webhook,
        old: agent.webhook_secret === null ? null : { webhook_secret: agent.webhook_secret, until: event.old_until }
      }
    case "agent.webhook_failing":
      return { ...webhook, failing: { since: event.since, warned: false } }
    case "agent.webhook_recovered":
      return { ...webhook, failing: null }
    case "agent.webhook_warned":
      return { ...webhook, failing: webhook.failing && { ...webhook.failing, warned: true } }
    case "agent.webhook_disabled":
      return { ...webhook, disabled: { at, reason: event.reason } }
    case "agent.notified":
      return event.about === "webhook.test" ? triedAt(webhook, at) : webhook
    case "agent.redelivery_asked":
      return triedAt(webhook, at)
    default:
      return webhook
  }
}

const triedAt = (webhook: WebhookState, at: number): WebhookState => ({
  ...webhook,
  tried: [...webhook.tried, at].slice(-TRIED_MAX)
})
