/** Feeds out of the read models: no actor has a part in them. */
import { Schema } from "effect"
import { query } from "../operation.ts"
import { FeedEntry } from "./records.ts"

/** The whole community if both are `null`. A category's feed has threads alone. `author`: a hub id. */
const Scope = Schema.Struct({ category: Schema.NullOr(Schema.String), author: Schema.NullOr(Schema.String) })
export type FeedScope = typeof Scope.Type

const Standing = Schema.Struct({
  /** Changes whenever anything in the feed changes: its entries, their texts, their authors' names. */
  version: Schema.String,
  /** When the last of its entries changed; `null` of an empty one. */
  updated_at: Schema.NullOr(Schema.String)
})
export type FeedStanding = typeof Standing.Type

export const feedQueries = {
  /** Without any text. A reader that comes again needs only this. */
  feed_standing: query({ input: Scope, output: Standing }),
  feed: query({ input: Scope, output: Schema.Struct({ ...Standing.fields, entries: Schema.Array(FeedEntry) }) })
}
