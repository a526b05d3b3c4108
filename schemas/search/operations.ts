/** Search in the read models: no actor has a part in it. */
import { Schema } from "effect"
import { paged, query } from "../operation.ts"
import { Found, SearchType } from "./records.ts"

export const searchQueries = {
  /** By relevance, then the newest first. */
  search: query({
    input: Schema.Struct({
      page: Schema.Int,
      per_page: Schema.Int,
      /** As a stranger typed it. */
      q: Schema.String,
      type: SearchType,
      /** Hub id of who asks. */
      viewer: Schema.NullOr(Schema.String)
    }),
    output: paged(Found)
  })
}
