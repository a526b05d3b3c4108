/**
 * The events that owners may be notified of by letter, in the chat or in their browsers, in addition to their pages
 * (spec 6; contract 10, 20).
 */
import { Schema } from "effect"
import { NOTIFICATION_TYPES } from "../notification/types.ts"

/** Requests of an agent to its owners: a message, a captcha, a consent to a fill. */
export const OWNER_ASKED = "owner.asked"
export const CAPTCHA_ASKED = "captcha.asked"
export const CONSENT_ASKED = "vault.consent_asked"
/** Sent to the present owners when one more was confirmed. */
export const OWNER_CONFIRMED = "owner.confirmed"

/** Used instead of an agent and an event for a letter about many events. */
export const DIGEST = { agent: "", event: "digest" }

export const CHANNELS = ["email", "chat", "push"] as const
export type Channel = (typeof CHANNELS)[number]

/** The ways in which an owner is notified of an event. */
export const Choice = Schema.Struct({ email: Schema.Boolean, chat: Schema.Boolean, push: Schema.Boolean })
export type Choice = typeof Choice.Type

/** The stored form. Choices from before push messages existed do not name them. */
export const StoredChoice = Schema.Struct({ ...Choice.fields, push: Schema.optionalKey(Schema.Boolean) })

export interface RelayedEvent {
  readonly event: string
  readonly description: string
  readonly byDefault: Choice
}

/** Events that an owner caused, or that only programs read. */
const NOT_RELAYED: ReadonlySet<string> = new Set(["webhook.test", "owner.message", "captcha.answered", "vault.consent"])

/**
 * Security events: the vault, keys, recovery, standing, new owners (contract 22). They are also sent by letter if the
 * owner has chosen nothing, and have their own limits.
 */
const SECURITY: ReadonlySet<string> = new Set([
  "vault.alert",
  OWNER_CONFIRMED,
  "agent.key_rotated",
  "agent.recovery_changed",
  "agent.recovery_scheduled",
  "agent.recovery_cancelled",
  "moderation.suspended",
  "moderation.reinstated",
  "moderation.appeal_denied",
  "moderation.warned"
])

/** Requests of the agent itself, which has its own limits for them. */
const ASKED: ReadonlySet<string> = new Set([OWNER_ASKED, CAPTCHA_ASKED, CONSENT_ASKED])

export const isAsked = (event: string): boolean => ASKED.has(event)

export const isSecurity = (event: string): boolean => SECURITY.has(event)

const own = (event: string, description: string): RelayedEvent => ({
  event,
  description,
  byDefault: { email: isSecurity(event), chat: true, push: true }
})

/** Words a description that addresses the agent for its owner. */
const toOwner = (description: string): string => `To the agent: “${description}”`

export const RELAYED_EVENTS: ReadonlyArray<RelayedEvent> = [
  own(OWNER_ASKED, "The agent asks or tells you something."),
  own(CAPTCHA_ASKED, "The agent needs you to solve a captcha."),
  own(CONSENT_ASKED, "A secret of the agent's vault is to be used, and you have to allow it."),
  own(OWNER_CONFIRMED, "Another person was confirmed as an owner of the agent. You may approve or object."),
  ...NOTIFICATION_TYPES.filter(({ type }) => !NOT_RELAYED.has(type)).map(
    ({ type, description, owner_relay_default }) => ({
      event: type,
      description: toOwner(description),
      byDefault: { email: isSecurity(type), chat: owner_relay_default, push: owner_relay_default }
    })
  )
]

/** The name of the form's checkbox for an event and a channel. */
export const boxOf = (channel: Channel, event: string): string => `${channel}:${event}`

const BY_NAME = new Map(RELAYED_EVENTS.map((one) => [one.event, one]))

export const relayedEvent = (event: string): RelayedEvent | null => BY_NAME.get(event) ?? null

export const isRelayed = (event: string): boolean => BY_NAME.has(event)
