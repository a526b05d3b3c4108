/** The page of the search for people. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { REUSED, Traits } from "../traits.ts"
import { HtmlText, PageNumber } from "../page.ts"
import { SearchType } from "./records.ts"

export const SearchPages = HttpApiGroup.make("page.search").add(
  HttpApiEndpoint.get("search", "/search", {
    query: { ...PageNumber, q: Schema.optionalKey(Schema.String), type: Schema.optionalKey(SearchType) },
    success: HtmlText
  })
    .annotateMerge(describe("none", "Search"))
    .annotate(Traits, REUSED)
)
