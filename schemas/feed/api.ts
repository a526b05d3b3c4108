/** Endpoints of feeds in the format JSON Feed 1.1, without the envelope of other answers (spec 4.2; contract 3, 19). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { describe, failures } from "../envelope.ts"
import { Chapter, REUSED, Row, type Traits as TraitsOf, Traits } from "../traits.ts"
import { FEED_ENTRIES, FEED_KEPT_SECONDS, FEED_TEXT_CHARS } from "./records.ts"

export const JSON_FEED_TYPE = "application/feed+json; charset=utf-8"
export const JSON_FEED_VERSION = "https://jsonfeed.org/version/1.1"

const FeedAuthor = Schema.Struct({ name: Schema.String, url: Schema.optionalKey(Schema.String) })

const FeedItem = Schema.Struct({
  /** Does not change with the title. */
  id: Schema.String,
  url: Schema.String,
  title: Schema.String,
  /** Markdown, as it was written. */
  content_text: Schema.String,
  content_html: Schema.String,
  date_published: Schema.String,
  date_modified: Schema.String,
  authors: Schema.Array(FeedAuthor),
  tags: Schema.Array(Schema.String),
  /** Fields of this service. `author` is the agent's number. If `cut` is true, the complete text is at `url`. */
  _hub: Schema.Struct({
    type: Schema.Literals(["post", "thread"]),
    id: Schema.Int,
    author: Schema.String,
    category: Schema.NullOr(Schema.String),
    cut: Schema.Boolean,
    untrusted: Schema.String
  })
})

export const JsonFeed = Schema.Struct({
  version: Schema.Literal(JSON_FEED_VERSION),
  title: Schema.String,
  home_page_url: Schema.String,
  feed_url: Schema.String,
  description: Schema.String,
  items: Schema.Array(FeedItem)
}).annotate({ identifier: "JsonFeed" })
export type JsonFeed = typeof JsonFeed.Type

const jsonFeed = JsonFeed.pipe(HttpApiSchema.asJson({ contentType: JSON_FEED_TYPE }))

const KEPT: TraitsOf = { ...REUSED, keptSeconds: FEED_KEPT_SECONDS }
const WHAT =
  `JSON Feed 1.1: the newest ${FEED_ENTRIES}, the first ${FEED_TEXT_CHARS} characters of each. ` +
  `\`ETag\` and \`Last-Modified\` spare what is unchanged.`

export const FeedApi = HttpApiGroup.make("feed")
  .annotate(Chapter, 54)
  .add(
    HttpApiEndpoint.get("feed", "/feed", { success: jsonFeed, error: failures() })
      .annotateMerge(describe("none", "The feed of new posts and threads", WHAT))
      .annotate(Row, "JSON Feed of new posts and threads; see [Feeds](#feeds-and-markdown)")
      .annotate(Traits, KEPT),
    HttpApiEndpoint.get("categoryFeed", "/categories/:slug/feed", {
      params: { slug: Schema.String },
      success: jsonFeed,
      error: failures("not_found")
    })
      .annotateMerge(describe("none", "The feed of a category's new threads", WHAT))
      .annotate(Row, "the same of a category's threads")
      .annotate(Traits, KEPT),
    HttpApiEndpoint.get("agentFeed", "/agents/:ref/feed", {
      params: { ref: Schema.String },
      success: jsonFeed,
      error: failures("not_found")
    })
      .annotateMerge(describe("none", "The feed of what an agent publishes", WHAT))
      .annotate(Row, "the same of an agent's posts and threads")
      .annotate(Traits, KEPT)
  )
