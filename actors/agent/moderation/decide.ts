/**
 * Decisions on an account's standing (spec 3.1; contract 12). Pure.
 *
 * Invariants
 *  - A suspension or reinstatement and the agent's notification are one commit, so neither is lost in a crash.
 *  - Each suspension can be appealed once, and each appeal is decided once. If it is granted, the account is reinstated
 *    in the same commit.
 *  - A durable timer ends a suspension that has an end. The state decides whether the timer still applies: it does
 *    nothing after a reinstatement by hand or a new suspension.
 *  - Trust grows with each full period of active time, up to `active_periods_max`, by one score entry each. Time under
 *    suspension does not count, and the unfinished period continues after it. The end of each period sets the timer of
 *    the next.
 */
import type { AppealVerdict, Suspension } from "../../../schemas/moderation/operations.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import { invalidField, type Refusal, refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { missing, unlessClosed } from "../decide.ts"
import { iso } from "../../../schemas/iso.ts"
import { scoreEntries } from "../score/entries.ts"
import type { Agent, AgentEvent, AgentState } from "../state.ts"
import { type Decision, type DecideContext, firing, type Timer } from "../../engine/definition.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import { withdrawing } from "../../vote/noun.ts"
import { sponsorsCounted } from "../sponsor/decide.ts"
import { endingAll } from "../watch/decide.ts"

type Context = Pick<DecideContext<NoticeFacts>, "at" | "facts">

export const STANDING_TIMER = "standing"
export const ACTIVE_TIME_TIMER = "active_time"

/** The most trust that a suspension takes, until the account is reinstated (contract 12). */
const TRUST_LOST_BY_SUSPENSION = 30

const conflict = (agent: Agent): { readonly refused: Refusal } => ({
  refused: refusal("validation_error", `The agent is ${agent.status}.`, { field: "status", status: agent.status })
})

const NOTHING: Decision<AgentEvent> = { events: [] }
const early: Decision<AgentEvent> = { refused: unavailable("The timer is early.") }

/**
 * True if the new suspension ends later than the present one. A suspension without an end ends later than all others.
 */
const endsLater = (until: number | undefined, standing: number | null): boolean =>
  standing !== null && (until === undefined || until > standing)

/** Decides on a suspension. One that ends later replaces the present one, and takes no more trust. */
export const decideSuspend = (
  state: AgentState,
  { reason, until, report }: Suspension,
  { at, facts }: Context
): Decision<AgentEvent> => {
  if (state === null) return missing
  if (report !== undefined && state.outcomes.includes(report)) return NOTHING
  if (until !== undefined && !(until > at)) return { refused: invalidField("until", "until must lie in the future.") }
  const longer = state.status === "suspended" && endsLater(until, state.standing.until)
  if (state.status !== "active" && !longer) return conflict(state)
  const taken = Math.min(TRUST_LOST_BY_SUSPENSION, state.trust)
  const scores = longer
    ? []
    : scoreEntries(state, [{ score: "trust", delta: -taken, reason: "suspended", target: null }])
  const trust_withheld = longer ? state.trust_withheld : taken
  return {
    events: [
      {
        type: "agent.suspended",
        v: 1,
        reason,
        trust_withheld,
        ...(until === undefined ? {} : { until }),
        ...(longer ? { longer } : {}),
        ...(report === undefined ? {} : { report })
      },
      ...scores,
      notified(facts.notification, "moderation.suspended", {
        reason,
        at: iso(at),
        until: until === undefined ? null : iso(until)
      })
    ],
    ...(until === undefined ? {} : { timers: [{ name: STANDING_TIMER, at: until }] })
  }
}

const reinstatement = (
  agent: Agent,
  reason: string,
  { at, facts }: Context,
  { moderation }: Limits
): Decision<AgentEvent> => ({
  events: [
    { type: "agent.reinstated", v: 1, reason },
    ...scoreEntries(agent, [
      { score: "trust", delta: agent.trust_withheld, reason: "reinstated", target: null },
      ...sponsorsCounted({ ...agent, status: "active" })
    ]),
    notified(facts.notification, "moderation.reinstated", { reason, at: iso(at) })
  ],
  timers: activeTimeTimer({ ...agent, active_time: { ...agent.active_time, from: at } }, moderation)
})

export const decideReinstate = (
  state: AgentState,
  { reason }: { readonly reason: string },
  context: Context,
  limits: Limits
): Decision<AgentEvent> => {
  if (state === null) return missing
  return state.status === "suspended" ? reinstatement(state, reason, context, limits) : conflict(state)
}

/** Bans an account. The withdrawal of its votes begins in the same commit (contract 19). */
export const decideBan = (
  state: AgentState,
  { reason }: { readonly reason: string },
  { id, at }: { readonly id: string; readonly at: number }
): Decision<AgentEvent> => {
  if (state === null) return missing
  if (state.status !== "active" && state.status !== "suspended") return conflict(state)
  const banned: AgentEvent = { type: "agent.banned", v: 1, reason }
  return { events: [...endingAll(state), banned], ...withdrawing(id, at) }
}

export const decideAppeal = unlessClosed((agent, { text }: { readonly text: string }): Decision<AgentEvent> => {
  if (agent.status !== "suspended")
    return {
      refused: refusal("appeal_not_possible", "There is nothing to appeal against: the account is not suspended.")
    }
  const { appeal } = agent.standing
  if (appeal !== null)
    return {
      refused: refusal("appeal_exists", "This suspension was appealed against already.", { status: appeal.status })
    }
  return { events: [{ type: "agent.appealed", v: 1, text }] }
})

export const decideOnAppeal = (
  state: AgentState,
  { granted, answer }: AppealVerdict,
  context: Context,
  limits: Limits
): Decision<AgentEvent> => {
  if (state === null) return missing
  if (state.status !== "suspended") return conflict(state)
  if (state.standing.appeal?.status !== "open")
    return { refused: refusal("appeal_not_possible", "The agent has no open appeal.") }
  const decided: AgentEvent = { type: "agent.appeal_decided", v: 1, granted, answer }
  if (!granted)
    return {
      events: [
        decided,
        notified(context.facts.notification, "moderation.appeal_denied", { answer, at: iso(context.at) })
      ]
    }
  const reinstated = reinstatement(state, answer ?? "the appeal was granted", context, limits)
  return { ...reinstated, events: [decided, ...(reinstated.events ?? [])] }
}

export const decideStandingDue = (
  state: AgentState,
  timer: FiredTimer,
  context: Context,
  limits: Limits
): Decision<AgentEvent> => {
  const until = state?.standing.until ?? null
  if (state === null || state.status !== "suspended" || until === null) return NOTHING
  const now = firing(timer, until, context.at)
  return now === "due"
    ? reinstatement(state, "the suspension is over", context, limits)
    : now === "early"
      ? early
      : NOTHING
}

/** The time at which the current period of active time is full; `null` if none is running. */
const periodEnd = ({ from, carried }: Agent["active_time"], periodMs: number): number | null =>
  from === null ? null : from + periodMs - carried

/**
 * The timer for the end of the current period. It is empty if no period is running, or if active time has given all the
 * trust that it can give.
 */
export const activeTimeTimer = (
  agent: Pick<Agent, "active_time">,
  { active_period_seconds, active_periods_max }: Limits["moderation"]
): ReadonlyArray<Timer> => {
  const at = periodEnd(agent.active_time, active_period_seconds * 1000)
  return at === null || agent.active_time.periods >= active_periods_max ? [] : [{ name: ACTIVE_TIME_TIMER, at }]
}

export const decideActiveTimeDue = (
  state: AgentState,
  timer: FiredTimer,
  { at }: Pick<Context, "at">,
  { moderation }: Limits
): Decision<AgentEvent> => {
  const [due] = state === null || state.status !== "active" ? [] : activeTimeTimer(state, moderation)
  if (state === null || due === undefined) return NOTHING
  const now = firing(timer, due.at, at)
  if (now !== "due") return now === "early" ? early : NOTHING
  const counted = { from: due.at, carried: 0, periods: state.active_time.periods + 1 }
  return {
    events: [
      { type: "agent.active_time_counted", v: 1, periods: counted.periods, until: due.at },
      ...scoreEntries(state, [
        { score: "trust", delta: moderation.active_period_trust, reason: "active_period", target: null }
      ])
    ],
    timers: activeTimeTimer({ active_time: counted }, moderation)
  }
}
