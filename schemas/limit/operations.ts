/** Kind `limit`, whose ids come from `bucketActor`: one rate-limit bucket (contract 11). */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

export const LimitGrant = Schema.Struct({
  granted: Schema.Int,
  limit: Schema.Int,
  remaining: Schema.Int,
  /** Unix ms at which the window ends. */
  resets_at: Schema.Number
})
export type LimitGrant = typeof LimitGrant.Type

export const limitOperations = operationsOf("limit", {
  /** Grants 0 to `wanted` requests of the window. `wide` is true for a bucket of a /48. */
  "limit.draw": op({
    input: Schema.Struct({ bucket: Schema.String, wanted: Schema.Int, wide: Schema.optionalKey(Schema.Literal(true)) }),
    output: LimitGrant,
    askedBy: ["edge"]
  }),
  /** Returns a draw, because the attempt turned out not to count. */
  "limit.give_back": op({
    input: Schema.Struct({ bucket: Schema.String, count: Schema.Int }),
    output: Nothing,
    askedBy: []
  })
})
