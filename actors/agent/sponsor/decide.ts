/**
 * Decisions on an agent's sponsorships, and on the trust that they give (contract 12, 20). Pure.
 *
 * Invariants
 *  - A sponsor counts if the sponsorship is confirmed and the person's address is verified. At most two sponsors count,
 *    with 15 points each. If one of them leaves, the next in line counts.
 *  - Trust does not grow during a suspension, so no sponsor begins to count. Reinstatement adds the missing points.
 *  - The end of a sponsorship takes back all its trust, whatever the agent has lost in the meantime.
 *  - The event of a confirmation names the owners at that time. A reaction notifies them (actors/relay/).
 *  - An event that may change the agent's owner names the owner after it. The fleet follows (actors/fleet/). The owner
 *    that an agent is born with is not named, because it has no compartments yet.
 *  - A change of the state and the agent's notification of it are one commit. A repeated command does nothing.
 */
import { notFound, type Refusal, refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { Operations } from "../../../schemas/bus/operations.ts"
import type { Admission } from "../../../schemas/registration/operations.ts"
import type { SponsorshipNews } from "../../../schemas/sponsorship/operations.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import type { Decision } from "../../engine/definition.ts"
import { missing, unlessClosed } from "../decide.ts"
import { evolve } from "../evolve.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import { type Change, scoreEntries } from "../score/entries.ts"
import type { Agent, AgentEvent, AgentState } from "../state.ts"
import { ownersOf, provenOwner } from "../owner/decide.ts"
import { formerSince, REMEMBERED_MAX, type SponsorState, SPONSORSHIP_TARGET } from "./state.ts"

/** The points for each sponsor (contract 12). */
const TRUST_OF_SPONSOR = 15
const SPONSORS_COUNTED_MAX = 2

interface Context {
  readonly at: number
  readonly facts: NoticeFacts
}

type SponsorshipNewsOf<Change extends SponsorshipNews["change"]> = Extract<SponsorshipNews, { readonly change: Change }>

const NOTHING: Decision<AgentEvent> = { events: [] }

const targetOf = (id: number) => ({ type: SPONSORSHIP_TARGET, id: String(id) })

/**
 * The score changes for sponsors who begin to count now. The sponsors of a provisional agent count only from its
 * admission (contract 22).
 */
export const sponsorsCounted = ({
  status,
  provisional,
  sponsors
}: Pick<Agent, "status" | "provisional" | "sponsors">): ReadonlyArray<Change> => {
  if (status !== "active" || provisional) return []
  const room = SPONSORS_COUNTED_MAX - sponsors.filter(({ trust }) => trust !== null).length
  return sponsors
    .filter(({ since, verified, trust }) => since !== null && verified && trust === null)
    .toSorted((one, other) => (one.since ?? 0) - (other.since ?? 0) || one.id - other.id)
    .slice(0, Math.max(0, room))
    .map(({ id }) => ({ score: "trust", delta: TRUST_OF_SPONSOR, reason: "sponsor_confirmed", target: targetOf(id) }))
}

const counting = (agent: Agent, events: ReadonlyArray<AgentEvent>, at: number): ReadonlyArray<AgentEvent> => {
  const next = events.reduce<AgentState>((state, event) => evolve(state, event, { at }), agent)
  return next === null ? events : [...events, ...scoreEntries(next, sponsorsCounted(next))]
}

type OwnerEvent = Extract<
  AgentEvent,
  { readonly type: "agent.sponsorship_confirmed" | "agent.sponsorship_verified" | "agent.sponsorship_ended" }
>

const withOwner = (agent: Agent, event: OwnerEvent, at: number): OwnerEvent => ({
  ...event,
  owner: provenOwner(evolve(agent, event, { at }))
})

/** Decides that the agent has passed registration's questions. A repeated command changes nothing. */
export const decideAdmitted = unlessClosed(
  (agent, _input: Admission, { at }: { readonly at: number }): Decision<AgentEvent> => ({
    events: agent.provisional ? counting(agent, [{ type: "agent.admitted", v: 1 }], at) : []
  })
)

/**
 * The events of a sponsorship for an agent that was made for a person. It is confirmed from the start, so nobody is
 * asked or notified.
 */
export const carriedAtBirth = (
  agent: Agent,
  sponsor: Pick<SponsorState, "id" | "human" | "role">,
  at: number
): ReadonlyArray<AgentEvent> => {
  const { id: sponsorship, human, role } = sponsor
  return counting(
    agent,
    [
      { type: "agent.sponsorship_declared", v: 1, sponsorship, human, role, verified: true },
      { type: "agent.sponsorship_confirmed", v: 1, sponsorship, since: at }
    ],
    at
  )
}

type Admitting = Operations["sponsorship.admits"]["input"]

const limited = (why: string, max: number): Refusal => refusal("sponsorship_limit", why, { max })

const confirmRefusal = (
  { sponsors, former_sponsors, confirmations = [] }: Agent,
  at: number,
  { scores, limits: { owner } }: AdmitLimits
): Refusal | null => {
  const max = owner.agent_humans_max
  const confirmed = sponsors.filter(({ since }) => since !== null).length
  if (confirmed >= max) return limited("Too many people carry this agent.", max)
  const { requests, window_seconds } = owner.confirmed_owners
  const from = at - window_seconds * 1000
  if (confirmations.filter((confirmed) => confirmed > from).length >= requests)
    return limited("So many people were confirmed lately. Try again later.", requests)
  const former = formerSince(former_sponsors, at, scores).length
  return former + confirmed < REMEMBERED_MAX
    ? null
    : limited("Too many people stopped carrying this agent in the last weeks. Try again later.", REMEMBERED_MAX)
}

type AdmitLimits = Pick<Limits, "scores" | "limits">

/**
 * The refusal of another sponsorship or confirmation; `null` if there is room. Pending sponsorships have their own
 * limit, separately for people with verified and with unverified addresses. A later verification does not move a
 * pending one to the other limit. Otherwise unverified people could exceed theirs.
 */
export const decideAdmits = (state: AgentState, wanted: Admitting, at: number, limits: AdmitLimits): Refusal | null => {
  if (state === null || state.status === "banned" || state.status === "deleted") return notFound("agent")
  if (wanted.to === "confirm") return confirmRefusal(state, at, limits)
  const max = limits.limits.owner.agent_pending_max
  const isAlike = ({ since, declared_verified }: SponsorState): boolean =>
    since === null && declared_verified === wanted.verified
  return state.sponsors.filter(isAlike).length < max ? null : limited("Too many people wait for this agent.", max)
}

/**
 * The news that the agent's actor will receive about the sponsorship; `null` if `wanted` names no sponsorship (`as`).
 */
export const sponsorshipNews = (wanted: Admitting): SponsorshipNews | null => {
  if (wanted.as === undefined) return null
  return wanted.to === "confirm"
    ? { change: "confirmed", ...wanted.as }
    : { change: "declared", verified: wanted.verified, ...wanted.as }
}

/**
 * The notification of a sponsorship's change. The log has only the person's id; readers get the name too
 * (schemas/notification/completed.ts).
 */
const noticeOf = (
  agent: Agent,
  about: "sponsorship.requested" | "sponsorship.withdrawn",
  { id, human, role }: Pick<SponsorState, "id" | "human" | "role">,
  { notification }: NoticeFacts
): ReadonlyArray<AgentEvent> =>
  agent.status === "banned"
    ? []
    : [
        notified(notification, about, {
          sponsorship_id: id,
          human: { id: human },
          role,
          api_url: `${API_PREFIX}/me/sponsorships`
        })
      ]

const declared = (
  agent: Agent,
  { sponsorship, human, role, verified }: SponsorshipNewsOf<"declared">,
  { facts }: Context
): Decision<AgentEvent> => {
  if (agent.status === "deleted") return { events: [{ type: "agent.sponsorship_came_late", v: 1, sponsorship }] }
  return {
    events: [
      { type: "agent.sponsorship_declared", v: 1, sponsorship, human, role, verified },
      ...noticeOf(agent, "sponsorship.requested", { id: sponsorship, human, role }, facts)
    ]
  }
}

const ended = (
  agent: Agent,
  sponsor: SponsorState,
  { sponsorship, status }: SponsorshipNewsOf<"ended">,
  { at, facts }: Context
): Decision<AgentEvent> => {
  const { trust } = sponsor
  const event = withOwner(agent, { type: "agent.sponsorship_ended", v: 1, sponsorship, status }, at)
  const notice = status === "withdrawn" ? noticeOf(agent, "sponsorship.withdrawn", sponsor, facts) : []
  if (trust === null) return { events: [event, ...notice] }
  const entries = scoreEntries(agent, [
    { score: "trust", delta: -trust, reason: "sponsor_ended", target: targetOf(sponsorship) }
  ])
  return { events: [...counting(agent, [event, ...entries], at), ...notice] }
}

export const decideSponsorshipNews = (
  state: AgentState,
  told: SponsorshipNews,
  context: Context
): Decision<AgentEvent> => {
  if (state === null) return missing
  const { sponsorship, change } = told
  const sponsor = state.sponsors.find(({ id }) => id === sponsorship)
  if (change === "declared") return sponsor === undefined ? declared(state, told, context) : NOTHING
  if (sponsor === undefined) return NOTHING
  switch (change) {
    case "confirmed": {
      if (sponsor.since !== null) return NOTHING
      const humans = ownersOf(state).filter((human) => human !== sponsor.human)
      const notifies = { humans, at: context.at }
      const { at: since } = told
      const confirmed = { type: "agent.sponsorship_confirmed", v: 1, sponsorship, since, told: notifies } as const
      return { events: counting(state, [withOwner(state, confirmed, context.at)], context.at) }
    }
    case "verified": {
      if (sponsor.verified) return NOTHING
      const verified = { type: "agent.sponsorship_verified", v: 1, sponsorship } as const
      return { events: counting(state, [withOwner(state, verified, context.at)], context.at) }
    }
    case "ended":
      return ended(state, sponsor, told, context)
  }
}
