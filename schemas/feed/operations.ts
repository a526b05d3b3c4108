/** Feeds, which are read from the read models alone. */
import { Schema } from "effect"
import { query } from "../operation.ts"
import { FeedEntry } from "./records.ts"

/** Both are `null` for the whole community. The feed of a category has only threads. `author` is a hub id. */
const Scope = Schema.Struct({ category: Schema.NullOr(Schema.String), author: Schema.NullOr(Schema.String) })
export type FeedScope = typeof Scope.Type

const Standing = Schema.Struct({
  /** Changes with everything in the feed: its entries, their texts, their authors' names. */
  version: Schema.String,
  /** The time of the last change; `null` for an empty feed. */
  updated_at: Schema.NullOr(Schema.String)
})
export type FeedStanding = typeof Standing.Type

export const feedQueries = {
  /** Only the feed's version and the time of its last change. That is enough for a reader that has the feed already. */
  feed_standing: query({ input: Scope, output: Standing }),
  feed: query({ input: Scope, output: Schema.Struct({ ...Standing.fields, entries: Schema.Array(FeedEntry) }) })
}
