/**
 * Pure decisions on a sponsorship (spec 3.4; contract 6, 20).
 *
 * Invariants
 *  - Only its agent can confirm it, and only while it is pending.
 *  - It ends once: the agent refuses or revokes it, the person withdraws it, its time is over while it is pending, or
 *    one of the two accounts ends. An ended sponsorship never changes again.
 *  - For everybody else the sponsorship does not exist.
 */
import { notFound, type Refusal, refusal, unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { AgentAdmits } from "../../schemas/sponsorship/operations.ts"
import type { SponsorshipStatus } from "../../schemas/sponsorship/records.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import { type Companion, type DecideContext, type Decision, firing } from "../engine/definition.ts"
import type { Sponsorship, SponsorshipEvent, SponsorshipState } from "./state.ts"

type Decided = Decision<SponsorshipEvent>
type EndedStatus = Extract<SponsorshipEvent, { readonly type: "sponsorship.ended" }>["status"]

export const noSponsorship: { readonly refused: Refusal } = { refused: notFound("sponsorship") }

const NOTHING: Decided = { events: [] }

export const isOpen = (status: SponsorshipStatus): boolean => status === "pending" || status === "confirmed"

const notPending = (status: SponsorshipStatus): Decided => ({
  refused: refusal("sponsorship_not_pending", `This sponsorship is ${status}.`, { status })
})

const ended = ({ human, agent }: Sponsorship, status: EndedStatus): Decided => ({
  events: [{ type: "sponsorship.ended", v: 1, human, agent, status }]
})

export const decideConfirm = (state: SponsorshipState, { agent }: { readonly agent: string }): Decided => {
  if (state === null || state.agent !== agent) return noSponsorship
  if (state.status !== "pending") return notPending(state.status)
  return { events: [{ type: "sponsorship.confirmed", v: 1, human: state.human, agent }] }
}

/** The agent's events in the same commit. `admits.seq`: the sequence of its log at which its limit was checked. */
export const besideAgent = (agent: string, admits: AgentAdmits | null): ReadonlyArray<Companion> =>
  admits === null
    ? []
    : [{ kind: "agent", id: agent, expected: admits.seq, events: admits.events }, ...(admits.also ?? [])]

export const decideReject = (state: SponsorshipState, { agent }: { readonly agent: string }): Decided => {
  if (state === null || state.agent !== agent) return noSponsorship
  if (!isOpen(state.status)) return notPending(state.status)
  return ended(state, state.status === "pending" ? "refused" : "revoked")
}

export const decideWithdraw = (state: SponsorshipState, { human }: { readonly human: string }): Decided => {
  if (state === null || state.human !== human) return noSponsorship
  return isOpen(state.status) ? ended(state, "withdrawn") : notPending(state.status)
}

export const decideVerify = (state: SponsorshipState): Decided => {
  if (state === null || !isOpen(state.status) || state.verified) return NOTHING
  return { events: [{ type: "sponsorship.verified", v: 1, human: state.human, agent: state.agent }] }
}

/** Ends together with an account. It may have ended already. */
export const decideEnd = (state: SponsorshipState, { status }: { readonly status: "revoked" | "withdrawn" }): Decided =>
  state === null || !isOpen(state.status) ? NOTHING : ended(state, status)

export const EXPIRY_TIMER = "expiry"

/** Sets the end of a pending sponsorship, or ends it if that time has passed. Repeating it changes nothing. */
export const decideDate = (
  state: SponsorshipState,
  { at }: Pick<DecideContext<unknown>, "at">,
  { pending_seconds }: Pick<Limits["limits"]["owner"], "pending_seconds">
): Decided => {
  if (state === null || state.status !== "pending" || state.expires_at !== undefined) return NOTHING
  const { human, agent } = state
  const expires_at = state.created_at + pending_seconds * 1000
  if (expires_at <= at) return ended(state, "expired")
  return {
    events: [{ type: "sponsorship.dated", v: 1, human, agent, expires_at }],
    timers: [{ name: EXPIRY_TIMER, at: expires_at }]
  }
}

export const decideExpire = (
  state: SponsorshipState,
  fired: FiredTimer,
  { at }: Pick<DecideContext<unknown>, "at">
): Decided => {
  if (state === null || state.status !== "pending" || state.expires_at === undefined) return NOTHING
  const now = firing(fired, state.expires_at, at)
  if (now === "early") return { refused: unavailable("The declaration does not end yet.") }
  return now === "due" ? ended(state, "expired") : NOTHING
}
