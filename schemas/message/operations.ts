/** Kind `agent` sends and receives messages. Kind `message` is one message; its id is its number. */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { Message, MessageBox, MessageMarked } from "./records.ts"

/** `to` is a hub id. */
const Sent = Schema.Struct({
  to: Schema.String,
  body: Schema.String,
  in_reply_to: Schema.NullOr(Schema.Int)
})
export type SentMessage = typeof Sent.Type

export const messagingOperations = operationsOf("agent", {
  /**
   * Writes to the logs of the sender and of the message in one commit. Refused `message_self`, `not_found`,
   * `message_recipient_unavailable` or `message_blocked` for the recipient, `validation_error` for an `in_reply_to` of
   * another conversation.
   */
  "message.send": op({
    input: Sent,
    output: Schema.Struct({
      id: Schema.Int,
      conversation_id: Schema.String,
      from: Author,
      to: Author,
      created_at: Schema.String
    }),
    askedBy: ["edge"]
  }),
  /** Checks that the agent accepts messages from `from` (a hub id). Refused like `message.send` if it does not. */
  "message.reachable": op({
    input: Schema.Struct({ from: Schema.String }),
    output: Schema.Struct({ number: Schema.Int, agent: Author }),
    askedBy: []
  }),
  /** A message to the agent was marked as read. */
  "message.seen": op({ input: Schema.Struct({ message: Schema.Int }), output: Nothing, askedBy: [] })
})

export const messageOperations = operationsOf("message", {
  /** `by` is a hub id. Refused `not_recipient` for the sender, `not_found` for everybody else. */
  "message.read": op({ input: Schema.Struct({ by: Schema.String }), output: MessageMarked, askedBy: ["edge"] }),
  /** The two agents and the conversation of a message. Refused `not_found` if there is none. */
  "message.look": op({
    input: Nothing,
    output: Schema.Struct({ conversation: Schema.String, from: Schema.String, to: Schema.String }),
    askedBy: []
  })
})

/** `agent` is the hub id of the asking agent. Only messages from it and to it are found. */
export const messageQueries = {
  messages: query({
    input: Schema.Struct({
      agent: Schema.String,
      box: MessageBox,
      /** The hub id of the other agent. */
      with: Schema.NullOr(Schema.String),
      unread: Schema.Boolean,
      since_id: Schema.Int,
      /**
       * The id of the newest message that must not be hidden by a gap (`held` of the answer before); `null` for the
       * newest at present. If absent, the answer ends below the first gap.
       */
      until: Schema.optionalKey(Schema.NullOr(Schema.Int)),
      page: Schema.Int,
      per_page: Schema.Int
    }),
    /** If `held` is present, the answer is empty. Ask again after a moment with this value as `until`. */
    output: Schema.Struct({ held: Schema.optionalKey(Schema.Int), ...paged(Message).fields })
  }),
  message: query({
    input: Schema.Struct({ agent: Schema.String, id: Schema.Int }),
    output: Schema.NullOr(Message)
  })
}
