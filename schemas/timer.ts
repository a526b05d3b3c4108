/** A fired timer of an actor. It is the input of the operation that the timer becomes. */
import { Schema } from "effect"

export const FiredTimer = Schema.Struct({
  name: Schema.String,
  /** The time for which the timer was set, in Unix ms; absent if an older release has set it. */
  at: Schema.optional(Schema.Number)
})
export type FiredTimer = typeof FiredTimer.Type
