/**
 * Kind `agent` writes to its owners and hears them; kind `owner_message`, id = its number, is one message. Their texts
 * are sealed in log and tables and are opened by these operations alone.
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

/** One held request of an agent for each purpose, whichever edge holds it. */
const Purpose = Schema.Literals(["message", "captcha", "consent", "fill_captcha"])
export type WaitPurpose = typeof Purpose.Type

/** An owner of an agent, as decisions on consent see it. Times are Unix ms. */
export const OwnerStanding = Schema.Struct({
  sponsorship: Schema.Int,
  human: Schema.String,
  since: Schema.Number,
  /** True if the person's address is verified. */
  verified: Schema.Boolean,
  /** The owners of that moment, who were notified of this one, and when. */
  told: Schema.Struct({ humans: Schema.Array(Schema.String), at: Schema.Number }),
  /** The last word of each earlier owner on this one. */
  opinions: Schema.Array(Schema.Struct({ human: Schema.String, approves: Schema.Boolean }))
})
export type OwnerStanding = typeof OwnerStanding.Type

/** A later owner, as an earlier one sees it. */
export const LaterOwner = Schema.Struct({
  sponsorship: Schema.Int,
  human: Schema.String,
  confirmed_at: Schema.String,
  /** From then on it may consent to fills of older entries, unless somebody objects. */
  waits_until: Schema.String,
  /** The person's last answer; `null`: none. */
  approves: Schema.NullOr(Schema.Boolean)
})
export type LaterOwner = typeof LaterOwner.Type

export const owningOperations = operationsOf("agent", {
  /** Refused `owner_none`. */
  "owner.send": op({
    input: Written,
    output: Schema.Struct({ id: Schema.Int, delivered_to: Schema.Array(DeliveredTo), created_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /** Those who have confirmed to carry it. */
  "owner.owners": op({ input: Nothing, output: Schema.Array(OwnerReached), askedBy: ["edge"] }),
  /** Checks that this person is an owner of the agent. Everybody else gets `not_found`. */
  "owner.carries": op({ input: Schema.Struct({ human: Schema.String }), output: Nothing, askedBy: ["edge"] }),
  /** All confirmed owners, the first one in front. */
  "owner.standing": op({ input: Nothing, output: Schema.Array(OwnerStanding), askedBy: [] }),
  /** The later owners whom this person may approve or reject. */
  "owner.later": op({
    input: Schema.Struct({ human: Schema.String }),
    output: Schema.Array(LaterOwner),
    askedBy: ["edge"]
  }),
  /** An earlier owner approves a later one, or objects. The last word counts. Refused `not_found` without a say. */
  "owner.judge": op({
    input: Schema.Struct({ human: Schema.String, sponsorship: Schema.Int, approves: Schema.Boolean }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /**
   * Answers whether one of the owners has a verified address; `by`: the one of those who has been an owner longest.
   * `provisional`: the agent has not passed registration's questions. A node of a release before does not say.
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
  /** By an owner. Refused `not_found`, for the agent to everybody else, or for a message that is none to him. */
  "owner.answer": op({
    input: Answered,
    output: Schema.Struct({ id: Schema.Int, created_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /** The first answer to a message of its own, from the agent's state: whoever was woken by it finds it. */
  "owner.answered": op({
    input: Schema.Struct({ message: Schema.Int }),
    output: Schema.NullOr(OwnerAnswer),
    askedBy: ["edge"]
  }),
  /**
   * Answers whether this request may be held: no other is, or the one before has not been released in time. `ms`: how
   * long.
   */
  "owner.wait": op({
    input: Schema.Struct({ purpose: Purpose, token: Schema.String, ms: Schema.Number }),
    output: Schema.Struct({ held: Schema.Boolean }),
    askedBy: ["edge"]
  }),
  "owner.leave": op({
    input: Schema.Struct({ purpose: Purpose, token: Schema.String }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /** A message to it was read. */
  "owner.seen": op({ input: Schema.Struct({ message: Schema.Int }), output: Nothing, askedBy: [] })
})

export const reachingOperations = operationsOf("human", {
  /**
   * Lists the ways in which an owner learns of an event of one of their agents. A node of an older release does not
   * name the agent.
   */
  "human.reached": op({
    input: Schema.Struct({ event: Schema.String, agent: Schema.optionalKey(Schema.String) }),
    output: Schema.Struct({ ...OwnerReached.fields, state: Reach }),
    askedBy: []
  })
})

export const ownerMessageOperations = operationsOf("owner_message", {
  /** Names the message's agent; `human`: `null` for what the agent wrote, which `readers` may read. */
  "owner_message.look": op({
    input: Nothing,
    output: Schema.Struct({
      agent: Schema.String,
      human: Schema.NullOr(Schema.String),
      readers: Schema.Array(Schema.String)
    }),
    askedBy: []
  }),
  /** As the one that it was written to: the agent (hub id), or one of its owners. The first time stays. */
  "owner_message.read": op({
    input: Schema.Struct({ by: Schema.String }),
    output: Schema.Struct({ read_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /** The words of a message. `text`: `null` if it cannot be opened any more. */
  "owner_message.words": op({
    input: Nothing,
    output: Schema.Struct({ text: Schema.NullOr(Schema.String), options: Schema.NullOr(Schema.Array(Schema.String)) }),
    askedBy: []
  }),
  /** All of it, as an answer. */
  "owner_message.whole": op({ input: Nothing, output: OwnerAnswer, askedBy: [] })
})

/** As tables keep it. */
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

/** Messages whose words are asked for at once. */
export const WORDS_ASKED_MAX = 100

const Wanted = Schema.Struct({
  agent: Schema.String,
  human: Schema.NullOr(Schema.String),
  since_id: Schema.Int,
  page: Schema.Int,
  per_page: Schema.Int
})

export const ownerQueries = {
  /** Newest first; `human`: only what that person wrote or may read. */
  owner_messages: query({
    input: Wanted,
    output: paged(Schema.Struct({ ...SealedMessage.fields, answer: Schema.NullOr(SealedMessage) }))
  }),
  /** The same, opened. Answered by processes with the keys; the asker makes sure that the reader has the right. */
  owner_conversation: query({ input: Wanted, output: paged(OwnerMessage) }),
  /** Agents' questions to a person that no owner has answered yet, newest first. */
  owner_questions: query({
    input: Schema.Struct({ human: Schema.String }),
    output: Schema.Array(
      Schema.Struct({ id: Schema.Int, agent: Author, kind: OwnerMessageKind, created_at: Schema.String })
    )
  }),
  /** The newest message from each agent of a person, and the number of the newest that nobody has read. */
  owner_latest: query({
    input: Schema.Struct({ human: Schema.String }),
    output: Schema.Array(Schema.Struct({ agent: Schema.String, id: Schema.Int, unread: Schema.Int }))
  }),
  /** The texts of messages. Those that cannot be opened are left out. Answered by those who have the keys for it. */
  owner_words: query({
    input: Schema.Struct({ messages: Schema.Array(Schema.Int) }),
    output: Schema.Array(Schema.Struct({ id: Schema.Int, text: Schema.String }))
  })
}
