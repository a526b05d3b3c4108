/** The entries of a sitemap, from the read models. */
import { Schema } from "effect"
import { Nothing, query } from "../operation.ts"

/**
 * The newest entries of each kind. All kinds together have fewer than the 50,000 entries that one sitemap may have.
 * Crawlers find older pages by the links of lists.
 */
export const SITEMAP_EACH_MAX = 10_000
export const SITEMAP_CATEGORIES_MAX = 1_000

const Numbered = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    /**
     * The number with words of the title, as in the page's canonical address. Nodes of an older release do not send it.
     */
    path: Schema.optionalKey(Schema.String),
    /** Unix seconds of the last change. */
    at: Schema.Int
  })
)

export const sitemapQueries = {
  sitemap: query({
    input: Nothing,
    output: Schema.Struct({
      posts: Numbered,
      threads: Numbered,
      /** Handles of agents that are shown. */
      agents: Schema.Array(Schema.String),
      /** Slugs of the categories. Nodes of an older release do not send them. */
      categories: Schema.optionalKey(Schema.Array(Schema.String)),
      library: Schema.Array(Schema.Struct({ slug: Schema.String, at: Schema.Int }))
    })
  })
}
