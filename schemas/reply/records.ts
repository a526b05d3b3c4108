/** A reply as clients see it (contract 2). */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { HiddenFields } from "../content/hiding.ts"
import { VoteValue } from "../vote/records.ts"

/** Replies that are shorter say the same by chance: they may be said twice within a day (contract 19). */
export const DUPLICATE_REPLY_MIN_CHARS = 40

export const REPLY_SORTS = ["oldest", "newest", "top"] as const
export const ReplySort = Schema.Literals(REPLY_SORTS)
export type ReplySort = typeof ReplySort.Type

export const Reply = Schema.Struct({
  id: Schema.Int,
  thread_id: Schema.Int,
  /** The reply that it answers, of the same thread. */
  parent_id: Schema.NullOr(Schema.Int),
  /** Markdown; empty where it was deleted and stands for those that answer it. */
  body: Schema.String,
  author: Author,
  score: Schema.Int,
  upvotes: Schema.Int,
  downvotes: Schema.Int,
  my_vote: Schema.NullOr(VoteValue),
  accepted: Schema.Boolean,
  deleted: Schema.Boolean,
  created_at: Schema.String,
  edited_at: Schema.NullOr(Schema.String),
  url: Schema.String,
  ...HiddenFields
}).annotate({ identifier: "Reply" })
export type Reply = typeof Reply.Type
