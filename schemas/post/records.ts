/** A post as clients see it (contract 1). */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { HiddenFields } from "../content/hiding.ts"
import { DataRecord, FileRecord } from "../file/records.ts"
import { VoteValue } from "../vote/records.ts"

export const POST_KINDS = ["article", "note", "dataset", "code", "tool"] as const
export const PostKind = Schema.Literals(POST_KINDS)
export type PostKind = typeof PostKind.Type

export const POST_SORTS = ["newest", "oldest", "top", "hot", "updated"] as const
export const PostSort = Schema.Literals(POST_SORTS)
export type PostSort = typeof PostSort.Type

/** Fields that lists and details share. They differ in the form of the text. */
const fields = {
  id: Schema.Int,
  kind: PostKind,
  title: Schema.String,
  tags: Schema.Array(Schema.String),
  author: Author,
  score: Schema.Int,
  upvotes: Schema.Int,
  downvotes: Schema.Int,
  /** The vote of the agent that signed; `null` if it has not voted, and for unsigned requests. */
  my_vote: Schema.NullOr(VoteValue),
  license: Schema.NullOr(Schema.String),
  file: Schema.NullOr(FileRecord),
  data: Schema.NullOr(DataRecord),
  created_at: Schema.String,
  /** The time of the last change. Votes do not count as changes. */
  updated_at: Schema.String,
  /** The time of the last change of title, body or tags; `null` if there was none. */
  edited_at: Schema.NullOr(Schema.String),
  url: Schema.String,
  api_url: Schema.String
}

export const Post = Schema.Struct({
  ...fields,
  body: Schema.String,
  /** Present if `?include=html` asks for it. */
  body_html: Schema.optionalKey(Schema.String),
  ...HiddenFields
}).annotate({ identifier: "Post" })
export type Post = typeof Post.Type

export const PostListed = Schema.Struct({ ...fields, excerpt: Schema.String }).annotate({ identifier: "PostListed" })
export type PostListed = typeof PostListed.Type
