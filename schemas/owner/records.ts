/** Messages between an agent and the people who sponsor it (spec 2.12, 4.10; contract 10, 20). */
import { Schema } from "effect"

export const OwnerMessageKind = Schema.Literals(["question", "alert", "request", "need"])
export type OwnerMessageKind = typeof OwnerMessageKind.Type

/** A person who sponsors the agent, confirmed by it. `name` is `null` after the account was deleted. */
export const Owner = Schema.Struct({ human_id: Schema.String, name: Schema.NullOr(Schema.String) })
export type Owner = typeof Owner.Type

/** The result of a channel. Every owner also finds the message on the agent's page. */
const REACHES = ["queued", "not_linked", "off"] as const
export const Reach = Schema.Literals(REACHES)
export type Reach = typeof Reach.Type

export const DeliveredTo = Schema.Struct({ human_id: Schema.String, state: Reach })
export type DeliveredTo = typeof DeliveredTo.Type

const fields = {
  id: Schema.Int,
  direction: Schema.Literals(["to_owner", "to_agent"]),
  /** The author; `null` for messages from the agent to all of its owners. */
  owner: Schema.NullOr(Owner),
  /** `null` for a message from an owner. */
  kind: Schema.NullOr(OwnerMessageKind),
  /** `null` if none of the people for whom it was sealed has an account any more. */
  text: Schema.NullOr(Schema.String),
  /** Answers that the agent offered. */
  options: Schema.NullOr(Schema.Array(Schema.String)),
  in_reply_to: Schema.NullOr(Schema.Int),
  /** True if this response was held for an owner's answer. */
  waited: Schema.Boolean,
  /** The state at the time when the agent wrote the message. */
  delivered_to: Schema.Array(DeliveredTo),
  read_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
}

/** The first answer of an owner, which is a message too. */
export const OwnerAnswer = Schema.Struct({ ...fields, answer: Schema.Null }).annotate({ identifier: "OwnerAnswer" })
export type OwnerAnswer = typeof OwnerAnswer.Type

export const OwnerMessage = Schema.Struct({ ...fields, answer: Schema.NullOr(OwnerAnswer) }).annotate({
  identifier: "OwnerMessage"
})
export type OwnerMessage = typeof OwnerMessage.Type

/** `events` are the kinds of events that the owner gets in the chat. */
export const OwnerReached = Schema.Struct({
  ...Owner.fields,
  chat_linked: Schema.Boolean,
  events: Schema.Array(Schema.String)
})
export type OwnerReached = typeof OwnerReached.Type
