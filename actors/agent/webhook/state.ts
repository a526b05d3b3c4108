/**
 * The webhook of an agent, as part of its state. An attempt changes it only if the webhook begins to fail, recovers, or
 * is warned about or disabled (contract 4).
 */
import { Schema } from "effect"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import { event } from "../../engine/events.ts"
import type { Notified } from "../notification/state.ts"
import type { Cases, PartOf } from "../part.ts"
import type { ProfileChanged, Registered } from "../profile/state.ts"

export const fields = {
  webhook_url: Schema.NullOr(Schema.String),
  webhook_secret: Schema.NullOr(Sealed),
  webhook: Schema.Struct({
    /** The types of notifications that are delivered; `null` for all. */
    events: Schema.NullOr(Schema.Array(Schema.String)),
    /** Earlier secrets, newest first. Each one also signs until `until` (Unix ms). */
    old: Schema.Array(Schema.Struct({ webhook_secret: Sealed, until: Schema.Number })),
    /** `since`: Unix ms of the first failure after the last success. `warned`: true if the agent was warned. */
    failing: Schema.NullOr(Schema.Struct({ since: Schema.Number, warned: Schema.Boolean })),
    disabled: Schema.NullOr(Schema.Struct({ at: Schema.Number, reason: Schema.String })),
    /** Unix ms at which an operator paused the deliveries. */
    paused: Schema.optionalKey(Schema.Number),
    /**
     * Unix ms of the latest tests and repeated deliveries, oldest first. They are in the state, so that their limit
     * survives a restart of the node.
     */
    tried: Schema.Array(Schema.Number)
  })
}
type Part = PartOf<typeof fields>
type WebhookState = Part["webhook"]

export const events = [
  event("agent.webhook_events_chosen", 1, { events: Schema.NullOr(Schema.Array(Schema.String)) }),
  event("agent.webhook_secret_changed", 1, {
    webhook_secret: Sealed,
    old_until: Schema.Number
  }),
  event("agent.webhook_failing", 1, { since: Schema.Number }),
  event("agent.webhook_recovered", 1),
  event("agent.webhook_warned", 1),
  event("agent.webhook_disabled", 1, { reason: Schema.String }),
  /** The id of the command names the operator. */
  event("agent.webhook_paused", 1),
  event("agent.webhook_resumed", 1),
  event("agent.redelivery_asked", 1, { delivery: Schema.String })
] as const

/** The most tests and repeated deliveries that are remembered. It is above their limit. */
const TRIED_MAX = 100

/** Together with the present one, at most three secrets sign (contract 22). */
const OLD_SECRETS_MAX = 2

export const empty: Part = {
  webhook_url: null,
  webhook_secret: null,
  webhook: { events: null, old: [], failing: null, disabled: null, tried: [] }
}

export const begun = ({ webhook_url, webhook_secret }: Registered): Partial<Part> => ({ webhook_url, webhook_secret })

const changed = ({ webhook }: Part, change: Partial<WebhookState>): Partial<Part> => ({
  webhook: { ...webhook, ...change }
})

const tried = (part: Part, at: number): Partial<Part> =>
  changed(part, { tried: [...part.webhook.tried, at].slice(-TRIED_MAX) })

/** Adds the present secret to the old ones. At most OLD_SECRETS_MAX of these are kept. */
const replaced = ({ webhook_secret, webhook }: Part, until: number, at: number): WebhookState["old"] => {
  const living = webhook.old.filter((one) => at < one.until)
  return webhook_secret === null ? living : [{ webhook_secret, until }, ...living].slice(0, OLD_SECRETS_MAX)
}

export const evolve: Cases<Part, (typeof events)[number]["Type"] | ProfileChanged | Notified> = {
  /** Setting an address resets the webhook, even if the address is the same (contract 4). */
  "agent.profile_changed": (part, { webhook_url }) =>
    webhook_url === undefined ? {} : { webhook_url, ...changed(part, { failing: null, disabled: null }) },
  "agent.webhook_events_chosen": (part, { events }) => changed(part, { events }),
  "agent.webhook_secret_changed": (part, { webhook_secret, old_until }, at) => ({
    webhook_secret,
    ...changed(part, { old: replaced(part, old_until, at) })
  }),
  "agent.webhook_failing": (part, { since }) => changed(part, { failing: { since, warned: false } }),
  "agent.webhook_recovered": (part) => changed(part, { failing: null }),
  "agent.webhook_warned": (part) =>
    changed(part, { failing: part.webhook.failing && { ...part.webhook.failing, warned: true } }),
  "agent.webhook_disabled": (part, { reason }, at) => changed(part, { disabled: { at, reason } }),
  "agent.webhook_paused": (part, _event, at) => changed(part, { paused: at }),
  /** No attempt was possible during the pause, so it does not count as time of failure. */
  "agent.webhook_resumed": ({ webhook: { paused: _paused, ...webhook } }) => ({
    webhook: { ...webhook, failing: null }
  }),
  "agent.notified": (part, { about }, at) => (about === "webhook.test" ? tried(part, at) : {}),
  "agent.redelivery_asked": (part, _event, at) => tried(part, at)
}
