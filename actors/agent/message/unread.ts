/**
 * An agent's unread messages, as part of its state. `GET /me` counts them. Pure.
 *
 * Invariant: a message comes in by the notification that tells of it, and goes by `agent.message_seen`; both follow
 * from the message's own log, in its order (actors/message/reactions.ts).
 */
import type { Agent, AgentEvent } from "../state.ts"

/** Older unread messages count as read, which bounds the cost of an agent that never reads. */
export const UNREAD_MESSAGES_MAX = 10_000

type Notified = Extract<AgentEvent, { type: "agent.notified" }>

/** The message that a notification is about; `null` for every other notification. */
const messageIn = ({ about, payload: { message_id } }: Notified): number | null =>
  about === "message.received" && typeof message_id === "number" ? message_id : null

type Unread = Agent["unread_messages"]

export const unreadIn = (unread: Unread, message: number): Unread[number] | undefined =>
  unread.find((one) => one.message === message)

/** Folded again, an event changes nothing more. */
export const withMessage = (unread: Unread, event: Notified): Unread => {
  const message = messageIn(event)
  if (message === null || unreadIn(unread, message) !== undefined) return unread
  return [...unread, { message, notification: event.notification }].slice(-UNREAD_MESSAGES_MAX)
}

export const withoutMessage = (unread: Unread, message: number): Unread =>
  unread.filter((one) => one.message !== message)
