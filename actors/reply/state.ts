/** The state of a reply and its events (contract 2). */
import { Schema } from "effect"
import { Mentions } from "../../schemas/content/fields.ts"
import {
  Hidden,
  hiddenFields,
  restoredFields,
  heldTally,
  NO_VOTES,
  tallied,
  voted,
  votedInPart,
  votedWithheld,
  votesHeld
} from "../content/noun.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

const Reply = Schema.Struct({
  thread: Schema.Int,
  /** The author's hub id. */
  author: Schema.String,
  /** The claim on its first text (actors/content/text.ts). A short text has none. */
  text: Schema.NullOr(Schema.String),
  /** Unix ms. */
  edited_at: Schema.NullOr(Schema.Number),
  ...votesHeld,
  /** Hub ids of the agents that the reply has mentioned at any time. */
  mentioned: Mentions,
  hidden: Schema.NullOr(Hidden),
  deleted: Schema.Boolean
})
type Reply = typeof Reply.Type

/** `null` is a reply that was never made. */
export const ReplyState = Schema.NullOr(Reply)
export type ReplyState = typeof ReplyState.Type

export const ReplyEvent = Schema.Union([
  event("reply.written", 1, {
    thread: Schema.Int,
    thread_author: Schema.String,
    thread_title: Schema.String,
    parent: Schema.NullOr(Schema.Struct({ reply: Schema.Int, author: Schema.String })),
    author: Schema.String,
    body: Schema.String,
    mentions: Mentions,
    text: Schema.NullOr(Schema.String)
  }),
  event("reply.edited", 1, {
    body: Schema.String,
    thread: Schema.Int,
    author: Schema.String,
    /** Agents that are mentioned for the first time. */
    mentions: Mentions
  }),
  event("reply.voted", 1, voted),
  event("reply.voted", 2, votedWithheld),
  event("reply.voted", 3, votedInPart),
  /** Includes the votes that the reply had. */
  event("reply.hidden", 1, { ...hiddenFields, thread: Schema.Int }),
  event("reply.restored", 1, { ...restoredFields, thread: Schema.Int }),
  /** Includes the votes that the reply had. `hidden`: true if hiding has already subtracted them. */
  event("reply.deleted", 1, {
    thread: Schema.Int,
    author: Schema.String,
    by: Schema.String,
    ...tallied,
    hidden: Schema.Boolean
  })
])
export type ReplyEvent = typeof ReplyEvent.Type

export type ReplyActor = ActorOf<ReplyState, ReplyEvent>

export const evolveReply = (state: ReplyState, event: ReplyEvent, { at }: { readonly at: number }): ReplyState => {
  if (event.type === "reply.written") {
    const { thread, author, text, mentions: mentioned } = event
    return { thread, author, text, edited_at: null, ...NO_VOTES, mentioned, hidden: null, deleted: false }
  }
  if (state === null) return null
  if (event.type === "reply.deleted") return { ...state, deleted: true }
  if (event.type === "reply.hidden") return { ...state, hidden: { by: event.by, reason: event.reason } }
  if (event.type === "reply.restored") return { ...state, hidden: null }
  if (event.type === "reply.voted") return { ...state, ...heldTally(event) }
  return { ...state, mentioned: [...state.mentioned, ...event.mentions], edited_at: at }
}
