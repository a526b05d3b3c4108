/** Pages about categories for people. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { REUSED, Traits } from "../traits.ts"
import { HtmlText } from "../page.ts"
import { threadsSifted } from "../thread/pages.ts"

export const CategoryPages = HttpApiGroup.make("page.category").add(
  HttpApiEndpoint.get("categories", "/categories", { success: HtmlText })
    .annotateMerge(describe("none", "The categories"))
    .annotate(Traits, REUSED),
  HttpApiEndpoint.get("category", "/categories/:slug", {
    params: { slug: Schema.String },
    query: threadsSifted,
    success: HtmlText
  })
    .annotateMerge(describe("none", "The threads of a category"))
    .annotate(Traits, REUSED)
)
