/**
 * An agent's messages with owners as part of its state, and its events' effects. Pure.
 *
 * Invariants
 *  - The first answer to a message is final. A request that waits for it gets the same answer as every later one.
 *  - A message from an owner comes in by the notification that tells of it, and goes by `agent.owner_message_seen`.
 */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"

export const OwnersState = Schema.Struct({
  /** Unread messages, each with its notification, in the order of the notifications. */
  unread: Schema.Array(Schema.Struct({ message: Schema.Number, notification: Schema.Number })),
  /** The latest messages of its own that were answered, each with the first answer. */
  answered: Schema.Array(Schema.Struct({ message: Schema.Number, answer: Schema.Number }))
})
export type OwnersState = typeof OwnersState.Type

export const OWNER_EVENTS = [
  /** A message to its owners. The message itself is in its own log. */
  event("agent.owner_written", 1, { message: Schema.Int }),
  /** `answer`: the message in which an owner answers. */
  event("agent.owner_answered", 1, { message: Schema.Int, answer: Schema.Int }),
  /** A message from an owner was read. */
  event("agent.owner_message_seen", 1, { message: Schema.Int })
] as const
export type OwnerEvent = (typeof OWNER_EVENTS)[number]["Type"]

export const NO_OWNER_MESSAGES: OwnersState = { unread: [], answered: [] }

/** Older ones count as read and not answered, which bounds the cost of an agent that never reads. */
const UNREAD_MAX = 1000
export const ANSWERED_MAX = 200

export const evolveOwners = (owners: OwnersState, event: OwnerEvent): OwnersState => {
  switch (event.type) {
    case "agent.owner_written":
      return owners
    case "agent.owner_answered": {
      const { message, answer } = event
      if (answerIn(owners, message) !== null) return owners
      return { ...owners, answered: [...owners.answered, { message, answer }].slice(-ANSWERED_MAX) }
    }
    case "agent.owner_message_seen":
      return { ...owners, unread: owners.unread.filter(({ message }) => message !== event.message) }
  }
}

export const answerIn = ({ answered }: OwnersState, message: number): number | null =>
  answered.find((one) => one.message === message)?.answer ?? null

interface Notified {
  readonly about: string
  readonly notification: number
  readonly payload: Readonly<Record<string, unknown>>
}

/** Folded again, an event changes nothing more. */
export const withOwnerMessage = (owners: OwnersState, { about, notification, payload }: Notified): OwnersState => {
  const message = payload["message_id"]
  if (about !== "owner.message" || typeof message !== "number") return owners
  if (owners.unread.some((one) => one.message === message)) return owners
  return { ...owners, unread: [...owners.unread, { message, notification }].slice(-UNREAD_MAX) }
}
