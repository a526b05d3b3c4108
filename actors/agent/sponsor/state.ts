/** The sponsorships of an agent, pending and confirmed, as part of its state. */
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
  /** The time of the confirmation in Unix ms; `null` while the sponsorship is pending. */
  since: Schema.NullOr(Schema.Number),
  verified: Schema.Boolean,
  /**
   * True if the address was verified at the declaration. It decides which limit of pending sponsorships counts this
   * one.
   */
  declared_verified: Schema.Boolean,
  /** The trust that this sponsorship gives; `null` while it does not count. */
  trust: Schema.NullOr(Schema.Number),
  /** The owners at the time of the confirmation, who were notified of it, and that time in Unix ms. */
  told: OwnerStanding.fields.told,
  /** The latest judgement of each earlier owner on this owner. */
  opinions: OwnerStanding.fields.opinions
})
export type SponsorState = typeof SponsorState.Type

const FormerSponsor = Schema.Struct({ human: Schema.String, until: Schema.Number })
type FormerSponsor = typeof FormerSponsor.Type

export const fields = {
  sponsors: Schema.Array(SponsorState),
  /**
   * Former owners, newest last. `until`: the end of the sponsorship in Unix ms. Their votes do not count for some time
   * after it.
   */
  former_sponsors: Schema.Array(FormerSponsor),
  /** Unix ms of the latest confirmations, oldest first. Their number is limited, because each notifies all owners. */
  confirmations: Schema.optionalKey(Schema.Array(Schema.Number))
}
type Part = PartOf<typeof fields>

/**
 * The most people that an agent's scores remember: its owners, and former owners within the window. A confirmation
 * beyond it is refused (decideAdmits), so no former owner is dropped within the window.
 */
export const REMEMBERED_MAX = 200

/** The former owners whose votes on the agent still do not count. */
export const formerSince = (
  former: ReadonlyArray<FormerSponsor>,
  at: number,
  { pair_window_seconds }: Pick<Limits["scores"], "pair_window_seconds">
): ReadonlyArray<FormerSponsor> => former.filter(({ until }) => until > at - pair_window_seconds * 1000)

/**
 * The owner after the event (`provenOwner`). Absent in events of older releases, if it cannot have changed, and for the
 * owner that an agent is born with.
 */
const owner = Schema.optionalKey(Schema.NullOr(Schema.String))

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
    /** Absent in older events. Their confirmation notified nobody. */
    told: Schema.optionalKey(OwnerStanding.fields.told),
    owner
  }),
  /** An earlier owner (`human`) approves the owner of this sponsorship, or objects. */
  event("agent.owner_judged", 1, {
    sponsorship: Schema.Int,
    human: Schema.String,
    approves: Schema.Boolean
  }),
  event("agent.sponsorship_verified", 1, { sponsorship: Schema.Int, owner }),
  event("agent.sponsorship_ended", 1, {
    sponsorship: Schema.Int,
    status: SponsorshipStatus,
    /** Only in older events: the trust that remains withheld by a suspension when the sponsorship has ended. */
    trust_withheld: Schema.optionalKey(Schema.Number),
    owner
  }),
  /** The account was deleted before it received the declaration. */
  event("agent.sponsorship_came_late", 1, { sponsorship: Schema.Int })
] as const
type SponsorEvent = (typeof events)[number]["Type"]
export type SponsorshipEnded = Extract<SponsorEvent, { type: "agent.sponsorship_ended" }>

export const SPONSORSHIP_TARGET = "sponsorship"

/** The most confirmations that are remembered. It is above their limit. */
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
  /** A sponsorship that was never confirmed is removed without a trace. */
  "agent.sponsorship_ended": (part, event, at) => {
    const ended = part.sponsors.find(({ id, since }) => id === event.sponsorship && since !== null)
    if (ended === undefined) return { sponsors: others(part, event) }
    const { human } = ended
    const former = [...part.former_sponsors.filter((one) => one.human !== human), { human, until: at }]
    return { sponsors: others(part, event), former_sponsors: former.slice(-REMEMBERED_MAX) }
  },
  "agent.sponsorship_came_late": () => ({}),
  /** Stores the trust that a current sponsorship gives. An ended sponsorship is no longer in the state. */
  "agent.score_changed": (part, { target_type, target_id, delta, given = delta }) =>
    target_type === SPONSORSHIP_TARGET ? changed(part, Number(target_id), () => ({ trust: given })) : {}
}

export const hasSponsors = (sponsors: ReadonlyArray<SponsorState>): boolean =>
  sponsors.some(({ since }) => since !== null)

export const pendingOf = (sponsors: ReadonlyArray<SponsorState>): number =>
  sponsors.filter(({ since }) => since === null).length
