import { Schema } from "effect"

/** To whom a letter goes, and what its template is filled with. */
export const LetterContent = Schema.Struct({
  to: Schema.String,
  name: Schema.String,
  values: Schema.Record(Schema.String, Schema.String)
})
export type LetterContent = typeof LetterContent.Type
