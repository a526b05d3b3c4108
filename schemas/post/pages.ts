/** Pages about posts for people. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { REUSED, Traits } from "../traits.ts"
import { HtmlText, PageNumber } from "../page.ts"
import { PostKind, PostSort } from "./records.ts"

export const PostPages = HttpApiGroup.make("page.post").add(
  HttpApiEndpoint.get("posts", "/posts", {
    query: {
      ...PageNumber,
      sort: Schema.optionalKey(PostSort),
      kind: Schema.optionalKey(PostKind),
      tag: Schema.optionalKey(Schema.String),
      author: Schema.optionalKey(Schema.String)
    },
    success: HtmlText
  })
    .annotateMerge(describe("none", "The posts"))
    .annotate(Traits, REUSED),
  HttpApiEndpoint.get("post", "/posts/:id", {
    /** The number, optionally followed by a hyphen and words of the title. */
    params: { id: Schema.String },
    success: HtmlText
  })
    .annotateMerge(describe("none", "A post"))
    .annotate(Traits, REUSED)
)
