/**
 * What counts for all agents that send (spec 3.6, 8): id = `service`. Its newest event says all of it, so that whoever
 * sends counts in its own commit.
 */
import { Schema } from "effect"
import type { Limits } from "../../../schemas/limits.ts"
import { event } from "../../engine/events.ts"
import type { ActorOf } from "../../kind.ts"
import {
  Counted,
  counted,
  countedSince,
  DAY_MS,
  dayCounted,
  HOUR_MS,
  NO_DAYS,
  ratesOf,
  SendingDays
} from "../counted.ts"

const whole = {
  /** Recipients, by hours of the last day. */
  hours: Counted,
  days: SendingDays,
  /** Unix ms; `null` while it sends. */
  paused_at: Schema.NullOr(Schema.Number)
}

export const MailServiceState = Schema.Struct(whole)
export type MailServiceState = typeof MailServiceState.Type

export const MailServiceEvent = Schema.Union([
  event("mail_service.stands", 1, {
    ...whole,
    why: Schema.Literals(["sent", "bounced", "complained", "resumed"])
  })
])
export type MailServiceEvent = typeof MailServiceEvent.Type

export type MailServiceActor = ActorOf<MailServiceState, MailServiceEvent>

export const NOTHING_SENT: MailServiceState = { hours: [], days: NO_DAYS, paused_at: null }

export const evolveMailService = (
  _state: MailServiceState,
  { hours, days, paused_at }: MailServiceEvent
): MailServiceState => ({ hours, days, paused_at })

type MailLimits = Limits["limits"]["email"]

const HOURS = 25
const PERCENT = 100
const PERMILLE = 1000

export const usedOfDay = ({ hours }: MailServiceState, at: number): number => countedSince(hours, at - DAY_MS - HOUR_MS)

const isTooBad = (days: SendingDays, at: number, limits: MailLimits): boolean => {
  const { recipients, bounced, complained } = ratesOf(days, at, limits.window_days)
  if (recipients < limits.pause_recipients_min) return false
  return (
    bounced * PERCENT > limits.pause_bounce_percent * recipients ||
    complained * PERMILLE > limits.pause_complaint_permille * recipients
  )
}

const stands = (state: MailServiceState, why: MailServiceEvent["why"]): MailServiceEvent => ({
  type: "mail_service.stands",
  v: 1,
  ...state,
  why
})

/** So many recipients more. */
export const afterSending = (state: MailServiceState, recipients: number, at: number): MailServiceEvent =>
  stands(
    {
      ...state,
      hours: counted(state.hours, recipients, at, HOUR_MS, HOURS),
      days: dayCounted(state.days, "sent", recipients, at)
    },
    "sent"
  )

/** Of one that was sent: it may be the one that ends sending. */
export const afterOutcome = (
  state: MailServiceState,
  type: "bounced" | "complained",
  at: number,
  limits: MailLimits
): MailServiceEvent => {
  const days = dayCounted(state.days, type, 1, at)
  return stands({ ...state, days, paused_at: state.paused_at ?? (isTooBad(days, at, limits) ? at : null) }, type)
}

/** By an operator: what was counted counts no more. */
export const resumed = (state: MailServiceState): MailServiceEvent =>
  stands({ ...state, days: NO_DAYS, paused_at: null }, "resumed")
