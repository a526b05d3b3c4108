/**
 * A sponsorship: a person declares to sponsor an agent, and the agent confirms or refuses this (spec 2.8, 3.4; contract
 * 6, 20).
 */
import { Schema } from "effect"
import { Author } from "../content/author.ts"

/** The person's claimed role. */
export const SponsorRole = Schema.Literals(["creator", "guarantor"])
export type SponsorRole = typeof SponsorRole.Type

const SPONSORSHIP_STATUSES = ["pending", "confirmed", "refused", "revoked", "withdrawn", "expired"] as const
export const SponsorshipStatus = Schema.Literals(SPONSORSHIP_STATUSES)
export type SponsorshipStatus = typeof SponsorshipStatus.Type

/** The verification of a person: only that an address was confirmed. */
export const Verification = Schema.Literals(["none", "email"])
export type Verification = typeof Verification.Type

/** The rights of an owner over an agent (contract 22). */
export const OWNER_RIGHTS = [
  "read_mail_subjects_and_codes",
  "close_mailboxes",
  "stop_compartments",
  "revoke_vault_entries",
  "allow_fills",
  "answer_messages",
  "withdraw"
] as const
const OwnerRight = Schema.Literals(OWNER_RIGHTS)

/** The rights that a sponsorship gives, or would give once the agent confirms it. An ended one gives none. */
export const ownerRights = (status: SponsorshipStatus): ReadonlyArray<typeof OwnerRight.Type> =>
  status === "pending" || status === "confirmed" ? OWNER_RIGHTS : []

const fields = {
  role: SponsorRole,
  status: SponsorshipStatus,
  may: Schema.Array(OwnerRight),
  created_at: Schema.String,
  confirmed_at: Schema.NullOr(Schema.String),
  ended_at: Schema.NullOr(Schema.String)
}

export const HumanSponsorship = Schema.Struct({ id: Schema.Int, agent: Author, ...fields }).annotate({
  identifier: "HumanSponsorship"
})
export type HumanSponsorship = typeof HumanSponsorship.Type

export const AgentSponsorship = Schema.Struct({
  id: Schema.Int,
  /** The same as `id` (spec 2.8). */
  sponsorship_id: Schema.Int,
  human: Schema.Struct({
    id: Schema.String,
    /** `null` once the account is deleted. */
    name: Schema.NullOr(Schema.String),
    verification: Verification
  }),
  ...fields
}).annotate({ identifier: "AgentSponsorship" })
export type AgentSponsorship = typeof AgentSponsorship.Type
