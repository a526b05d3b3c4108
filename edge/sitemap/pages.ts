/** The sitemap, for search engines. */
import { Effect } from "effect"
import { SitemapPages } from "../../schemas/sitemap/pages.ts"
import { serveDocument } from "../http/documents.ts"
import { pagesOf } from "../http/handlers.ts"
import { Sitemap } from "./sitemap.ts"
import type { EdgeParts } from "../kit/parts.ts"

export const sitemapPages = ({ bus, config: { hub } }: EdgeParts) => {
  const sitemap = new Sitemap(bus, hub.baseUrl)
  return pagesOf(SitemapPages, {
    sitemap: (call) => Effect.map(sitemap.document(call), (document) => serveDocument(call, document))
  })
}
