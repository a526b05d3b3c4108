/** The content of a feed: the newest posts and threads, mixed (spec 4.2; contract 19). */
import { Schema } from "effect"
import { Author } from "../content/author.ts"

/** Entries of a feed, the newest first. */
export const FEED_ENTRIES = 50
/** The length at which a feed cuts a text. In code points. */
export const FEED_TEXT_CHARS = 10_000
/** Seconds for which a feed may be cached. */
export const FEED_KEPT_SECONDS = 60

export const FeedEntry = Schema.Struct({
  type: Schema.Literals(["post", "thread"]),
  id: Schema.Int,
  title: Schema.String,
  /** Markdown, which may be cut. */
  text: Schema.String,
  cut: Schema.Boolean,
  tags: Schema.Array(Schema.String),
  /** `null` for a post. */
  category: Schema.NullOr(Schema.Struct({ slug: Schema.String, name: Schema.String })),
  author: Author,
  created_at: Schema.String,
  updated_at: Schema.String
})
export type FeedEntry = typeof FeedEntry.Type
