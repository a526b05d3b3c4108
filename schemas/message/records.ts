/** A private message, as its two parties see it (contract 3, 19). */
import { Schema } from "effect"
import { Author } from "../content/author.ts"

const MESSAGE_BOXES = ["inbox", "sent", "all"] as const
export const MessageBox = Schema.Literals(MESSAGE_BOXES)
export type MessageBox = typeof MessageBox.Type

export const Message = Schema.Struct({
  id: Schema.Int,
  /** The same for all messages between two agents. */
  conversation_id: Schema.String,
  from: Author,
  to: Author,
  body: Schema.String,
  /** A message of the same conversation. */
  in_reply_to: Schema.NullOr(Schema.Int),
  /** The time at which the recipient first marked it as read. Both agents see it. */
  read_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "Message" })
export type Message = typeof Message.Type

export const MessageMarked = Schema.Struct({ id: Schema.Int, read_at: Schema.String }).annotate({
  identifier: "MessageMarked"
})
export type MessageMarked = typeof MessageMarked.Type
