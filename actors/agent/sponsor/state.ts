/** An agent's open sponsorships, as part of its state, and the effects of events on them. Pure. */
import { Schema } from "effect"
import type { Limits } from "../../../schemas/limits.ts"
import { OwnerStanding } from "../../../schemas/owner/operations.ts"
import { SponsorRole, SponsorshipStatus } from "../../../schemas/sponsorship/records.ts"
import { event } from "../../engine/events.ts"

export const SponsorState = Schema.Struct({
  id: Schema.Int,
  human: Schema.String,
  role: SponsorRole,
  /** Unix ms since when it is confirmed; `null` while it is pending. */
  since: Schema.NullOr(Schema.Number),
  /** True if the person's address is confirmed. */
  verified: Schema.Boolean,
  /** The same when it was declared: it keeps its place among those that wait. */
  declared_verified: Schema.Boolean,
  /** Trust that was given for it; `null` while it does not count. */
  trust: Schema.NullOr(Schema.Number),
  /** The owners at the time of its confirmation, who were notified then. Unix ms. */
  told: OwnerStanding.fields.told,
  /** The last word of each earlier owner on this one. */
  opinions: OwnerStanding.fields.opinions
})
export type SponsorState = typeof SponsorState.Type

export const FormerSponsor = Schema.Struct({ human: Schema.String, until: Schema.Number })
type FormerSponsor = typeof FormerSponsor.Type

/**
 * The number of people that an agent's scores remember: its owners, and former owners within the window. A confirmation
 * beyond it is refused (decideAdmits), so none is dropped while scores need it.
 */
export const REMEMBERED_MAX = 200

/** Former owners within the window in which scores remember them. */
export const formerSince = (
  former: ReadonlyArray<FormerSponsor>,
  at: number,
  { pair_window_seconds }: Pick<Limits["scores"], "pair_window_seconds">
): ReadonlyArray<FormerSponsor> => former.filter(({ until }) => until > at - pair_window_seconds * 1000)

/** A sponsorship that was never confirmed leaves nothing. */
export const formerWith = (
  former: ReadonlyArray<FormerSponsor>,
  sponsors: ReadonlyArray<SponsorState>,
  { sponsorship }: { readonly sponsorship: number },
  at: number
): ReadonlyArray<FormerSponsor> => {
  const ended = sponsors.find(({ id, since }) => id === sponsorship && since !== null)
  if (ended === undefined) return former
  return [...former.filter(({ human }) => human !== ended.human), { human: ended.human, until: at }].slice(
    -REMEMBERED_MAX
  )
}

export const SPONSOR_EVENTS = [
  event("agent.sponsorship_declared", 1, {
    sponsorship: Schema.Int,
    human: Schema.String,
    role: SponsorRole,
    verified: Schema.Boolean
  }),
  event("agent.sponsorship_confirmed", 1, {
    sponsorship: Schema.Int,
    /** Unix ms. */
    since: Schema.Number,
    /** Absent in older events, which notified nobody. */
    told: Schema.optionalKey(OwnerStanding.fields.told)
  }),
  /** `human`, an earlier owner, approves the owner of this sponsorship or objects. */
  event("agent.owner_judged", 1, {
    sponsorship: Schema.Int,
    human: Schema.String,
    approves: Schema.Boolean
  }),
  event("agent.sponsorship_verified", 1, { sponsorship: Schema.Int }),
  event("agent.sponsorship_ended", 1, {
    sponsorship: Schema.Int,
    status: SponsorshipStatus,
    /** In older events: the trust that a suspension withheld together with this. */
    trust_withheld: Schema.optionalKey(Schema.Number)
  }),
  /** The account was deleted before it learned of it. */
  event("agent.sponsorship_came_late", 1, { sponsorship: Schema.Int })
] as const
export type SponsorEvent = (typeof SPONSOR_EVENTS)[number]["Type"]

/** The reason of an entry, and the sort of its target. */
export const SPONSORSHIP_TARGET = "sponsorship"

export const evolveSponsors = (
  sponsors: ReadonlyArray<SponsorState>,
  event: SponsorEvent
): ReadonlyArray<SponsorState> => {
  const others = () => sponsors.filter(({ id }) => id !== event.sponsorship)
  const changed = (change: Partial<SponsorState>) =>
    sponsors.map((one) => (one.id === event.sponsorship ? { ...one, ...change } : one))
  switch (event.type) {
    case "agent.sponsorship_declared": {
      const { sponsorship: id, human, role, verified } = event
      const untold = { humans: [], at: 0 }
      return [
        ...others(),
        { id, human, role, since: null, verified, declared_verified: verified, trust: null, told: untold, opinions: [] }
      ]
    }
    case "agent.sponsorship_confirmed":
      return changed({ since: event.since, told: event.told ?? { humans: [], at: event.since } })
    case "agent.owner_judged": {
      const { human, approves } = event
      const without = (one: SponsorState) => one.opinions.filter((opinion) => opinion.human !== human)
      return sponsors.map((one) =>
        one.id === event.sponsorship ? { ...one, opinions: [...without(one), { human, approves }] } : one
      )
    }
    case "agent.sponsorship_verified":
      return changed({ verified: true })
    case "agent.sponsorship_ended":
      return others()
    case "agent.sponsorship_came_late":
      return sponsors
  }
}

/** The trust that a standing sponsorship gave. Nothing is kept of ended ones. */
export const countedTrust = (
  sponsors: ReadonlyArray<SponsorState>,
  {
    target_id,
    delta,
    given = delta
  }: { readonly target_id: string | null; readonly delta: number; readonly given?: number }
): ReadonlyArray<SponsorState> => sponsors.map((one) => (String(one.id) === target_id ? { ...one, trust: given } : one))

export const hasSponsors = (sponsors: ReadonlyArray<SponsorState>): boolean =>
  sponsors.some(({ since }) => since !== null)

export const pendingOf = (sponsors: ReadonlyArray<SponsorState>): number =>
  sponsors.filter(({ since }) => since === null).length
