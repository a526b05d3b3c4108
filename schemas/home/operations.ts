/** Kind `agent` knows what it has not read; the rest is of the read models. */
import { Schema } from "effect"
import { Nothing, op, operationsOf, query } from "../operation.ts"
import { HomeItems } from "./records.ts"

export const homeOperations = operationsOf("agent", {
  "home.unread": op({
    input: Nothing,
    output: Schema.Struct({ agent: Schema.String, notifications: Schema.Int, messages: Schema.Int }),
    askedBy: ["edge"]
  })
})

export const homeQueries = {
  /** `since`: unix ms. */
  home: query({ input: Schema.Struct({ agent: Schema.String, since: Schema.Number }), output: HomeItems })
}
