/** Kind `agent` publishes posts. Kind `post`, whose id is the post's number, is one post. */
import { Schema, Struct } from "effect"
import { Author, Caller } from "../content/author.ts"
import { BlobRef } from "../blob/operations.ts"
import { ContentDeleted, Mentions, Tags } from "../content/fields.ts"
import { hiding } from "../content/hiding.ts"
import { keeping, standing } from "../content/standing.ts"
import { FileRef } from "../file/records.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { EditPost } from "./api.ts"
import { Post, PostKind, PostListed, PostSort } from "./records.ts"

const Written = Schema.Struct({
  kind: PostKind,
  title: Schema.String,
  body: Schema.String,
  tags: Tags,
  license: Schema.NullOr(Schema.String),
  mentions: Mentions,
  /** The edge has stored it before. Edges of the previous release do not send it. */
  data: Schema.optionalKey(Schema.NullOr(BlobRef))
})
export type WrittenPost = typeof Written.Type

/**
 * Writes to the logs of the author and of the post in one commit. Refused `duplicate_content` with
 * `details.existing_id`.
 */
export const publishOperations = operationsOf("agent", {
  "post.publish": op({
    input: Written,
    output: Schema.Struct({ id: Schema.Int, created_at: Schema.String, author: Author }),
    askedBy: ["edge"]
  })
})

/** A post's state, without its body and its author. */
export const PostStanding = Schema.Struct({
  title: Schema.String,
  tags: Tags,
  license: Schema.NullOr(Schema.String),
  file: Schema.NullOr(FileRef),
  data: Schema.NullOr(BlobRef),
  updated_at: Schema.String,
  edited_at: Schema.NullOr(Schema.String)
})

/** The changes of a post; `data` was stored before, `null` removes it. */
export const PostChange = Schema.Struct({
  ...Struct.omit(EditPost.fields, ["data"]),
  data: Schema.optionalKey(Schema.NullOr(BlobRef))
})
export type PostChange = typeof PostChange.Type

/** SHA-256 of files, or `*` for any file. */
const FileTags = Schema.optionalKey(Schema.Array(Schema.String))
const conditions = { if_match: FileTags, if_none_match: FileTags }

/** The present file must be one of `if_match`, and none of `if_none_match`. */
const FileConditions = Schema.Struct(conditions)
export type FileConditions = typeof FileConditions.Type

/** Refused `not_found` if there is no such post, `not_author` for a post of another agent. */
export const postOperations = operationsOf("post", {
  "post.edit": op({
    /** `mentions` are those of the changed texts. */
    input: Schema.Struct({ by: Caller, change: PostChange, mentions: Mentions }),
    output: PostStanding,
    askedBy: ["edge"]
  }),
  /**
   * `file` is the new file, which was stored before; `null` removes the present one. Refused `file_missing` if there is
   * none to remove, and `precondition_failed` if the present file does not meet the conditions.
   */
  "post.file": op({
    input: Schema.Struct({ by: Caller, file: Schema.NullOr(FileRef), ...conditions }),
    output: PostStanding,
    askedBy: ["edge"]
  }),
  "post.hide": hiding,
  "post.stands": standing,
  "post.kept": keeping,
  /** Refused `not_found` if the post does not exist, or is hidden. */
  "post.look": op({ input: Nothing, output: Schema.Struct({ author: Schema.String }), askedBy: [] }),
  "post.delete": op({ input: Schema.Struct({ by: Caller }), output: ContentDeleted, askedBy: ["edge"] })
})

export const postQueries = {
  posts: query({
    input: Schema.Struct({
      page: Schema.Int,
      per_page: Schema.Int,
      sort: PostSort,
      kind: Schema.NullOr(PostKind),
      /** The author's hub id. */
      author: Schema.NullOr(Schema.String),
      tag: Schema.NullOr(Schema.String),
      q: Schema.NullOr(Schema.String),
      /** Hub id of the asking agent. */
      viewer: Schema.NullOr(Schema.String)
    }),
    output: paged(PostListed)
  }),
  post: query({
    input: Schema.Struct({ id: Schema.Int, viewer: Schema.NullOr(Schema.String) }),
    output: Schema.NullOr(Post)
  })
}
