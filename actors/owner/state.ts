/**
 * A message between an agent and its owners, and its events. `null`: it never existed. Its content is sealed
 * (sealed.ts).
 */
import { Schema } from "effect"
import { DeliveredTo, OwnerMessageKind } from "../../schemas/owner/records.ts"
import { Sealed } from "../../schemas/secret/sealed.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

export const SealedFields = {
  /** The content, sealed under a key that is used for nothing else. */
  sealed: Sealed,
  /** The key of `sealed`, sealed for each account that may open it. */
  keys: Schema.Array(Schema.Struct({ human: Schema.String, sealed: Sealed }))
}

const fields = {
  /** The agent's hub id. */
  agent: Schema.String,
  /** The owner who wrote it; `null` for the agent's own messages. */
  human: Schema.NullOr(Schema.String),
  kind: Schema.NullOr(OwnerMessageKind),
  in_reply_to: Schema.NullOr(Schema.Int),
  delivered_to: Schema.Array(DeliveredTo),
  ...SealedFields
}

export const OwnerMessageValue = Schema.Struct({
  ...fields,
  /** Unix ms, like `read_at`. */
  created_at: Schema.Number,
  read_at: Schema.NullOr(Schema.Number)
})
export type OwnerMessageValue = typeof OwnerMessageValue.Type

export const OwnerMessageState = Schema.NullOr(OwnerMessageValue)
export type OwnerMessageState = typeof OwnerMessageState.Type

export const OwnerMessageEvent = Schema.Union([
  event("owner_message.written", 1, fields),
  /** `by`: the agent, or one of its owners. */
  event("owner_message.read", 1, { by: Schema.String })
])
export type OwnerMessageEvent = typeof OwnerMessageEvent.Type

export type OwnerMessageActor = ActorOf<OwnerMessageState, OwnerMessageEvent>

export const evolveOwnerMessage = (
  state: OwnerMessageState,
  event: OwnerMessageEvent,
  { at }: { readonly at: number }
): OwnerMessageState => {
  if (event.type === "owner_message.written") {
    const { agent, human, kind, in_reply_to, delivered_to, sealed, keys } = event
    return { agent, human, kind, in_reply_to, delivered_to, sealed, keys, created_at: at, read_at: null }
  }
  return state === null ? null : { ...state, read_at: state.read_at ?? at }
}
