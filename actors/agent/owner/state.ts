/**
 * An agent's messages with owners, as part of its state.
 *
 * Invariants
 *  - The first answer to a message is final. A request that waits for it gets the same answer as every later one.
 *  - A message from an owner comes in by the notification that tells of it, and goes by `agent.owner_message_seen`.
 */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Notified } from "../notification/state.ts"
import type { Cases, PartOf } from "../part.ts"

export const fields = {
  owners: Schema.Struct({
    /** Unread messages, each with its notification, in the order of the notifications. */
    unread: Schema.Array(Schema.Struct({ message: Schema.Number, notification: Schema.Number })),
    /** The latest messages of its own that were answered, each with the first answer. */
    answered: Schema.Array(Schema.Struct({ message: Schema.Number, answer: Schema.Number }))
  })
}
export type Owners = PartOf<typeof fields>

export const events = [
  /** A message to its owners. The message itself is in its own log. */
  event("agent.owner_written", 1, { message: Schema.Int }),
  /** `answer`: the message in which an owner answers. */
  event("agent.owner_answered", 1, { message: Schema.Int, answer: Schema.Int }),
  /** A message from an owner was read. */
  event("agent.owner_message_seen", 1, { message: Schema.Int })
] as const

/** Older ones count as read and not answered, which bounds the cost of an agent that never reads. */
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
  /** Folded again, an event changes nothing more. */
  "agent.notified": ({ owners }, { about, notification, payload: { message_id: message } }) => {
    if (about !== "owner.message" || typeof message !== "number") return {}
    if (owners.unread.some((one) => one.message === message)) return {}
    return { owners: { ...owners, unread: [...owners.unread, { message, notification }].slice(-UNREAD_MAX) } }
  }
}
