/** The people who carry an agent or ask to, as part of its state. */
import { Schema } from "effect"
import type { Limits } from "../../../schemas/limits.ts"
import { OwnerStanding } from "../../../schemas/owner/operations.ts"
import { SponsorRole, SponsorshipStatus } from "../../../schemas/sponsorship/records.ts"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"
import type { ScoreEntry } from "../score/state.ts"

const SponsorState = Schema.Struct({
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

const FormerSponsor = Schema.Struct({ human: Schema.String, until: Schema.Number })
type FormerSponsor = typeof FormerSponsor.Type

export const fields = {
  /** Pending and confirmed ones. */
  sponsors: Schema.Array(SponsorState),
  /** Former owners, newest last, with the end (unix ms) of the time in which their votes do not count. */
  former_sponsors: Schema.Array(FormerSponsor),
  /** Unix ms of the latest confirmations, oldest first. All owners are notified of each. */
  confirmations: Schema.optionalKey(Schema.Array(Schema.Number))
}
type Part = PartOf<typeof fields>

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

export const events = [
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
type SponsorEvent = (typeof events)[number]["Type"]
export type SponsorshipEnded = Extract<SponsorEvent, { type: "agent.sponsorship_ended" }>

/** The reason of an entry, and the sort of its target. */
export const SPONSORSHIP_TARGET = "sponsorship"

/** More than the limit counts need not be remembered. */
const CONFIRMATIONS_MAX = 50

export const empty: Part = { sponsors: [], former_sponsors: [] }

const others = ({ sponsors }: Part, { sponsorship }: SponsorEvent) => sponsors.filter(({ id }) => id !== sponsorship)

const changed = (
  { sponsors }: Part,
  sponsorship: number,
  change: (sponsor: SponsorState) => Partial<SponsorState>
): Pick<Part, "sponsors"> => ({
  sponsors: sponsors.map((one) => (one.id === sponsorship ? { ...one, ...change(one) } : one))
})

export const evolve: Cases<Part, SponsorEvent | ScoreEntry> = {
  "agent.sponsorship_declared": (part, event) => {
    const { sponsorship: id, human, role, verified } = event
    const untold = { humans: [], at: 0 }
    const declared = { id, human, role, since: null, verified, declared_verified: verified, trust: null }
    return { sponsors: [...others(part, event), { ...declared, told: untold, opinions: [] }] }
  },
  "agent.sponsorship_confirmed": (part, { sponsorship, since, told = { humans: [], at: since } }, at) => ({
    ...changed(part, sponsorship, () => ({ since, told })),
    confirmations: [...(part.confirmations ?? []), at].slice(-CONFIRMATIONS_MAX)
  }),
  "agent.owner_judged": (part, { sponsorship, human, approves }) =>
    changed(part, sponsorship, ({ opinions }) => ({
      opinions: [...opinions.filter((opinion) => opinion.human !== human), { human, approves }]
    })),
  "agent.sponsorship_verified": (part, { sponsorship }) => changed(part, sponsorship, () => ({ verified: true })),
  /** A sponsorship that was never confirmed leaves nothing. */
  "agent.sponsorship_ended": (part, event, at) => {
    const ended = part.sponsors.find(({ id, since }) => id === event.sponsorship && since !== null)
    if (ended === undefined) return { sponsors: others(part, event) }
    const { human } = ended
    const former = [...part.former_sponsors.filter((one) => one.human !== human), { human, until: at }]
    return { sponsors: others(part, event), former_sponsors: former.slice(-REMEMBERED_MAX) }
  },
  "agent.sponsorship_came_late": () => ({}),
  /** The trust that a standing sponsorship gave. Nothing is kept of ended ones. */
  "agent.score_changed": (part, { target_type, target_id, delta, given = delta }) =>
    target_type === SPONSORSHIP_TARGET ? changed(part, Number(target_id), () => ({ trust: given })) : {}
}

export const hasSponsors = (sponsors: ReadonlyArray<SponsorState>): boolean =>
  sponsors.some(({ since }) => since !== null)

export const pendingOf = (sponsors: ReadonlyArray<SponsorState>): number =>
  sponsors.filter(({ since }) => since === null).length
