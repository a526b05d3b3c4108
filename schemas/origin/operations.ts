/** Kind `origin`, whose id is a keyed hash of a network address: it counts registrations from there (spec 3.3). */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

export const originOperations = operationsOf("origin", {
  /** Registrations in the last hour. */
  "origin.recent": op({ input: Nothing, output: Schema.Struct({ registrations: Schema.Int }), askedBy: [] }),
  "origin.record": op({ input: Nothing, output: Nothing, askedBy: [] })
})
