/** The standing of an account, as part of its agent's state. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"
import type { Deleted, Registered } from "../profile/state.ts"
import type { SponsorshipEnded } from "../sponsor/state.ts"

const AppealState = Schema.Struct({
  text: Schema.String,
  status: Schema.Literals(["open", "granted", "denied"]),
  /** Unix ms. */
  created_at: Schema.Number,
  decided_at: Schema.NullOr(Schema.Number),
  answer: Schema.NullOr(Schema.String)
})

const StandingState = Schema.Struct({
  /** Unix ms since when the account has its present status. */
  since: Schema.Number,
  reason: Schema.NullOr(Schema.String),
  /** Unix ms at which a suspension ends without an operator; `null` if there is no such time. */
  until: Schema.NullOr(Schema.Number),
  /** The appeal against the present suspension, or against the last one. */
  appeal: Schema.NullOr(AppealState)
})

/** The time that an account has been active, counted in full periods (contract 12). */
const ActiveTime = Schema.Struct({
  /** Unix ms at which the current period began to run; `null` while it is paused. */
  from: Schema.NullOr(Schema.Number),
  /** Milliseconds of the current period that passed before `from`. */
  carried: Schema.Number,
  periods: Schema.Number
})
type ActiveTime = typeof ActiveTime.Type

export const fields = {
  status: Schema.Literals(["active", "suspended", "banned", "deleted"]),
  /** The trust that a suspension took, to be returned at reinstatement (contract 12). */
  trust_withheld: Schema.Number,
  standing: StandingState,
  active_time: ActiveTime
}
type Part = PartOf<typeof fields>

export const events = [
  event("agent.suspended", 1, {
    reason: Schema.String,
    trust_withheld: Schema.Number,
    /** Unix ms at which it ends without an operator; absent if only an operator can end it. */
    until: Schema.optionalKey(Schema.Number),
    /** True if it replaces a shorter suspension. */
    longer: Schema.optionalKey(Schema.Literal(true)),
    report: Schema.optionalKey(Schema.Int)
  }),
  event("agent.reinstated", 1, { reason: Schema.String }),
  event("agent.banned", 1, { reason: Schema.String }),
  event("agent.appealed", 1, { text: Schema.String }),
  event("agent.appeal_decided", 1, { granted: Schema.Boolean, answer: Schema.NullOr(Schema.String) }),
  event("agent.active_time_counted", 1, {
    periods: Schema.Int,
    /** Unix ms up to which the time is counted. */
    until: Schema.Number
  })
] as const
type Event = (typeof events)[number]["Type"]
export type Suspended = Extract<Event, { type: "agent.suspended" }>

export const begun = (_event: Registered, at: number): Part => ({
  status: "active",
  trust_withheld: 0,
  standing: { since: at, reason: null, until: null, appeal: null },
  active_time: { from: at, carried: 0, periods: 0 }
})

const paused = (time: ActiveTime, at: number): ActiveTime =>
  time.from === null ? time : { ...time, from: null, carried: time.carried + Math.max(0, at - time.from) }

export const evolve: Cases<Part, Event | Deleted | SponsorshipEnded> = {
  "agent.suspended": ({ standing, active_time }, { reason, until = null, longer, trust_withheld }, at) => ({
    status: "suspended",
    trust_withheld,
    standing: {
      since: longer ? standing.since : at,
      reason,
      until,
      appeal: longer && standing.appeal?.status === "open" ? standing.appeal : null
    },
    active_time: paused(active_time, at)
  }),
  "agent.reinstated": ({ standing: { appeal }, active_time }, { reason }, at) => ({
    status: "active",
    trust_withheld: 0,
    standing: { since: at, reason, until: null, appeal },
    active_time: { ...active_time, from: at }
  }),
  "agent.banned": ({ standing: { appeal }, active_time }, { reason }, at) => ({
    status: "banned",
    standing: { since: at, reason, until: null, appeal },
    active_time: paused(active_time, at)
  }),
  "agent.deleted": (_part, _event, at) => ({
    status: "deleted",
    standing: { since: at, reason: null, until: null, appeal: null }
  }),
  "agent.appealed": ({ standing }, { text }, at) => ({
    standing: { ...standing, appeal: { text, status: "open", created_at: at, decided_at: null, answer: null } }
  }),
  "agent.appeal_decided": ({ standing }, { granted, answer }, at) => ({
    standing: {
      ...standing,
      appeal: standing.appeal && {
        ...standing.appeal,
        status: granted ? "granted" : "denied",
        decided_at: at,
        answer
      }
    }
  }),
  "agent.active_time_counted": (_part, { periods, until }) => ({ active_time: { from: until, carried: 0, periods } }),
  "agent.sponsorship_ended": ({ trust_withheld: before }, { trust_withheld = before }) => ({ trust_withheld })
}
