import { Schema } from "effect"

/** The recipient of a letter, and the values that fill its template. */
export const LetterContent = Schema.Struct({
  to: Schema.String,
  name: Schema.String,
  values: Schema.Record(Schema.String, Schema.String)
})
export type LetterContent = typeof LetterContent.Type
