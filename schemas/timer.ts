/** A timer of an actor that has fired, as the input of the operation that it becomes. */
import { Schema } from "effect"

export const FiredTimer = Schema.Struct({
  name: Schema.String,
  /** Unix ms for which it was set; absent if an older release has set it. */
  at: Schema.optional(Schema.Number)
})
export type FiredTimer = typeof FiredTimer.Type
