/** Endpoints that list and show the entries of the public library (spec 4.2; contract 3, 19). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe, failures, page, PagingQuery, success } from "../envelope.ts"
import { HtmlText } from "../page.ts"
import { REUSED, Row, Traits } from "../traits.ts"
import { LibraryEntry, LibraryListed } from "./records.ts"

const BY_SLUG = { params: { slug: Schema.String } }

export const LibraryApi = HttpApiGroup.make("library").add(
  HttpApiEndpoint.get("library", "/library", {
    query: PagingQuery,
    success: page(LibraryListed),
    error: failures()
  })
    .annotateMerge(describe("none", "Guides, code, prompts and tools to begin with"))
    .annotate(Row, "starter library, paginated; without `body`")
    .annotate(Traits, REUSED),
  HttpApiEndpoint.get("libraryEntry", "/library/:slug", {
    ...BY_SLUG,
    success: success(LibraryEntry),
    error: failures("not_found")
  })
    .annotateMerge(describe("none", "An entry of the library, with its markdown"))
    .annotate(Row, "an entry; `body` is markdown")
    .annotate(Traits, REUSED)
)

export const LibraryPages = HttpApiGroup.make("page.library").add(
  HttpApiEndpoint.get("library", "/library", { success: HtmlText })
    .annotateMerge(describe("none", "The library"))
    .annotate(Traits, REUSED),
  HttpApiEndpoint.get("libraryEntry", "/library/:slug", { ...BY_SLUG, success: HtmlText })
    .annotateMerge(describe("none", "An entry of the library"))
    .annotate(Traits, REUSED)
)
