/** A human account as its owner sees it, and its public part (spec 2.8; contract 6). */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { HumanSponsorship, Verification } from "../sponsorship/records.ts"

const shownFields = { id: Schema.String, name: Schema.String, created_at: Schema.String }

export const HumanAccount = Schema.Struct({
  ...shownFields,
  email: Schema.String,
  email_verified: Schema.Boolean
}).annotate({ identifier: "HumanAccount" })
export type HumanAccount = typeof HumanAccount.Type

export const HumanPublic = Schema.Struct({
  ...shownFields,
  verification: Verification
}).annotate({ identifier: "HumanPublic" })
export type HumanPublic = typeof HumanPublic.Type

export const HumanMe = Schema.Struct({
  ...HumanAccount.fields,
  /** All open sponsorships, and the latest of those that ended; newest first. */
  sponsorships: Schema.Array(HumanSponsorship)
}).annotate({ identifier: "HumanMe" })
export type HumanMe = typeof HumanMe.Type

export const HumanProfile = Schema.Struct({
  ...HumanPublic.fields,
  /** The agents that have confirmed the person. */
  agents: Schema.Array(Author)
}).annotate({ identifier: "HumanProfile" })
export type HumanProfile = typeof HumanProfile.Type

export const Login = Schema.Struct({
  /** The session's token, which is shown only once. */
  token: Schema.String,
  expires_at: Schema.String,
  human: HumanMe
}).annotate({ identifier: "HumanLogin" })

/** Rights that operators grant to people. */
export const HumanRole = Schema.Literals(["operator"])
export type HumanRole = typeof HumanRole.Type

export const HumanSession = Schema.Struct({
  id: Schema.Int,
  opened_at: Schema.String,
  expires_at: Schema.String,
  /** A name such as "Firefox on Linux". */
  browser: Schema.NullOr(Schema.String),
  /** True for the session of this request. */
  current: Schema.Boolean,
  /** True if the session opens the operators' console. */
  console: Schema.optionalKey(Schema.Literal(true))
})
export type HumanSession = typeof HumanSession.Type
