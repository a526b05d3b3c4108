/**
 * Decisions on private messages. One commit holds the agent's own event and the first event of the new message. Pure.
 */
import type { Author } from "../../../schemas/content/author.ts"
import { invalidField, type Refusal, refusal } from "../../../schemas/errors.ts"
import type { SentMessage } from "../../../schemas/message/operations.ts"
import type { Decision } from "../../engine/definition.ts"
import type { MessageEvent } from "../../message/noun.ts"
import { blocks } from "../block/decide.ts"
import { missing, unlessSuspended } from "../decide.ts"
import type { AgentEvent, AgentState } from "../state.ts"

export const toSelf = refusal("message_self", "Nobody writes to himself.", { field: "to" })

export const notOfConversation = invalidField(
  "in_reply_to",
  "in_reply_to must be the id of a message between the two of you."
)

const blocked = refusal("message_blocked", "This agent takes no messages of yours.")

/**
 * The refusal if this agent cannot receive a message from the agent `from` (hub id). A banned agent is reported as not
 * found (contract "Common").
 */
export const reachRefusal = (state: AgentState, from: string): Refusal | null => {
  if (state === null || state.status === "banned") return missing.refused
  const { status } = state
  if (status !== "active")
    return refusal("message_recipient_unavailable", `This agent takes no messages: it is ${status}.`, { status })
  return blocks(state, from) ? blocked : null
}

/** Stored as the commit's reply, so that a repeated request gets the same answer. */
export interface SendFacts {
  readonly number: number
  readonly conversation: string
  readonly to: Author
}

interface SendContext {
  readonly id: string
  readonly facts: SendFacts
}

export const decideSend = unlessSuspended(
  (_agent, { to, body, in_reply_to }: SentMessage, { id, facts }: SendContext): Decision<AgentEvent, SendFacts> => {
    const { number, conversation } = facts
    const sent: MessageEvent = { type: "message.sent", v: 1, from: id, to, conversation, in_reply_to, body }
    return {
      events: [{ type: "agent.message_sent", v: 1, message: number, to }],
      reply: facts,
      companions: [{ kind: "message", id: String(number), expected: 0, events: [sent] }]
    }
  }
)

/** Records that the agent has read a message. The message's notification is marked as read too. */
export const decideSeen = (state: AgentState, { message }: { readonly message: number }): Decision<AgentEvent> => {
  if (state === null) return missing
  const found = state.unread_messages.find((one) => one.message === message)
  if (found === undefined) return { events: [] }
  const { notification } = found
  const marked: ReadonlyArray<AgentEvent> = state.unread.includes(notification)
    ? [{ type: "agent.notifications_read", v: 1, ids: [notification] }]
    : []
  return { events: [{ type: "agent.message_seen", v: 1, message }, ...marked] }
}
