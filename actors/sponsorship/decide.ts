/**
 * Decisions on a sponsorship (spec 3.4; contract 6, 20). Pure.
 *
 * Invariants
 *  - It is confirmed by its agent alone, and only while it is pending.
 *  - It ends once: refused or revoked by the agent, withdrawn by the person, or with the account of one of the two. What
 *    has ended is never anything else again; whoever comes after is told how it stands.
 *  - To everybody else there is no such sponsorship.
 */
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import type { SponsorshipStatus } from "../../schemas/sponsorship/records.ts"
import type { Decision } from "../engine/definition.ts"
import type { Sponsorship, SponsorshipEvent, SponsorshipState } from "./state.ts"

type Decided = Decision<SponsorshipEvent>
type Ended = Extract<SponsorshipEvent, { readonly type: "sponsorship.ended" }>["status"]

export const noSponsorship: { readonly refused: Refusal } = { refused: notFound("sponsorship") }

const NOTHING: Decided = { events: [] }

export const isOpen = (status: SponsorshipStatus): boolean => status === "pending" || status === "confirmed"

const notPending = (status: SponsorshipStatus): Decided => ({
  refused: refusal("sponsorship_not_pending", `This sponsorship is ${status}.`, { status })
})

const ended = ({ human, agent }: Sponsorship, status: Ended): Decided => ({
  events: [{ type: "sponsorship.ended", v: 1, human, agent, status }]
})

export const decideConfirm = (state: SponsorshipState, { agent }: { readonly agent: string }): Decided => {
  if (state === null || state.agent !== agent) return noSponsorship
  if (state.status !== "pending") return notPending(state.status)
  return { events: [{ type: "sponsorship.confirmed", v: 1, human: state.human, agent }] }
}

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

/** With an account; it may have ended already. */
export const decideEnd = (state: SponsorshipState, { status }: { readonly status: "revoked" | "withdrawn" }): Decided =>
  state === null || !isOpen(state.status) ? NOTHING : ended(state, status)
