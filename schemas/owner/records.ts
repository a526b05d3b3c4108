/** Messages between an agent and the people who carry it (spec 2.12, 4.10; contract 10, 20). */
import { Schema } from "effect"

export const OwnerMessageKind = Schema.Literals(["question", "alert", "request", "need"])
export type OwnerMessageKind = typeof OwnerMessageKind.Type

/** A person who carries the agent, confirmed by it. `name`: `null` once the account is deleted. */
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
  /** `null` for what an owner wrote. */
  kind: Schema.NullOr(OwnerMessageKind),
  /** `null` once none of the people whom it was sealed for has an account any more. */
  text: Schema.NullOr(Schema.String),
  /** Answers that the agent offered. */
  options: Schema.NullOr(Schema.Array(Schema.String)),
  in_reply_to: Schema.NullOr(Schema.Int),
  /** True if this response was held until an owner answered. */
  waited: Schema.Boolean,
  /** As it was when the agent wrote it. */
  delivered_to: Schema.Array(DeliveredTo),
  read_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
}

/** The first answer of an owner, as the message that it is. */
export const OwnerAnswer = Schema.Struct({ ...fields, answer: Schema.Null }).annotate({ identifier: "OwnerAnswer" })
export type OwnerAnswer = typeof OwnerAnswer.Type

export const OwnerMessage = Schema.Struct({ ...fields, answer: Schema.NullOr(OwnerAnswer) }).annotate({
  identifier: "OwnerMessage"
})
export type OwnerMessage = typeof OwnerMessage.Type

/** `events`: what the owner has told of in the chat. */
export const OwnerReached = Schema.Struct({
  ...Owner.fields,
  chat_linked: Schema.Boolean,
  events: Schema.Array(Schema.String)
})
export type OwnerReached = typeof OwnerReached.Type
