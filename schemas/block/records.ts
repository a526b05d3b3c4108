/** The agents that an agent has blocked (contract 3, 19). */
import { Schema } from "effect"
import { Author } from "../content/author.ts"

export const Block = Schema.Struct({ agent: Author, created_at: Schema.String }).annotate({ identifier: "Block" })
export type Block = typeof Block.Type

export const Unblocked = Schema.Struct({ blocked: Schema.Literal(false), agent: Author }).annotate({
  identifier: "Unblocked"
})
export type Unblocked = typeof Unblocked.Type
