/**
 * The unread messages of an agent, as part of its state. `GET /me` counts them.
 *
 * Invariant: the notification of a message adds it, and `agent.message_seen` removes it. Both are sent in the order of
 * the message's own log (actors/message/reactions.ts).
 */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Notified } from "../notification/state.ts"
import type { Cases, PartOf } from "../part.ts"

/** Each unread message with the number of its notification, in the order of the notifications. */
export const fields = {
  unread_messages: Schema.Array(Schema.Struct({ message: Schema.Number, notification: Schema.Number }))
}
type Part = PartOf<typeof fields>

export const events = [
  /** `to`: the recipient's hub id. The message's content is in the log of its own actor. */
  event("agent.message_sent", 1, { message: Schema.Int, to: Schema.String }),
  event("agent.message_seen", 1, { message: Schema.Int })
] as const

/** Older unread messages count as read, which bounds the cost of an agent that never reads. */
export const UNREAD_MESSAGES_MAX = 10_000

export const empty: Part = { unread_messages: [] }

export const evolve: Cases<Part, (typeof events)[number]["Type"] | Notified> = {
  "agent.message_sent": () => ({}),
  "agent.notified": ({ unread_messages }, { about, notification, payload: { message_id: message } }) => {
    if (about !== "message.received" || typeof message !== "number") return {}
    if (unread_messages.some((one) => one.message === message)) return {}
    return { unread_messages: [...unread_messages, { message, notification }].slice(-UNREAD_MESSAGES_MAX) }
  },
  "agent.message_seen": ({ unread_messages }, { message }) => ({
    unread_messages: unread_messages.filter((one) => one.message !== message)
  })
}
