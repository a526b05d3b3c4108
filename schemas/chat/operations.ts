/**
 * Kind `chat`, whose id is the keyed hash of a chat, has the person to whom the chat is linked. Kind `human` links a
 * chat by a code that only the person's settings show, and unlinks it. If the two actors differ, the person's account
 * counts.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

export const chatOperations = operationsOf("chat", {
  /** `seq` is the sequence of the claim in the log, for a write in the same commit. */
  "chat.look": op({
    input: Nothing,
    output: Schema.Struct({ human: Schema.NullOr(Schema.String), seq: Schema.Int }),
    askedBy: []
  })
})

export const chattingOperations = operationsOf("human", {
  /**
   * Makes a code that the person sends from the chat. It is valid once, and makes earlier codes invalid. `bot` is the
   * bot's name at the chat service; `null` if it is not known.
   */
  "human.offer_chat": op({
    input: Nothing,
    output: Schema.Struct({ code: Schema.String, bot: Schema.NullOr(Schema.String) }),
    askedBy: ["edge"]
  }),
  /** `code` is the sha256 of the code in hex. Refused `token_invalid`, `token_expired`. */
  "human.link_chat": op({
    input: Schema.Struct({ code: Schema.String, chat: Schema.String }),
    output: Nothing,
    askedBy: []
  }),
  /** Checks that this chat (keyed hash) is the linked one. Refused `not_found`. */
  "human.in_chat": op({ input: Schema.Struct({ chat: Schema.String }), output: Nothing, askedBy: [] }),
  /**
   * Unlinks the chat with the keyed hash `chat`, or whichever chat is linked if `chat` is `null`. It is no error if no
   * chat is linked.
   */
  "human.unlink_chat": op({
    input: Schema.Struct({ chat: Schema.NullOr(Schema.String) }),
    output: Nothing,
    askedBy: ["edge"]
  })
})
