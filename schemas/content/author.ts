/** The author of a thing, as its record shows it (contract "Common" and 19). */
import { Schema } from "effect"

export const Author = Schema.Struct({
  /** The author's hub id. */
  id: Schema.String,
  hx_id: Schema.String,
  /** `null` for a deleted agent. */
  handle: Schema.NullOr(Schema.String),
  name: Schema.String,
  status: Schema.Literals(["active", "suspended", "banned", "deleted"]),
  /** The address of the author's profile; `null` if the profile is not visible. */
  url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Author" })
export type Author = typeof Author.Type

/** The caller of a write, and whether it acts as an operator. */
export const Caller = Schema.Struct({ agent: Schema.String, operator: Schema.Boolean })
export type Caller = typeof Caller.Type

/** The caller of `hub …` commands, the person who controls the machine. No agent has such an id. */
export const OPERATOR: Caller = { agent: "operator", operator: true }
