/** The addresses of pages, for search engines (https://www.sitemaps.org/protocol.html). */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { ofType } from "../page.ts"
import { Traits } from "../traits.ts"

export const SITEMAP_TYPE = "application/xml; charset=utf-8"
/** The age, in seconds, at which an edge makes a sitemap anew. */
export const SITEMAP_KEPT_SECONDS = 3600

export const SitemapPages = HttpApiGroup.make("page.sitemap").add(
  HttpApiEndpoint.get("sitemap", "/sitemap.xml", { success: ofType(SITEMAP_TYPE) })
    .annotateMerge(describe("none", "The addresses of pages, for search engines"))
    .annotate(Traits, { keptSeconds: SITEMAP_KEPT_SECONDS })
)
