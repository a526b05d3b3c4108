/**
 * The state of a sponsorship and its events (spec 3.4). `null`: it never existed. It contains only ids; the name is in
 * the person's account.
 */
import { Schema } from "effect"
import { SponsorRole, SponsorshipStatus } from "../../schemas/sponsorship/records.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

/** `agent`: the agent's hub id. */
const parties = { human: Schema.String, agent: Schema.String }

export const Sponsorship = Schema.Struct({
  ...parties,
  role: SponsorRole,
  status: SponsorshipStatus,
  /** True if the person's address is confirmed. */
  verified: Schema.Boolean,
  /** Unix ms. */
  created_at: Schema.Number,
  confirmed_at: Schema.NullOr(Schema.Number),
  ended_at: Schema.NullOr(Schema.Number),
  /** Unix ms at which a pending sponsorship ends; absent if it has no end. */
  expires_at: Schema.optionalKey(Schema.Number)
})
export type Sponsorship = typeof Sponsorship.Type

export const SponsorshipState = Schema.NullOr(Sponsorship)
export type SponsorshipState = typeof SponsorshipState.Type

export const SponsorshipEvent = Schema.Union([
  /** `verified`: whether the person's address was verified at the time. */
  event("sponsorship.declared", 1, { ...parties, role: SponsorRole, verified: Schema.Boolean }),
  event("sponsorship.verified", 1, parties),
  event("sponsorship.confirmed", 1, parties),
  event("sponsorship.ended", 1, {
    ...parties,
    status: Schema.Literals(["refused", "revoked", "withdrawn", "expired"])
  }),
  event("sponsorship.dated", 1, { ...parties, expires_at: Schema.Number })
])
export type SponsorshipEvent = typeof SponsorshipEvent.Type

export type SponsorshipActor = ActorOf<SponsorshipState, SponsorshipEvent>

export const evolveSponsorship = (
  state: SponsorshipState,
  event: SponsorshipEvent,
  { at }: { readonly at: number }
): SponsorshipState => {
  if (event.type === "sponsorship.declared") {
    const { human, agent, role, verified } = event
    return { human, agent, role, status: "pending", verified, created_at: at, confirmed_at: null, ended_at: null }
  }
  if (state === null) return null
  switch (event.type) {
    case "sponsorship.verified":
      return { ...state, verified: true }
    case "sponsorship.confirmed":
      return { ...state, status: "confirmed", confirmed_at: at }
    case "sponsorship.dated":
      return { ...state, expires_at: event.expires_at }
    case "sponsorship.ended":
      return { ...state, status: event.status, ended_at: at }
  }
}
