/**
 * Kind `chat`, id = the keyed hash of a chat: whose it is. Kind `human`: a person links a chat by a code that only
 * their settings show, and takes it away again. If the two differ, the person's account is right.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

export const chatOperations = operationsOf("chat", {
  /** `seq`: the sequence of the claim in the log, for a write in the same commit. */
  "chat.look": op({
    input: Nothing,
    output: Schema.Struct({ human: Schema.NullOr(Schema.String), seq: Schema.Int }),
    askedBy: []
  })
})

export const chattingOperations = operationsOf("human", {
  /**
   * Makes a code to be sent from the chat. It is valid once, and earlier codes are no longer valid. `bot`: how to find
   * the bot.
   */
  "human.offer_chat": op({
    input: Nothing,
    output: Schema.Struct({ code: Schema.String, bot: Schema.NullOr(Schema.String) }),
    askedBy: ["edge"]
  }),
  /** `code`: sha256, in hex. Refused `token_invalid`, `token_expired`. */
  "human.link_chat": op({
    input: Schema.Struct({ code: Schema.String, chat: Schema.String }),
    output: Nothing,
    askedBy: []
  }),
  /** Checks that this chat (keyed hash) is the linked one. Refused `not_found`. */
  "human.in_chat": op({ input: Schema.Struct({ chat: Schema.String }), output: Nothing, askedBy: [] }),
  /** Unlinking a chat that is not linked is no error. `chat`: only this one (keyed hash); `null`: any. */
  "human.unlink_chat": op({
    input: Schema.Struct({ chat: Schema.NullOr(Schema.String) }),
    output: Nothing,
    askedBy: ["edge"]
  })
})
