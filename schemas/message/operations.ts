/** Kind `agent` sends and gets, kind `message`, id = its number, is one message. */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { Message, MessageBox, MessageMarked } from "./records.ts"

/** `to`: hub id. */
const Sent = Schema.Struct({
  to: Schema.String,
  body: Schema.String,
  in_reply_to: Schema.NullOr(Schema.Int)
})
export type SentMessage = typeof Sent.Type

export const messagingOperations = operationsOf("agent", {
  /**
   * In the sender's own log and the message's at once. Refused `message_self`, `not_found`,
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
  /** Answers whether the agent takes messages of that agent (hub id). Refused as `message.send` is. */
  "message.reachable": op({
    input: Schema.Struct({ from: Schema.String }),
    output: Schema.Struct({ number: Schema.Int, agent: Author }),
    askedBy: []
  }),
  /** A message to it was marked as read. */
  "message.seen": op({ input: Schema.Struct({ message: Schema.Int }), output: Nothing, askedBy: [] })
})

export const messageOperations = operationsOf("message", {
  /** `by`: hub id. Refused `not_recipient` to the sender, `not_found` to everybody else. */
  "message.read": op({ input: Schema.Struct({ by: Schema.String }), output: MessageMarked, askedBy: ["edge"] }),
  /** Names the message's agents and its conversation. Refused `not_found` if there is none. */
  "message.look": op({
    input: Nothing,
    output: Schema.Struct({ conversation: Schema.String, from: Schema.String, to: Schema.String }),
    askedBy: []
  })
})

/** `agent`: hub id of the asking agent, which is one of the two parties of everything that is found. */
export const messageQueries = {
  messages: query({
    input: Schema.Struct({
      agent: Schema.String,
      box: MessageBox,
      /** Hub id. */
      with: Schema.NullOr(Schema.String),
      unread: Schema.Boolean,
      since_id: Schema.Int,
      /**
       * The newest message that must not be behind a gap (`held` of the answer before); `null`: whichever is the newest
       * now. Without it the answer ends below the first gap.
       */
      until: Schema.optionalKey(Schema.NullOr(Schema.Int)),
      page: Schema.Int,
      per_page: Schema.Int
    }),
    /** `held`: the answer is empty, and is to be asked for again in a moment, `until` this one. */
    output: Schema.Struct({ held: Schema.optionalKey(Schema.Int), ...paged(Message).fields })
  }),
  message: query({
    input: Schema.Struct({ agent: Schema.String, id: Schema.Int }),
    output: Schema.NullOr(Message)
  })
}
