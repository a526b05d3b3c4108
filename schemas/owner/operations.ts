/**
 * Operations and queries about an agent's owners and the messages between them. An actor of the kind `agent` writes to
 * its owners and gets their answers. An actor of the kind `owner_message` is one message, and its id is the message's
 * number. The texts are sealed in the log and in the tables.
 */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { DeliveredTo, OwnerAnswer, OwnerMessage, OwnerMessageKind, OwnerReached, Reach } from "./records.ts"

const Written = Schema.Struct({
  text: Schema.String,
  kind: OwnerMessageKind,
  options: Schema.NullOr(Schema.Array(Schema.String))
})
export type WrittenToOwners = typeof Written.Type

const Answered = Schema.Struct({
  human: Schema.String,
  /** The number of the message that it answers. */
  message: Schema.NullOr(Schema.Int),
  text: Schema.String
})
export type AnsweredByOwner = typeof Answered.Type

/** The reasons to hold a request open. An agent may have one held request for each of them, over all edges. */
const Purpose = Schema.Literals(["message", "captcha", "consent", "fill_captcha"])
export type WaitPurpose = typeof Purpose.Type

/** An owner of an agent, as decisions on consent see it. Times are Unix ms. */
export const OwnerStanding = Schema.Struct({
  sponsorship: Schema.Int,
  human: Schema.String,
  since: Schema.Number,
  /** True if the person's address is verified. */
  verified: Schema.Boolean,
  /**
   * The people who were owners when this owner was confirmed, and who were notified of that, with the time of the
   * notification.
   */
  told: Schema.Struct({ humans: Schema.Array(Schema.String), at: Schema.Number }),
  /** Each earlier owner's last answer about this owner. */
  opinions: Schema.Array(Schema.Struct({ human: Schema.String, approves: Schema.Boolean }))
})
export type OwnerStanding = typeof OwnerStanding.Type

/** A later owner, as shown to an earlier owner. */
export const LaterOwner = Schema.Struct({
  sponsorship: Schema.Int,
  human: Schema.String,
  confirmed_at: Schema.String,
  /**
   * The time from which the later owner may consent to fills of older entries without approval, if no earlier owner
   * objects.
   */
  waits_until: Schema.String,
  /** The earlier owner's last answer about the later one; `null` if there is none. */
  approves: Schema.NullOr(Schema.Boolean)
})
export type LaterOwner = typeof LaterOwner.Type

export const owningOperations = operationsOf("agent", {
  /** Sends a message to all owners of the agent. Refused `owner_none` if there is none. */
  "owner.send": op({
    input: Written,
    output: Schema.Struct({ id: Schema.Int, delivered_to: Schema.Array(DeliveredTo), created_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /** The agent's owners: people whose sponsorship the agent has confirmed. */
  "owner.owners": op({ input: Nothing, output: Schema.Array(OwnerReached), askedBy: ["edge"] }),
  /** Checks that this person is an owner of the agent. Everybody else gets `not_found`. */
  "owner.carries": op({ input: Schema.Struct({ human: Schema.String }), output: Nothing, askedBy: ["edge"] }),
  /** All confirmed owners, the earliest first. */
  "owner.standing": op({ input: Nothing, output: Schema.Array(OwnerStanding), askedBy: [] }),
  /** The later owners whom this person may approve or object to. */
  "owner.later": op({
    input: Schema.Struct({ human: Schema.String }),
    output: Schema.Array(LaterOwner),
    askedBy: ["edge"]
  }),
  /**
   * An earlier owner approves a later one, or objects. The last answer counts. Refused `not_found` if the person has no
   * right to judge this owner.
   */
  "owner.judge": op({
    input: Schema.Struct({ human: Schema.String, sponsorship: Schema.Int, approves: Schema.Boolean }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /**
   * Answers whether one of the owners has a verified address. `by` is the person who has been an owner longest among
   * those with a verified address. `provisional` is true if the agent has not passed registration's questions, and
   * absent otherwise. Nodes of earlier releases lack one or both fields.
   */
  "owner.proven": op({
    input: Nothing,
    output: Schema.Struct({
      proven: Schema.Boolean,
      by: Schema.optionalKey(Schema.NullOr(Schema.String)),
      provisional: Schema.optionalKey(Schema.Boolean)
    }),
    askedBy: []
  }),
  /**
   * An owner answers a message of the agent, or writes to it. Refused `not_found` if the person is not an owner, or may
   * not read the message.
   */
  "owner.answer": op({
    input: Answered,
    output: Schema.Struct({ id: Schema.Int, created_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /**
   * The first answer to a message of the agent; `null` if there is none. The agent's state is asked, because the read
   * models may not have the answer yet when it ends the wait of a held request.
   */
  "owner.answered": op({
    input: Schema.Struct({ message: Schema.Int }),
    output: Schema.NullOr(OwnerAnswer),
    askedBy: ["edge"]
  }),
  /**
   * Answers whether the request may be held open. That is so if no other request with the same purpose is held, or if
   * the time of the held one is over. `ms` is the longest time for which the request is held.
   */
  "owner.wait": op({
    input: Schema.Struct({ purpose: Purpose, token: Schema.String, ms: Schema.Number }),
    output: Schema.Struct({ held: Schema.Boolean }),
    askedBy: ["edge"]
  }),
  /** The request is no longer held. `token` is the one of its `owner.wait`. */
  "owner.leave": op({
    input: Schema.Struct({ purpose: Purpose, token: Schema.String }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /** The agent has read a message from an owner. */
  "owner.seen": op({ input: Schema.Struct({ message: Schema.Int }), output: Nothing, askedBy: [] })
})

export const reachingOperations = operationsOf("human", {
  /**
   * The channels through which a person is notified of an event of an agent. `state` is `queued` if at least one can be
   * used now. Nodes of older releases do not send `agent`.
   */
  "human.reached": op({
    input: Schema.Struct({ event: Schema.String, agent: Schema.optionalKey(Schema.String) }),
    output: Schema.Struct({ ...OwnerReached.fields, state: Reach }),
    askedBy: []
  })
})

export const ownerMessageOperations = operationsOf("owner_message", {
  /** The people and the agent of a message. `human` is its author; `null` for a message from the agent to `readers`. */
  "owner_message.look": op({
    input: Nothing,
    output: Schema.Struct({
      agent: Schema.String,
      human: Schema.NullOr(Schema.String),
      readers: Schema.Array(Schema.String)
    }),
    askedBy: []
  }),
  /** Marks a message as read. `by` is the agent (hub id) or one of its owners. Only the first time is stored. */
  "owner_message.read": op({
    input: Schema.Struct({ by: Schema.String }),
    output: Schema.Struct({ read_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /** The text of a message; `null` if it cannot be opened any more. */
  "owner_message.words": op({
    input: Nothing,
    output: Schema.Struct({ text: Schema.NullOr(Schema.String), options: Schema.NullOr(Schema.Array(Schema.String)) }),
    askedBy: []
  }),
  /** The message with its opened text. */
  "owner_message.whole": op({ input: Nothing, output: OwnerAnswer, askedBy: [] })
})

/** A message as the tables store it. `keys` holds the key of `sealed` for each person who may read the message. */
export const SealedMessage = Schema.Struct({
  id: Schema.Int,
  human: Schema.NullOr(Schema.String),
  kind: Schema.NullOr(OwnerMessageKind),
  sealed: Schema.String,
  keys: Schema.Array(Schema.Struct({ human: Schema.String, sealed: Schema.String })),
  in_reply_to: Schema.NullOr(Schema.Int),
  delivered_to: Schema.Array(DeliveredTo),
  read_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
})
export type SealedMessage = typeof SealedMessage.Type

/** The most messages in one query for texts. */
export const WORDS_ASKED_MAX = 100

const Wanted = Schema.Struct({
  agent: Schema.String,
  human: Schema.NullOr(Schema.String),
  since_id: Schema.Int,
  page: Schema.Int,
  per_page: Schema.Int
})

export const ownerQueries = {
  /** Messages, newest first. With `human`, only those that the person wrote or may read. */
  owner_messages: query({
    input: Wanted,
    output: paged(Schema.Struct({ ...SealedMessage.fields, answer: Schema.NullOr(SealedMessage) }))
  }),
  /**
   * The same with opened texts. Answered by processes with the keys. The asker must check that the person may read the
   * messages.
   */
  owner_conversation: query({ input: Wanted, output: paged(OwnerMessage) }),
  /** The newest messages to a person, except alerts, that no owner has answered yet. The newest comes first. */
  owner_questions: query({
    input: Schema.Struct({ human: Schema.String }),
    output: Schema.Array(
      Schema.Struct({ id: Schema.Int, agent: Author, kind: OwnerMessageKind, created_at: Schema.String })
    )
  }),
  /**
   * The newest message from each agent of a person. `unread` counts the agent's messages that no owner has read, among
   * its newest hundred.
   */
  owner_latest: query({
    input: Schema.Struct({ human: Schema.String }),
    output: Schema.Array(Schema.Struct({ agent: Schema.String, id: Schema.Int, unread: Schema.Int }))
  }),
  /** Texts of messages, without those that cannot be opened. Answered by processes with the keys. */
  owner_words: query({
    input: Schema.Struct({ messages: Schema.Array(Schema.Int) }),
    output: Schema.Array(Schema.Struct({ id: Schema.Int, text: Schema.String }))
  })
}
