/**
 * The claim on a chat. Its id is the keyed hash of the chat's number, so that subjects and keys do not contain the
 * number. A claim stays when the account unlinks the chat. The account's state tells whether the chat is still linked.
 */
import { Effect, Schema } from "effect"
import { chatOperations } from "../../schemas/chat/operations.ts"
import { custom } from "../engine/definition.ts"
import { event } from "../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"

export const ChatClaim = Schema.Struct({ human: Schema.NullOr(Schema.String) })
export type ChatClaim = typeof ChatClaim.Type

export const ChatClaimEvent = Schema.Union([event("chat.claimed", 1, { human: Schema.String })])
export type ChatClaimEvent = typeof ChatClaimEvent.Type

const evolveChatClaim = (_state: ChatClaim, { human }: ChatClaimEvent): ChatClaim => ({ human })

const fold: Fold<ActorOf<ChatClaim, ChatClaimEvent>> = {
  kind: "chat",
  state: ChatClaim,
  initial: { human: null },
  events: ChatClaimEvent,
  evolve: evolveChatClaim
}

export const chatKind = kind(fold, chatOperations, () => ({
  operations: { "chat.look": custom(({ human }, _input, { seq }) => Effect.succeed({ human, seq })) }
}))
