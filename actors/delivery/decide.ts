/**
 * Pure decisions on a delivery (contract 4).
 *
 * Invariants
 *  - Each event that requests an attempt (queued, due, redelivered) has a number. A worker answers with that number: by
 *    a report, or that the attempt is postponed or dropped. Only the first answer to the last number has an effect.
 *  - While the delivery is pending, either an attempt is requested or a timer is set that will request one. A report
 *    that leaves it pending sets the timer before its commit. So a delivery is never stuck.
 *  - The log keeps a delivery for `kept_seconds` after it was queued. No attempt is requested in the last hour, so no
 *    answer comes after the delivery's end.
 *  - A timer has no effect if an attempt was already requested, nothing is pending, or the delivery waits for another
 *    time. No clock is read, because a wrong clock must not leave a delivery without its timer.
 */
import type { FiredTimer } from "../../schemas/timer.ts"
import type { Report } from "../../schemas/delivery/operations.ts"
import type { Limits } from "../../schemas/limits.ts"
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import { type Decision, isDue } from "../engine/definition.ts"
import type { Delivery, DeliveryEvent, DeliveryState } from "./state.ts"

export const RETRY_TIMER = "retry"

export const GONE = 410

interface AnsweredCall {
  readonly call: number
}

interface JitterFacts {
  /** A number from -1 to 1. */
  readonly jitter: number
}

interface Context {
  readonly at: number
  readonly facts: JitterFacts
}

type Decided = Decision<DeliveryEvent>

const missing: { readonly refused: Refusal } = { refused: notFound("delivery") }
const NOTHING: Decided = { events: [] }

/** Within this time, a requested attempt is answered, or its worker gives it up. */
const LAST_HOUR_SECONDS = 3600
/**
 * Added to the time of later commits, so that they outlive the first one. The bus may have stored the first one a
 * little late.
 */
const LONGER_SECONDS = 5

export const retentionSeconds = (state: DeliveryState, at: number, { webhook }: Limits): number =>
  Math.max(1, Math.ceil(((state?.created_at ?? at) - at) / 1000) + webhook.kept_seconds + LONGER_SECONDS)

const isTooLate = (next: number, { created_at }: Delivery, { webhook }: Limits): boolean =>
  next > created_at + (webhook.kept_seconds - LAST_HOUR_SECONDS) * 1000

const spread = (seconds: number, { facts }: Context, { webhook }: Limits): number =>
  Math.round(seconds * 1000 * (1 + (facts.jitter * webhook.retry_jitter_percent) / 100))

/**
 * Unix ms of the next attempt; `null` if there is none. A `Retry-After` of the receiver makes it later, never sooner.
 */
export const nextAttemptAt = (round: number, report: Report, context: Context, limits: Limits): number | null => {
  const { retry_seconds, retry_after_max_seconds } = limits.webhook
  const wait = (retry_seconds as Readonly<Record<number, number>>)[round + 1]
  if (wait === undefined || report.response_code === GONE) return null
  const asked = Math.min(report.retry_after_seconds ?? 0, retry_after_max_seconds) * 1000
  return context.at + Math.max(spread(wait, context, limits), asked)
}

export const decideReport = (state: DeliveryState, report: Report, context: Context, limits: Limits): Decided => {
  if (state === null) return missing
  if (!state.called || state.calls !== report.call) return NOTHING
  const { response_code, error, duration_ms } = report
  const wanted = error === null ? null : nextAttemptAt(state.round, report, context, limits)
  const next = wanted === null || isTooLate(wanted, state, limits) ? null : wanted
  const status = error === null ? "delivered" : next === null ? "failed" : "pending"
  return {
    events: [
      {
        type: "delivery.attempted",
        v: 1,
        attempt: state.attempts + 1,
        status,
        response_code,
        error,
        duration_ms,
        next_attempt_at: next
      }
    ],
    ...(next === null ? {} : { timers: [{ name: RETRY_TIMER, at: next }] })
  }
}

/**
 * Postpones the attempt without making it: the receiver's share of the worker is full, or an operator has paused the
 * webhook.
 */
export const decidePutOff = (
  state: DeliveryState,
  { call }: AnsweredCall,
  context: Context,
  limits: Limits
): Decided => {
  if (state === null) return missing
  if (!state.called || state.calls !== call) return NOTHING
  const { put_off_seconds, put_off_max_seconds } = limits.webhook
  const next = context.at + spread(Math.min(put_off_seconds * 2 ** state.put_off, put_off_max_seconds), context, limits)
  if (isTooLate(next, state, limits)) return { events: [{ type: "delivery.dropped", v: 1, reason: "too_late" }] }
  return {
    events: [{ type: "delivery.put_off", v: 1, next_attempt_at: next }],
    timers: [{ name: RETRY_TIMER, at: next }]
  }
}

export const decideDrop = (
  state: DeliveryState,
  { call, reason }: AnsweredCall & { readonly reason: string }
): Decided => {
  if (state === null) return missing
  return state.called && state.calls === call ? { events: [{ type: "delivery.dropped", v: 1, reason }] } : NOTHING
}

export const decideTimer = (state: DeliveryState, fired: FiredTimer): Decided => {
  if (state === null || fired.name !== RETRY_TIMER || state.status !== "pending" || state.called) return NOTHING
  if (!isDue(fired, state.next_attempt_at ?? 0)) return NOTHING
  return { events: [{ type: "delivery.due", v: 1, call: state.calls + 1 }] }
}

export const decideRedeliver = (
  state: DeliveryState,
  { agent }: { readonly agent: string },
  at: number,
  { webhook }: Limits
): Decided => {
  // Refuses another agent's delivery, and one that is too old for the agent's log of deliveries.
  if (state === null || state.agent !== agent || at - state.created_at > webhook.log_seconds * 1000) return missing
  const { status, redeliveries } = state
  if (status === "pending") {
    return {
      refused: refusal("redelivery_not_possible", "This delivery is under way: its next attempt comes by itself.", {
        status
      })
    }
  }
  if (redeliveries >= webhook.redeliveries_max) {
    return {
      refused: refusal("redelivery_not_possible", `A delivery can be repeated ${webhook.redeliveries_max} times.`, {
        status,
        max: webhook.redeliveries_max
      })
    }
  }
  return { events: [{ type: "delivery.redelivered", v: 1, call: state.calls + 1 }] }
}
