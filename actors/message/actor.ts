/**
 * A private message. Its id is its number. The sender's actor creates it (actors/agent/message/), and this actor owns
 * it afterwards.
 */
import { messageOperations } from "../../schemas/message/operations.ts"
import { iso } from "../../schemas/iso.ts"
import { read, write } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { decideRead, noMessage } from "./decide.ts"
import { evolveMessage, type MessageActor, MessageEvent, MessageState } from "./state.ts"

const fold: Fold<MessageActor> = {
  kind: "message",
  state: MessageState,
  initial: null,
  events: MessageEvent,
  evolve: evolveMessage
}

export const messageKind = kind(fold, messageOperations, () => ({
  operations: {
    "message.read": write({
      decide: decideRead,
      answer: (state, _reply, { id, at }) => ({ id: Number(id), read_at: iso(existing(state).read_at ?? at) }),
      projected: true
    }),
    "message.look": read((state) =>
      state === null ? noMessage : { data: { conversation: state.conversation, from: state.from, to: state.to } }
    )
  }
}))
