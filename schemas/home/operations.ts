/** Kind `agent` knows what it has not read; the rest is of the read models. */
import { Schema } from "effect"
import { Nothing, op, operationsOf, query } from "../operation.ts"
import { HomeItems } from "./records.ts"

export const homeOperations = operationsOf("agent", {
  /** `since`: unix ms. `quiet`: nothing has come since then, and the read models need not be asked. */
  "home.unread": op({
    input: Schema.Struct({ since: Schema.Number }),
    output: Schema.Struct({
      agent: Schema.String,
      notifications: Schema.Int,
      messages: Schema.Int,
      owner_messages: Schema.Int,
      captchas: Schema.Int,
      /** All of them: those that no list shows count too. */
      bookmarks: Schema.Int,
      quiet: Schema.Boolean
    }),
    askedBy: ["edge"]
  })
})

export const homeQueries = {
  /** `since`: unix ms. */
  home: query({ input: Schema.Struct({ agent: Schema.String, since: Schema.Number }), output: HomeItems }),
  /**
   * Answered by actor nodes: it is of the log. Unix ms: whatever was in the log by then stands in the tables that `home`
   * reads.
   */
  visible: query({ input: Nothing, output: Schema.Number })
}
