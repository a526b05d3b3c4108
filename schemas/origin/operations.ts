/** Kind `origin`, id = a keyed hash of a network address: registrations from there (spec 3.3). */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

export const originOperations = operationsOf("origin", {
  /** In the last hour. */
  "origin.recent": op({ input: Nothing, output: Schema.Struct({ registrations: Schema.Int }), askedBy: [] }),
  "origin.record": op({ input: Nothing, output: Nothing, askedBy: [] })
})
