/** The state of a private message and its events (contract 3, 19). Its text is in the log and in the table. */
import { Schema } from "effect"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

const Message = Schema.Struct({
  /** Hub ids of the sender and the recipient. */
  from: Schema.String,
  to: Schema.String,
  conversation: Schema.String,
  /** Unix ms. */
  read_at: Schema.NullOr(Schema.Number)
})
type Message = typeof Message.Type

/** `null` is a message that was never sent. */
export const MessageState = Schema.NullOr(Message)
export type MessageState = typeof MessageState.Type

export const MessageEvent = Schema.Union([
  event("message.sent", 1, {
    from: Schema.String,
    to: Schema.String,
    conversation: Schema.String,
    in_reply_to: Schema.NullOr(Schema.Int),
    body: Schema.String
  }),
  event("message.read", 1, { by: Schema.String }),
  /** The number was drawn and then refused, or not used in time. So no message can have it any more. */
  event("message.voided", 1, {})
])
export type MessageEvent = typeof MessageEvent.Type

export type MessageActor = ActorOf<MessageState, MessageEvent>

export const evolveMessage = (
  state: MessageState,
  event: MessageEvent,
  { at }: { readonly at: number }
): MessageState => {
  if (event.type === "message.sent") {
    const { from, to, conversation } = event
    return { from, to, conversation, read_at: null }
  }
  if (event.type === "message.voided") return state
  return state && { ...state, read_at: state.read_at ?? at }
}

/**
 * The conversation of two agents, identified by their numbers. Numbers never change, so no other pair has the same
 * conversation.
 */
export const conversationOf = (one: number, other: number): string => `${Math.min(one, other)}-${Math.max(one, other)}`
