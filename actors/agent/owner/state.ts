/**
 * An agent's messages with owners, as part of its state.
 *
 * Invariants
 *  - The first answer to a message is final.
 *  - The notification of an owner's message adds it to `unread`, and `agent.owner_message_seen` removes it.
 */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Notified } from "../notification/state.ts"
import type { Cases, PartOf } from "../part.ts"

export const fields = {
  owners: Schema.Struct({
    /** Unread messages, each with the number of its notification, in the order of the notifications. */
    unread: Schema.Array(Schema.Struct({ message: Schema.Number, notification: Schema.Number })),
    /** The agent's latest answered messages, each with its first answer. */
    answered: Schema.Array(Schema.Struct({ message: Schema.Number, answer: Schema.Number }))
  })
}
export type Owners = PartOf<typeof fields>

export const events = [
  /** The message's content is in the log of its own actor. */
  event("agent.owner_written", 1, { message: Schema.Int }),
  /** `answer`: the number of the message in which an owner answers. */
  event("agent.owner_answered", 1, { message: Schema.Int, answer: Schema.Int }),
  event("agent.owner_message_seen", 1, { message: Schema.Int })
] as const

/** Older messages count as read and as not answered, which bounds the cost of an agent that never reads. */
const UNREAD_MAX = 1000
export const ANSWERED_MAX = 200

export const empty: Owners = { owners: { unread: [], answered: [] } }

export const answerIn = ({ owners: { answered } }: Owners, message: number): number | null =>
  answered.find((one) => one.message === message)?.answer ?? null

export const evolve: Cases<Owners, (typeof events)[number]["Type"] | Notified> = {
  "agent.owner_written": () => ({}),
  "agent.owner_answered": (part, { message, answer }) => {
    const { owners } = part
    if (answerIn(part, message) !== null) return {}
    return { owners: { ...owners, answered: [...owners.answered, { message, answer }].slice(-ANSWERED_MAX) } }
  },
  "agent.owner_message_seen": ({ owners }, event) => ({
    owners: { ...owners, unread: owners.unread.filter(({ message }) => message !== event.message) }
  }),
  "agent.notified": ({ owners }, { about, notification, payload: { message_id: message } }) => {
    if (about !== "owner.message" || typeof message !== "number") return {}
    if (owners.unread.some((one) => one.message === message)) return {}
    return { owners: { ...owners, unread: [...owners.unread, { message, notification }].slice(-UNREAD_MAX) } }
  }
}
