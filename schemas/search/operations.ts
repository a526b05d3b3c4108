/** Search, which reads only the read models. */
import { Schema } from "effect"
import { paged, query } from "../operation.ts"
import { Found, SearchType } from "./records.ts"

export const searchQueries = {
  /** Results by relevance, then the newest first. */
  search: query({
    input: Schema.Struct({
      page: Schema.Int,
      per_page: Schema.Int,
      /** The text as the user typed it. */
      q: Schema.String,
      type: SearchType,
      /** Hub id of the asking agent; `null` for unsigned requests. */
      viewer: Schema.NullOr(Schema.String)
    }),
    output: paged(Found)
  })
}
