/**
 * Decisions on an agent's webhook (contract 4). Pure.
 *
 * Invariants
 *  - A notification and its delivery are one commit, because `withDelivery` processes every decision of an agent.
 *  - A delivery's id is the number of its notification. That number is never given twice, so a notification has only
 *    one delivery id.
 *  - The notification `webhook.disabled` is not delivered, because the webhook is disabled by then. It also warns of a
 *    webhook that fails, and then `disabled_at` is `null`.
 *  - The state changes at the first failure after a success and at the first success after a failure. It also changes
 *    when the agent is warned and when the webhook is disabled. Other attempts change nothing.
 *  - A receiver's answer counts only while the webhook still has the address that was called.
 */
import type { Limits } from "../../../schemas/limits.ts"
import { notFound, type Refusal, refusal } from "../../../schemas/errors.ts"
import type { Attempted } from "../../../schemas/webhook/operations.ts"
import type { Queued } from "../../../schemas/webhook/api.ts"
import { agentNumber } from "../../../schemas/signing/identity.ts"
import { missing, statusRefusal, unlessSuspended, windowRefusal } from "../decide.ts"
import { iso } from "../../../schemas/iso.ts"
import type { Agent, AgentEvent, AgentState } from "../state.ts"
import { type DeliveryEvent, receiverOf } from "../../delivery/noun.ts"
import type { Companion, Decision } from "../../engine/definition.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"

interface Context {
  readonly id: string
  /** Unix ms. */
  readonly at: number
}

const WITHOUT_DELIVERY: ReadonlySet<string> = new Set(["webhook.disabled"])

/** The destination of this agent's deliveries, or the reason why there is none. */
export const destination = (agent: AgentState): { readonly url: string } | { readonly drop: string } => {
  if (agent === null || agent.status === "deleted") return { drop: "deleted" }
  if (agent.status === "banned") return { drop: "banned" }
  if (agent.webhook_url === null) return { drop: "no_webhook" }
  return agent.webhook.disabled === null ? { url: agent.webhook_url } : { drop: "disabled" }
}

type Notified = Extract<AgentEvent, { type: "agent.notified" }>

const wants = ({ webhook }: Agent, about: string): boolean =>
  !WITHOUT_DELIVERY.has(about) &&
  (webhook.events === null || about === "webhook.test" || webhook.events.includes(about))

const deliveryOf = (
  agent: Agent,
  url: string,
  { notification, about, payload }: Notified,
  { id, at }: Context,
  { webhook }: Limits
): Companion => {
  const { handle, number } = agent
  const body = {
    type: about,
    timestamp: iso(at),
    notification_id: notification,
    agent: { id, hx_id: agentNumber(number), handle },
    payload
  }
  const queued: DeliveryEvent = {
    type: "delivery.queued",
    v: 1,
    agent: id,
    about,
    body: JSON.stringify(body),
    receiver: receiverOf(url)
  }
  return {
    kind: "delivery",
    id: String(notification),
    expected: 0,
    drawn: true,
    events: [queued],
    keepSeconds: webhook.kept_seconds
  }
}

export const withDelivery = (
  agent: AgentState,
  decision: Decision<AgentEvent>,
  context: Context,
  limits: Limits
): Decision<AgentEvent> => {
  if (agent === null || "refused" in decision) return decision
  const to = destination(agent)
  if ("drop" in to) return decision
  const notices = decision.events
    .filter((event) => event.type === "agent.notified")
    .filter(({ about }) => wants(agent, about))
  if (notices.length === 0) return decision
  return {
    ...decision,
    companions: [
      ...(decision.companions ?? []),
      ...notices.map((notice) => deliveryOf(agent, to.url, notice, context, limits))
    ]
  }
}

export const decideChoose = unlessSuspended(
  (agent, { events }: { readonly events: ReadonlyArray<string> | null }): Decision<AgentEvent> => {
    const chosen = events === null ? null : [...new Set(events)].toSorted()
    return JSON.stringify(chosen) === JSON.stringify(agent.webhook.events)
      ? { events: [] }
      : { events: [{ type: "agent.webhook_events_chosen", v: 1, events: chosen }] }
  }
)

export interface SecretReply {
  readonly sealedSecret: string
  /** Unix ms. */
  readonly old_until: number | null
}

export const decideRotateSecret = unlessSuspended(
  (agent, sealedSecret: string, at: number, { webhook }: Limits): Decision<AgentEvent, SecretReply> => {
    const old_until = at + webhook.secret_overlap_seconds * 1000
    const reply: SecretReply = { sealedSecret, old_until: agent.webhook_secret === null ? null : old_until }
    return { events: [{ type: "agent.webhook_secret_changed", v: 1, webhook_secret: sealedSecret, old_until }], reply }
  }
)

/** The refusal of a test or a repeated delivery; `null` if it is possible. */
export const tryRefusal = (state: AgentState, at: number, limits: Limits): Refusal | null => {
  if (state === null) return notFound("agent")
  const closed = statusRefusal(state, true)
  if (closed !== null) return closed
  if (state.webhook_url === null)
    return refusal("webhook_not_set", "There is no webhook: set webhook_url first.", { webhook_url: null })
  if (state.webhook.disabled !== null) {
    const details = { webhook_disabled_at: iso(state.webhook.disabled.at), reason: state.webhook.disabled.reason }
    return refusal(
      "webhook_not_set",
      "The webhook was switched off: set webhook_url again, to the same address or another.",
      details
    )
  }
  return windowRefusal(
    "webhook_test",
    state.webhook.tried,
    at,
    limits,
    (drawn, retryAfter) => `Too many tests: ${drawn}, with repeated deliveries. Try again in ${retryAfter} s.`
  )
}

export const decideTest = (
  state: AgentState,
  context: Context & { readonly facts: NoticeFacts },
  limits: Limits
): Decision<AgentEvent, Queued> => {
  const refused = tryRefusal(state, context.at, limits)
  if (refused !== null) return { refused }
  const { notification } = context.facts
  return {
    events: [notified(notification, "webhook.test", { requested_at: iso(context.at) })],
    reply: queuedReply(notification)
  }
}

const queuedReply = (delivery: number) => ({ queued: true, notification_id: delivery, delivery_id: delivery }) as const

export const decideRedelivery = (
  state: AgentState,
  delivery: string,
  context: Context,
  limits: Limits
): Decision<AgentEvent, Queued> => {
  const refused = tryRefusal(state, context.at, limits)
  if (refused !== null) return { refused }
  return { events: [{ type: "agent.redelivery_asked", v: 1, delivery }], reply: queuedReply(Number(delivery)) }
}

/**
 * An operator pauses the deliveries, even of a suspended or banned account. They wait, and are sent after the pause.
 */
export const decidePause = (state: AgentState): Decision<AgentEvent, Changed> =>
  pauseTo(state, true, { type: "agent.webhook_paused", v: 1 })

export const decideResume = (state: AgentState): Decision<AgentEvent, Changed> =>
  pauseTo(state, false, { type: "agent.webhook_resumed", v: 1 })

interface Changed {
  readonly changed: boolean
}

const pauseTo = (state: AgentState, wanted: boolean, event: AgentEvent): Decision<AgentEvent, Changed> => {
  if (state === null || state.status === "deleted") return missing
  const changed = (state.webhook.paused !== undefined) !== wanted
  return { events: changed ? [event] : [], reply: { changed } }
}

type Consequence = "none" | "recovered" | "failing" | "warned" | "gone" | "failed_too_long"

export const consequence = (
  state: AgentState,
  { url, delivered, gone }: Attempted,
  at: number,
  { webhook }: Limits
): Consequence => {
  const to = destination(state)
  if (state === null || "drop" in to || to.url !== url) return "none"
  const { failing } = state.webhook
  if (delivered) return failing === null ? "none" : "recovered"
  if (gone) return "gone"
  if (failing === null) return "failing"
  if (at - failing.since >= webhook.disable_after_seconds * 1000) return "failed_too_long"
  return !failing.warned && at - failing.since >= webhook.warn_after_seconds * 1000 ? "warned" : "none"
}

export const decideAttempted = (
  state: AgentState,
  attempted: Attempted,
  context: Context & { readonly facts: NoticeFacts },
  limits: Limits
): Decision<AgentEvent> => {
  const { at, facts } = context
  const since = state?.webhook.failing?.since ?? at
  const notice = (reason: string, disabled: boolean): AgentEvent =>
    notified(facts.notification, "webhook.disabled", {
      url: attempted.url,
      reason,
      failing_since: iso(since),
      disabled_at: disabled ? iso(at) : null
    })
  const what = consequence(state, attempted, at, limits)
  switch (what) {
    case "none":
      return { events: [] }
    case "recovered":
      return { events: [{ type: "agent.webhook_recovered", v: 1 }] }
    case "failing":
      return { events: [{ type: "agent.webhook_failing", v: 1, since: at }] }
    case "warned":
      return { events: [{ type: "agent.webhook_warned", v: 1 }, notice("failing", false)] }
    case "gone":
    case "failed_too_long":
      return { events: [{ type: "agent.webhook_disabled", v: 1, reason: what }, notice(what, true)] }
  }
}
