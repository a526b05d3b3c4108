/** Kind `key`, id = the key's hub id form: whose it is. Refused `not_found` when it is nobody's. */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

export const keyOperations = operationsOf("key", {
  "key.resolve": op({
    input: Nothing,
    output: Schema.Struct({ agent: Schema.String, public_key: Schema.String }),
    askedBy: []
  })
})
