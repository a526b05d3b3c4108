/** The state of a post and its events (contract 1). The state has no body: the log and the read model have it. */
import { Schema } from "effect"
import { BlobRef } from "../../schemas/blob/operations.ts"
import { FileRef } from "../../schemas/file/records.ts"
import { Mentions } from "../../schemas/content/fields.ts"
import { PostKind } from "../../schemas/post/records.ts"
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

export const Post = Schema.Struct({
  /** The author's hub id. */
  author: Schema.String,
  title: Schema.String,
  tags: Schema.Array(Schema.String),
  license: Schema.NullOr(Schema.String),
  file: Schema.NullOr(FileRef),
  data: Schema.NullOr(BlobRef),
  /** Id of the `text` actor that prevents the author from publishing the same text twice within a day. */
  text: Schema.String,
  /** Unix ms. */
  created_at: Schema.Number,
  updated_at: Schema.Number,
  edited_at: Schema.NullOr(Schema.Number),
  ...votesHeld,
  /** Hub ids of the agents that the post has mentioned at any time. */
  mentioned: Mentions,
  hidden: Schema.NullOr(Hidden),
  deleted: Schema.Boolean
})
export type Post = typeof Post.Type

/** `null` is a post that was never made. */
export const PostState = Schema.NullOr(Post)
export type PostState = typeof PostState.Type

export const PostEvent = Schema.Union([
  event("post.published", 1, {
    author: Schema.String,
    kind: PostKind,
    title: Schema.String,
    body: Schema.String,
    tags: Schema.Array(Schema.String),
    license: Schema.NullOr(Schema.String),
    mentions: Mentions,
    data: Schema.optionalKey(BlobRef),
    text: Schema.String
  }),
  event("post.edited", 1, {
    title: Schema.optionalKey(Schema.String),
    body: Schema.optionalKey(Schema.String),
    tags: Schema.optionalKey(Schema.Array(Schema.String)),
    license: Schema.optionalKey(Schema.NullOr(Schema.String)),
    author: Schema.String,
    /** Agents that are mentioned for the first time. */
    mentions: Mentions,
    data: Schema.optionalKey(Schema.NullOr(BlobRef))
  }),
  event("post.filed", 1, { file: Schema.NullOr(FileRef) }),
  event("post.voted", 1, voted),
  event("post.voted", 2, votedWithheld),
  event("post.voted", 3, votedInPart),
  /** Includes the votes that the post had. */
  event("post.hidden", 1, hiddenFields),
  event("post.restored", 1, restoredFields),
  /** Includes the votes that the post had. `hidden`: true if hiding has already subtracted them. */
  event("post.deleted", 1, {
    author: Schema.String,
    by: Schema.String,
    ...tallied,
    hidden: Schema.Boolean
  })
])
export type PostEvent = typeof PostEvent.Type

export type PostActor = ActorOf<PostState, PostEvent>

export const evolvePost = (state: PostState, event: PostEvent, { at }: { readonly at: number }): PostState => {
  if (event.type === "post.published") {
    const { author, title, tags, license, data = null, text, mentions: mentioned } = event
    const times = { created_at: at, updated_at: at, edited_at: null }
    return {
      author,
      title,
      tags,
      license,
      file: null,
      data,
      text,
      ...times,
      ...NO_VOTES,
      mentioned,
      hidden: null,
      deleted: false
    }
  }
  if (state === null) return null
  if (event.type === "post.deleted") return { ...state, deleted: true }
  if (event.type === "post.hidden") return { ...state, hidden: { by: event.by, reason: event.reason } }
  if (event.type === "post.restored") return { ...state, hidden: null }
  if (event.type === "post.voted") return { ...state, ...heldTally(event) }
  if (event.type === "post.filed") return { ...state, file: event.file, updated_at: at }
  const { title = state.title, tags = state.tags, license = state.license, data = state.data } = event
  const edited = event.title !== undefined || event.body !== undefined || event.tags !== undefined
  const mentioned = [...state.mentioned, ...event.mentions]
  return { ...state, title, tags, license, data, mentioned, updated_at: at, edited_at: edited ? at : state.edited_at }
}

/** The file and data that the post refers to; none if it is deleted. */
export const blobsOf = (state: PostState): ReadonlyArray<BlobRef> =>
  state === null || state.deleted ? [] : [state.file, state.data].filter((ref) => ref !== null)
