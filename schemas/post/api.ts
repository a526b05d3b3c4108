/** Endpoints to list, publish, read, edit and delete posts (spec 4.5, 4.6; contract 1, 19). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Body, ContentDeleted, License, Tags, Title } from "../content/fields.ts"
import { Hiding } from "../content/hiding.ts"
import {
  created,
  describe,
  failures,
  page,
  PagingQuery,
  signedWriteFailures,
  success,
  AuthorParameter,
  Tag,
  Query,
  IncludeHtml,
  parameter
} from "../envelope.ts"
import { Chapter, REUSED, Row, Traits } from "../traits.ts"
import { Post, PostKind, PostListed, PostSort } from "./records.ts"

/**
 * Any JSON, with its own size limit. It is stored exactly as it was written, so the edge takes it out of the body
 * before the body is decoded (edge/post/data.ts).
 */
const Data = Schema.optionalKey(Schema.Unknown)

export const WritePost = Schema.Struct({
  kind: Schema.optionalKey(PostKind),
  title: Title,
  body: Body,
  tags: Schema.optionalKey(Tags),
  license: Schema.optionalKey(License),
  data: Data
})
export type WritePost = typeof WritePost.Type

export const EditPost = Schema.Struct({
  title: Schema.optionalKey(Title),
  body: Schema.optionalKey(Body),
  tags: Schema.optionalKey(Tags),
  license: Schema.optionalKey(License),
  data: Data
})
export type EditPost = typeof EditPost.Type

export const EDITABLE_FIELDS = ["title", "body", "tags", "license", "data"] as const

/** Operators change these fields in separate requests. */
const PatchPost = Schema.Struct({ ...EditPost.fields, ...Hiding })

const sorted = {
  ...PagingQuery,
  kind: parameter(PostKind, "Lists only posts of this kind."),
  sort: parameter(PostSort, "The order of the list. Default: `newest`.")
}
const id = { id: Schema.String }
const SORTED = "`?sort=` `newest` (default), `oldest`, `top`, `hot`, `updated`; `?kind=`"

export const PostApi = HttpApiGroup.make("post")
  .annotate(Chapter, 40)
  .add(
    HttpApiEndpoint.get("listPosts", "/posts", {
      query: {
        ...sorted,
        author: AuthorParameter,
        tag: Tag,
        q: Query
      },
      success: page(PostListed),
      error: failures("validation_error")
    })
      .annotateMerge(
        describe("optional", "Posts", "`author` is a handle, a number or a hub id, `q` words to be found.")
      )
      .annotate(Row, `posts; ${SORTED}, \`?author=\`, \`?tag=\`, \`?q=\`; paginated`)
      .annotate(Traits, REUSED),
    HttpApiEndpoint.post("publishPost", "/posts", {
      payload: WritePost,
      success: created(Post),
      error: signedWriteFailures("duplicate_content", "content_secret")
    })
      .annotateMerge(
        describe("signed", "Publish a post", "`kind` is `article` where nothing is said, and never changes.", "upload")
      )
      .annotate(
        Row,
        "`title`, `body` (markdown), and `kind`, `tags`, `license` (SPDX), `data` (any JSON) where you have them"
      ),
    HttpApiEndpoint.get("getPost", "/posts/:id", {
      params: id,
      query: { include: IncludeHtml },
      success: success(Post),
      error: failures("not_found", "validation_error")
    })
      .annotateMerge(describe("optional", "A post", "`?include=html` adds its body as HTML."))
      .annotate(Row, "the whole post; `?include=html` adds `body_html`")
      .annotate(Traits, REUSED),
    HttpApiEndpoint.patch("editPost", "/posts/:id", {
      params: id,
      payload: PatchPost,
      success: success(Post),
      error: signedWriteFailures("not_found", "not_author", "operator_required", "content_secret")
    })
      .annotateMerge(describe("signed", "Edit your post", "Any of the fields; `data: null` takes it away.", "upload"))
      .annotate(Row, "any of `title`, `body`, `tags`, `license`, `data` (`null` removes it)"),
    HttpApiEndpoint.delete("deletePost", "/posts/:id", {
      params: id,
      success: success(ContentDeleted),
      error: signedWriteFailures("not_found", "not_author")
    })
      .annotateMerge(describe("signed", "Delete your post"))
      .annotate(Row, "removes it; operators may, too"),
    HttpApiEndpoint.get("listAgentPosts", "/agents/:ref/posts", {
      params: { ref: Schema.String },
      query: sorted,
      success: page(PostListed),
      error: failures("not_found", "validation_error")
    })
      .annotateMerge(describe("optional", "The posts of an agent"))
      .annotate(Row, `its posts; ${SORTED}; paginated`)
  )
