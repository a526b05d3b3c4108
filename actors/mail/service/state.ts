/**
 * The counts of all agents' sent mail (spec 3.6, 8). Its id is `service`. Its newest event contains the whole state, so
 * that a sender's actor can write it in its own commit.
 *
 * Invariants (contract 22)
 *  - `days` leaves out recipients at this service's own domains and everything from a sender whose sending is
 *    suspended.
 *  - The rates are judged after each sending and each outcome that counts in `days`.
 *  - One sender cannot pause the service, and agents with a common sponsor count as one sender. The rates must also be
 *    too high without any one sender that has bounces or complaints.
 *  - `senders` is bounded, however many agents one person has: beyond the bound, agents with a common sponsor share one
 *    entry.
 */
import { Schema } from "effect"
import type { Limits } from "../../../schemas/limits.ts"
import { event } from "../../engine/events.ts"
import type { ActorOf } from "../../kit/kind.ts"
import {
  MailCounts,
  counted,
  countedSince,
  DAY_MS,
  daysWith,
  daysWithout,
  dayCounted,
  HOUR_MS,
  NO_DAYS,
  ratesOf,
  SendingDays
} from "../counted.ts"

/**
 * The part that one sender has in `days` (mailer/state.ts), or that several agents with a common sponsor have together.
 */
const SenderDays = Schema.Struct({
  agent: Schema.String,
  /** The number of entries that are merged here. Absent in the entry of one agent. */
  together: Schema.optionalKey(Schema.Number),
  /** Ids of its sponsors, at its last sending or outcome. Absent in events of older releases. */
  sponsors: Schema.optionalKey(Schema.Array(Schema.String)),
  days: SendingDays
})
export type SenderDays = typeof SenderDays.Type

const whole = {
  /** Recipients at other services, by hours of the last day. */
  hours: MailCounts,
  days: SendingDays,
  /** Unix ms when sending was paused; `null` while the service sends. */
  paused_at: Schema.NullOr(Schema.Number),
  /** Unix ms of the last resumption by an operator, since which `days` are counted. Absent if there was none. */
  resumed_at: Schema.optionalKey(Schema.Number)
}

/** Senders with bounces or complaints that `days` counts, worst first: `SENDERS_MAX` at most. */
const senders = Schema.Array(SenderDays)

export const MailServiceState = Schema.Struct({ ...whole, senders })
export type MailServiceState = typeof MailServiceState.Type

export const MailServiceEvent = Schema.Union([
  event("mail_service.stands", 1, {
    ...whole,
    senders: Schema.optionalKey(senders),
    why: Schema.Literals(["sent", "bounced", "complained", "suspended", "paused", "resumed"])
  })
])
export type MailServiceEvent = typeof MailServiceEvent.Type

export type MailServiceActor = ActorOf<MailServiceState, MailServiceEvent>

export const NOTHING_SENT: MailServiceState = { hours: [], days: NO_DAYS, senders: [], paused_at: null }

export const evolveMailService = (
  _state: MailServiceState,
  { hours, days, senders = [], paused_at, resumed_at }: MailServiceEvent
): MailServiceState => ({ hours, days, senders, paused_at, ...(resumed_at === undefined ? {} : { resumed_at }) })

type MailLimits = Limits["limits"]["email"]

const HOURS = 25
const PERCENT = 100
const PERMILLE = 1000

/** A recipient counts for this long, because the hour of its sending counts as a whole. */
export const COUNTED_MS = DAY_MS + HOUR_MS

export const usedOfDay = ({ hours }: MailServiceState, at: number): number => countedSince(hours, at - COUNTED_MS)

/** Limited because all entries are in one event. */
const SENDERS_MAX = 32
const SPONSORS_MAX = 64

const isTooHigh = (days: SendingDays, at: number, limits: MailLimits): boolean => {
  const { recipients, bounced, complained } = ratesOf(days, at, limits.window_days)
  if (recipients < limits.pause_recipients_min) return false
  return (
    bounced * PERCENT > limits.pause_bounce_percent * recipients ||
    complained * PERMILLE > limits.pause_complaint_permille * recipients
  )
}

const badOutcomes = ({ days }: SenderDays, at: number, { window_days }: MailLimits): number => {
  const { bounced, complained } = ratesOf(days, at, window_days)
  return bounced + complained
}

const haveCommonSponsor = ({ sponsors = [] }: SenderDays, other: SenderDays): boolean =>
  sponsors.some((human) => other.sponsors?.includes(human))

/** Finds the entry that counts a sender: its own, or one that it may share. */
const entryOf = (senders: ReadonlyArray<SenderDays>, sender: SenderDays): SenderDays | undefined =>
  senders.find((one) => one.together === undefined && one.agent === sender.agent) ??
  senders.find((one) => one.together !== undefined && haveCommonSponsor(one, sender))

/**
 * Changes one sender's figures. `sender` already contains the change. If the sender shares an entry, `change` is
 * applied to that entry.
 */
const withSender = (
  senders: ReadonlyArray<SenderDays>,
  sender: SenderDays,
  change: (days: SendingDays) => SendingDays,
  at: number,
  limits: MailLimits
): ReadonlyArray<SenderDays> => {
  const found = entryOf(senders, sender)
  const changed =
    found?.together === undefined
      ? [...senders.filter((one) => one !== found), sender]
      : senders.map((one) => (one === found ? { ...one, days: change(one.days) } : one))
  const bad = changed
    .map(({ sponsors = [], ...one }) => ({ ...one, sponsors: sponsors.slice(0, SPONSORS_MAX) }))
    .map((one) => ({ one, bad: badOutcomes(one, at, limits) }))
    .filter((entry) => entry.bad > 0)
    .toSorted((one, other) => other.bad - one.bad)
  return bounded(bad.map(({ one }) => one))
}

/**
 * Limits the list to `SENDERS_MAX` entries, the worst first. Senders with a common sponsor are merged before any is
 * left out.
 */
const bounded = (senders: ReadonlyArray<SenderDays>): ReadonlyArray<SenderDays> => {
  let all = senders
  while (all.length > SENDERS_MAX) {
    const [first, ...others] = groupsOf(all).toSorted((one, other) => other.length - one.length)[0] ?? []
    const last = others.at(-1)
    if (first === undefined || last === undefined) return all.slice(0, SENDERS_MAX)
    all = all.flatMap((one) => (one === first ? [putTogether(first, last)] : one === last ? [] : [one]))
  }
  return all
}

const putTogether = (one: SenderDays, other: SenderDays): SenderDays => ({
  agent: one.agent,
  together: (one.together ?? 1) + (other.together ?? 1),
  sponsors: [...new Set([...(one.sponsors ?? []), ...(other.sponsors ?? [])])].slice(0, SPONSORS_MAX),
  days: daysWith(one.days, other.days)
})

/** Senders that are linked by common sponsors, directly or through others. */
const groupsOf = (senders: ReadonlyArray<SenderDays>): ReadonlyArray<ReadonlyArray<SenderDays>> => {
  let groups: ReadonlyArray<ReadonlyArray<SenderDays>> = []
  for (const sender of senders) {
    const isLinked = (group: ReadonlyArray<SenderDays>): boolean => group.some((one) => haveCommonSponsor(one, sender))
    groups = [...groups.filter((group) => !isLinked(group)), [...groups.filter(isLinked).flat(), sender]]
  }
  return groups
}

const judged = (state: MailServiceState, at: number, limits: MailLimits): MailServiceState => {
  const { days, senders, paused_at } = state
  const isPaused =
    isTooHigh(days, at, limits) &&
    groupsOf(senders).every((group) =>
      isTooHigh(
        group.reduce((left, one) => daysWithout(left, one.days), days),
        at,
        limits
      )
    )
  return { ...state, paused_at: paused_at ?? (isPaused ? at : null) }
}

const stands = (state: MailServiceState, why: MailServiceEvent["why"]): MailServiceEvent => ({
  type: "mail_service.stands",
  v: 1,
  ...state,
  why
})

/**
 * `outside`: recipients at other services, the only ones that count. `sender`: the sender's figures, including these.
 */
export const afterSending = (
  state: MailServiceState,
  { outside, sender }: { readonly outside: number; readonly sender: SenderDays },
  at: number,
  limits: MailLimits
): MailServiceEvent => {
  const hours = counted(state.hours, outside, at, HOUR_MS, HOURS)
  const change = (days: SendingDays): SendingDays => dayCounted(days, "sent", outside, at)
  const days = change(state.days)
  const senders = withSender(state.senders, sender, change, at, limits)
  return stands(judged({ ...state, hours, days, senders }, at, limits), "sent")
}

/** A recipient outside bounced or complained. `sender`: the sender's figures, including this outcome. */
export const afterOutcome = (
  state: MailServiceState,
  { type, sender }: { readonly type: "bounced" | "complained"; readonly sender: SenderDays },
  at: number,
  limits: MailLimits
): MailServiceEvent => {
  const change = (days: SendingDays): SendingDays => dayCounted(days, type, 1, at)
  const days = change(state.days)
  const senders = withSender(state.senders, sender, change, at, limits)
  return stands(judged({ ...state, days, senders }, at, limits), type)
}

/** A sender's right to send is suspended. `sender`: the sender's part of `days`. */
export const afterSuspension = (state: MailServiceState, sender: SenderDays): MailServiceEvent => {
  const found = entryOf(state.senders, sender)
  const senders = state.senders.flatMap((one) => {
    if (one !== found) return [one]
    return one.together === undefined ? [] : [{ ...one, days: daysWithout(one.days, sender.days) }]
  })
  return stands({ ...state, days: daysWithout(state.days, sender.days), senders }, "suspended")
}

export const paused = (state: MailServiceState, at: number): MailServiceEvent =>
  stands({ ...state, paused_at: at }, "paused")

/** An operator lets the service send again. Its rates begin at zero. */
export const resumed = (state: MailServiceState, at: number): MailServiceEvent =>
  stands({ ...state, days: NO_DAYS, senders: [], paused_at: null, resumed_at: at }, "resumed")
