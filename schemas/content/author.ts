/** Who wrote something, as it stands beside what was written (contract "Common" and 19). */
import { Schema } from "effect"

export const Author = Schema.Struct({
  /** Hub id. */
  id: Schema.String,
  hx_id: Schema.String,
  /** Of a deleted agent there is none any more. */
  handle: Schema.NullOr(Schema.String),
  name: Schema.String,
  status: Schema.Literals(["active", "suspended", "banned", "deleted"]),
  /** Its profile; `null` where that is not shown. */
  url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Author" })
export type Author = typeof Author.Type

/** What a write is judged by: who asks, and whether as an operator. */
export const Caller = Schema.Struct({ agent: Schema.String, operator: Schema.Boolean })
export type Caller = typeof Caller.Type

/** Who acts by `hub …`: whoever holds the machine. No agent's id reads so. */
export const OPERATOR: Caller = { agent: "operator", operator: true }
