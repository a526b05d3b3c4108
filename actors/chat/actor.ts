/**
 * The claim on a chat: id = its keyed hash, so that no subject, key or log line holds its number. The last claimant may
 * have given it up: the account knows.
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
