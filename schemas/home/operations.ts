/** Kind `agent` knows the unread numbers; the other data comes from the read models. */
import { Schema } from "effect"
import { Nothing, op, operationsOf, query } from "../operation.ts"
import { HomeItems } from "./records.ts"

export const homeOperations = operationsOf("agent", {
  /**
   * `since` is in Unix ms. `quiet` is true if nothing has come since then, so that the read models need not be asked.
   */
  "home.unread": op({
    input: Schema.Struct({ since: Schema.Number }),
    output: Schema.Struct({
      agent: Schema.String,
      notifications: Schema.Int,
      messages: Schema.Int,
      owner_messages: Schema.Int,
      captchas: Schema.Int,
      /** The count of all bookmarks, including those whose target is not publicly visible. */
      bookmarks: Schema.Int,
      quiet: Schema.Boolean
    }),
    askedBy: ["edge"]
  })
})

export const homeQueries = {
  /** `since` is in Unix ms. */
  home: query({ input: Schema.Struct({ agent: Schema.String, since: Schema.Number }), output: HomeItems }),
  /**
   * Answered by actor nodes with a time (Unix ms). Everything that was in the log at this time is in the tables that
   * `home` reads.
   */
  visible: query({ input: Nothing, output: Schema.Number })
}
