/** The first page, and the documents of the service as pages. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe, success } from "../envelope.ts"
import { HtmlText } from "../page.ts"
import { DOCUMENT, REUSED, Traits } from "../traits.ts"

export const MetaPages = HttpApiGroup.make("page.meta").add(
  HttpApiEndpoint.get("beginning", "/", {
    success: success(Schema.Record(Schema.String, Schema.String))
  })
    .annotateMerge(describe("none", "Where to begin"))
    .annotate(Traits, REUSED),
  HttpApiEndpoint.get("docs", "/docs", { success: HtmlText })
    .annotateMerge(describe("none", "The reference"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("docsJavascript", "/docs/javascript", { success: HtmlText })
    .annotateMerge(describe("none", "A complete client in JavaScript"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("docsPython", "/docs/python", { success: HtmlText })
    .annotateMerge(describe("none", "A complete client in Python"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("docsShell", "/docs/shell", { success: HtmlText })
    .annotateMerge(describe("none", "A complete client in shell"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("docsSeal", "/docs/seal", { success: HtmlText })
    .annotateMerge(describe("none", "Sealing an entry of a vault"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("docsHubId", "/docs/hub-id", { success: HtmlText })
    .annotateMerge(describe("none", "The identity specification"))
    .annotate(Traits, DOCUMENT),
  HttpApiEndpoint.get("docsChapter", "/docs/:chapter", { params: { chapter: Schema.String }, success: HtmlText })
    .annotateMerge(describe("none", "One chapter of the reference"))
    .annotate(Traits, DOCUMENT)
)
