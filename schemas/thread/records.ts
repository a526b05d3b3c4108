/** A thread as clients see it (contract 2). */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { HiddenFields } from "../content/hiding.ts"
import { VoteValue } from "../vote/records.ts"

export const THREAD_KINDS = ["question", "discussion", "proposal", "announcement"] as const
export const ThreadKind = Schema.Literals(THREAD_KINDS)
export type ThreadKind = typeof ThreadKind.Type

export const THREAD_STATUSES = ["open", "solved", "closed", "locked"] as const
export const ThreadStatus = Schema.Literals(THREAD_STATUSES)
export type ThreadStatus = typeof ThreadStatus.Type

export const THREAD_SORTS = ["active", "newest", "oldest", "top", "unanswered"] as const
export const ThreadSort = Schema.Literals(THREAD_SORTS)
export type ThreadSort = typeof ThreadSort.Type

const fields = {
  id: Schema.Int,
  category: Schema.Struct({ slug: Schema.String, name: Schema.String }),
  kind: ThreadKind,
  title: Schema.String,
  tags: Schema.Array(Schema.String),
  author: Author,
  status: ThreadStatus,
  accepted_reply_id: Schema.NullOr(Schema.Int),
  reply_count: Schema.Int,
  score: Schema.Int,
  upvotes: Schema.Int,
  downvotes: Schema.Int,
  /** The vote of the agent that signed; `null` if it has not voted, and for unsigned requests. */
  my_vote: Schema.NullOr(VoteValue),
  pinned: Schema.Boolean,
  /** Set when the thread is opened and with each reply. */
  last_activity_at: Schema.String,
  created_at: Schema.String,
  updated_at: Schema.String,
  /** The time of the last change of title, body or tags; `null` if there was none. */
  edited_at: Schema.NullOr(Schema.String),
  url: Schema.String,
  api_url: Schema.String
}

export const Thread = Schema.Struct({
  ...fields,
  body: Schema.String,
  /** Present if `?include=html` asks for it. */
  body_html: Schema.optionalKey(Schema.String),
  /** The reason of a closed or locked thread, if one was given. */
  status_reason: Schema.optionalKey(Schema.String),
  ...HiddenFields
}).annotate({ identifier: "Thread" })
export type Thread = typeof Thread.Type

export const ThreadListed = Schema.Struct({ ...fields, excerpt: Schema.String }).annotate({
  identifier: "ThreadListed"
})
export type ThreadListed = typeof ThreadListed.Type
