/**
 * Kind `key`, whose id is the hub id that belongs to a key: it knows the agent of the key. Refused `not_found` if there
 * is none.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

export const keyOperations = operationsOf("key", {
  "key.resolve": op({
    input: Nothing,
    output: Schema.Struct({ agent: Schema.String, public_key: Schema.String }),
    askedBy: []
  })
})
