/** The standing of an account as part of its agent's state, and its events' effects. Pure. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"

const AppealState = Schema.Struct({
  text: Schema.String,
  status: Schema.Literals(["open", "granted", "denied"]),
  /** Unix ms. */
  created_at: Schema.Number,
  decided_at: Schema.NullOr(Schema.Number),
  answer: Schema.NullOr(Schema.String)
})
type AppealState = typeof AppealState.Type

export const StandingState = Schema.Struct({
  /** Unix ms since when the account has its present status. */
  since: Schema.Number,
  reason: Schema.NullOr(Schema.String),
  /** Unix ms at which a suspension ends without an operator. */
  until: Schema.NullOr(Schema.Number),
  /** The appeal against the present suspension, or against the last one. */
  appeal: Schema.NullOr(AppealState)
})
export type StandingState = typeof StandingState.Type

/** The time that an account has been active, counted in full periods (contract 12). */
export const ActiveTime = Schema.Struct({
  /** Unix ms since when it runs; `null` while it does not. */
  from: Schema.NullOr(Schema.Number),
  /** Milliseconds of an unfinished period from before `from`. */
  carried: Schema.Number,
  /** Full periods that trust was given for. */
  periods: Schema.Number
})
export type ActiveTime = typeof ActiveTime.Type

export interface Moderated {
  readonly standing: StandingState
  readonly active_time: ActiveTime
}

export const newlyModerated = (at: number): Moderated => ({
  standing: { since: at, reason: null, until: null, appeal: null },
  active_time: { from: at, carried: 0, periods: 0 }
})

/** The agent's events that change its standing. */
export const MODERATION_EVENTS = [
  event("agent.suspended", 1, {
    reason: Schema.String,
    trust_withheld: Schema.Number,
    /** Unix ms at which it ends without an operator; absent if only an operator can end it. */
    until: Schema.optionalKey(Schema.Number),
    /** True if it replaces a shorter suspension. */
    longer: Schema.optionalKey(Schema.Literal(true)),
    /** The report that led to it. */
    report: Schema.optionalKey(Schema.Int)
  }),
  event("agent.reinstated", 1, { reason: Schema.String }),
  event("agent.banned", 1, { reason: Schema.String }),
  event("agent.appealed", 1, { text: Schema.String }),
  event("agent.appeal_decided", 1, { granted: Schema.Boolean, answer: Schema.NullOr(Schema.String) }),
  event("agent.active_time_counted", 1, {
    /** Full periods so far. */
    periods: Schema.Int,
    /** Unix ms up to which the time is counted. */
    until: Schema.Number
  })
] as const
export type ModerationEvent = (typeof MODERATION_EVENTS)[number]["Type"]

interface Deleted {
  readonly type: "agent.deleted"
}

export const evolveModerated = (
  { standing, active_time }: Moderated,
  event: ModerationEvent | Deleted,
  at: number
): Moderated => {
  switch (event.type) {
    case "agent.suspended":
      return {
        standing: {
          since: event.longer ? standing.since : at,
          reason: event.reason,
          until: event.until ?? null,
          appeal: event.longer && standing.appeal?.status === "open" ? standing.appeal : null
        },
        active_time: paused(active_time, at)
      }
    case "agent.reinstated":
      return {
        standing: { since: at, reason: event.reason, until: null, appeal: standing.appeal },
        active_time: { ...active_time, from: at }
      }
    case "agent.banned":
      return {
        standing: { ...standing, since: at, reason: event.reason, until: null },
        active_time: paused(active_time, at)
      }
    case "agent.deleted":
      return { standing: { since: at, reason: null, until: null, appeal: null }, active_time }
    case "agent.appealed":
      return {
        standing: {
          ...standing,
          appeal: { text: event.text, status: "open", created_at: at, decided_at: null, answer: null }
        },
        active_time
      }
    case "agent.appeal_decided": {
      const { granted, answer } = event
      const appeal = standing.appeal && {
        ...standing.appeal,
        status: granted ? ("granted" as const) : ("denied" as const),
        decided_at: at,
        answer
      }
      return { standing: { ...standing, appeal }, active_time }
    }
    case "agent.active_time_counted":
      return { standing, active_time: { from: event.until, carried: 0, periods: event.periods } }
  }
}

const paused = (time: ActiveTime, at: number): ActiveTime =>
  time.from === null ? time : { ...time, from: null, carried: time.carried + Math.max(0, at - time.from) }

/** The time when the current period is full; `null` if there is none. */
export const periodEnd = ({ from, carried }: ActiveTime, periodMs: number): number | null =>
  from === null ? null : from + periodMs - carried
