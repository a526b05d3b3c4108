/**
 * Decides whether an agent may send a mail, and makes the one commit that counts and queues it (spec 3.6, 4.9, 8).
 * Pure.
 *
 * Invariants
 *  - The message, its counts for the agent and for the service, and its places in the queue are one commit. So a retry
 *    of the same command counts once, and nothing is queued without being counted. Mail inside the service counts for
 *    the agent only.
 *  - A part of the service's daily limit is reserved for established agents.
 *  - An agent may use at most `service_agent_percent` of the rest of the service's daily limit. So each further agent
 *    gets a part of the rest, and ten agents leave room for others. While anything is left, each agent may write to its
 *    first recipient of the day.
 *  - The agent's windows are exact. The service's window includes the whole hour in which the day began.
 */
import { refusal, type Refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { type SendingState, SERVICE_ID } from "../../../schemas/mail/sending-operations.ts"
import type { Companion, Decision } from "../../engine/definition.ts"
import { DAY_MS, HOUR_MS, type Rates, ratesOf } from "../counted.ts"
import { loggedSeconds } from "../retention.ts"
import { EXPIRE_TIMER } from "../message/decide.ts"
import type { MailMessageEvent } from "../message/state.ts"
import { sendingId } from "../sending/id.ts"
import type { MailSendingEvent } from "../sending/state.ts"
import {
  afterOutcome,
  afterSending,
  afterSuspension,
  COUNTED_MS,
  type MailServiceEvent,
  type MailServiceState,
  usedOfDay
} from "../service/state.ts"
import type { At } from "./decide.ts"
import { daysSince, evolveMailer, type MailerEvent, type MailerState } from "./state.ts"

type MailLimits = Limits["limits"]["email"]

export interface SenderFacts {
  /** Unix ms. */
  readonly registeredAt: number
  /** Decided by the same rule as for reports (contract 3). */
  readonly established: boolean
  readonly service: At<MailServiceState>
  /** Ids of the people who sponsor the agent, or did lately. */
  readonly sponsors: ReadonlyArray<string>
  /** Addresses that may not be written to. */
  readonly suppressed: ReadonlyArray<string>
}

/**
 * The service's own actor, which this one writes to in its own commit, and the people whose agents count as one sender.
 */
type OfService = Pick<SenderFacts, "service" | "sponsors">

const SECOND_MS = 1000
const PAUSED_RETRY_SECONDS = 3600
const PERCENT = 100

const sentSince = ({ sent }: Pick<MailerState, "sent">, from: number): number =>
  sent.reduce((sum, { at, recipients }) => (at > from ? sum + recipients : sum), 0)

const outsideSince = ({ sent }: MailerState, from: number): number =>
  sent.reduce((sum, { at, recipients, outside = recipients }) => (at > from ? sum + outside : sum), 0)

/** Seconds until enough of the window has passed for `recipients` more. */
const roomIn = ({ sent }: MailerState, recipients: number, max: number, spanMs: number, at: number): number => {
  let over = sentSince({ sent }, at - spanMs) + recipients - max
  for (const one of sent.filter((each) => each.at > at - spanMs)) {
    over -= one.recipients
    if (over <= 0) return Math.max(1, Math.ceil((one.at + spanMs - at) / SECOND_MS))
  }
  return Math.ceil(spanMs / SECOND_MS)
}

const perDayOf = (registeredAt: number, at: number, limits: MailLimits) => {
  const until = registeredAt + limits.first_week_seconds * SECOND_MS
  return at < until
    ? { perDay: Math.min(limits.first_week_per_day, limits.send_per_day), until }
    : { perDay: limits.send_per_day, until: null }
}

export const sendingState = (
  state: MailerState,
  { registeredAt, service }: Pick<SenderFacts, "registeredAt" | "service">,
  at: number,
  limits: MailLimits
): SendingState => {
  const { perDay, until } = perDayOf(registeredAt, at, limits)
  const { recipients, bounced } = ratesOf(state.days, at, limits.window_days)
  return {
    status: state.suspended_at !== null ? "suspended" : service.state.paused_at !== null ? "paused" : "active",
    per_hour: limits.send_per_hour,
    per_day: perDay,
    used_hour: sentSince(state, at - HOUR_MS),
    used_day: sentSince(state, at - DAY_MS),
    first_week_until: until === null ? null : new Date(until).toISOString(),
    bounce_rate: recipients === 0 ? 0 : Math.min(1, bounced / recipients)
  }
}

interface Window {
  readonly limit: number
  readonly window_seconds: number
}

const quota = (
  bucket: "email_quota" | "email_instance_quota",
  message: string,
  retryAfter: number,
  { limit, window_seconds, ...more }: Window & Readonly<Record<string, unknown>>
): Refusal => ({
  ...refusal(bucket, message, { bucket, limit, window_seconds, retry_after: retryAfter, ...more }),
  retryAfter
})

/**
 * The reason why the agent may not send to these recipients; `null` if it may. `outside`: how many of them are at other
 * services.
 */
export const sendingRefusal = (
  state: MailerState,
  { recipients, outside }: { readonly recipients: number; readonly outside: number },
  { registeredAt, established, service, suppressed }: SenderFacts,
  at: number,
  limits: MailLimits
): Refusal | null => {
  if (state.suspended_at !== null)
    return refusal(
      "email_sending_suspended",
      "You may not send until an operator allows it: too much of it came back, or was not wanted."
    )
  if (service.state.paused_at !== null)
    return { ...refusal("email_paused", "This service sends no mail at the moment."), retryAfter: PAUSED_RETRY_SECONDS }
  if (suppressed.length > 0)
    return refusal(
      "email_recipient_suppressed",
      `These addresses take no mail of this service: ${suppressed.join(", ")}.`,
      { suppressed }
    )
  const { per_hour, per_day, used_hour, used_day, first_week_until } = sendingState(
    state,
    { registeredAt, service },
    at,
    limits
  )
  if (used_hour + recipients > per_hour)
    return quota(
      "email_quota",
      "That is more than you may send in an hour.",
      roomIn(state, recipients, per_hour, HOUR_MS, at),
      { limit: per_hour, window_seconds: HOUR_MS / SECOND_MS, per_hour, used_hour }
    )
  if (used_day + recipients > per_day)
    return quota(
      "email_quota",
      "That is more than you may send in a day.",
      roomIn(state, recipients, per_day, DAY_MS, at),
      { limit: per_day, window_seconds: DAY_MS / SECOND_MS, per_day, used_day, first_week_until }
    )
  if (outside === 0) return null
  const limit = serviceLimitOf(established, limits)
  const fits = (time: number): boolean => {
    const left = limit - usedOfDay(service.state, time) - outside
    const used = outsideSince(state, time - DAY_MS) + outside
    return left >= 0 && (used === 1 || used * PERCENT <= left * limits.service_agent_percent)
  }
  if (fits(at)) return null
  const isFull = usedOfDay(service.state, at) + outside > limit
  const whole = established
    ? "That is more than this service sends in a day."
    : "That is more than this service sends in a day for agents that are not established."
  return quota(
    "email_instance_quota",
    isFull ? whole : "That is more than your part of what is left of this service's day. Write to fewer recipients.",
    firstTime(fits, state, service.state, at),
    { limit, window_seconds: DAY_MS / SECOND_MS, per_day: limits.service_per_day }
  )
}

/** Seconds until `fits` holds. It can change only when an earlier mail leaves the window. */
const firstTime = (
  fits: (time: number) => boolean,
  { sent }: MailerState,
  { hours }: MailServiceState,
  at: number
): number => {
  const ends = [...sent.map((one) => one.at + DAY_MS), ...hours.map(({ since }) => since + COUNTED_MS)]
  const end = ends
    .filter((time) => time > at)
    .toSorted((one, other) => one - other)
    .find(fits)
  return Math.max(1, Math.ceil(((end ?? at + COUNTED_MS) - at) / SECOND_MS))
}

/**
 * The service's daily limit for this agent. A part is reserved for established agents, so that new ones cannot use up
 * outside mail for all.
 */
const serviceLimitOf = (established: boolean, { service_per_day, service_reserved_percent }: MailLimits): number =>
  established ? service_per_day : Math.floor((service_per_day * (PERCENT - service_reserved_percent)) / PERCENT)

export interface SealedSending {
  readonly mail: number
  readonly message: Omit<Extract<MailMessageEvent, { type: "mail.queued" }>, "type" | "v" | "agent">
  /** Recipients by their numbers, from 1. */
  readonly recipients: ReadonlyArray<
    Pick<Extract<MailSendingEvent, { type: "mail_sending.queued" }>, "recipient" | "to" | "sealed" | "untagged" | "own">
  >
}

export interface SendFacts extends SenderFacts {
  readonly sending: SealedSending
}

export const decideSend = (
  state: MailerState,
  { id: agent, at, facts }: { readonly id: string; readonly at: number; readonly facts: SendFacts },
  limits: MailLimits
): Decision<MailerEvent, { readonly mail: number }> => {
  const { mail, message, recipients } = facts.sending
  const outside = recipients.filter(({ own }) => own !== true).length
  const refused = sendingRefusal(state, { recipients: recipients.length, outside }, facts, at, limits)
  if (refused !== null) return { refused }
  const { mailbox } = message
  const keepSeconds = loggedSeconds(limits)
  const of = { kind: "mail", id: String(mail) }
  const queued: MailMessageEvent = { type: "mail.queued", v: 1, agent, ...message }
  const places = recipients.map((one, index): Companion => {
    const n = index + 1
    const event: MailSendingEvent = { type: "mail_sending.queued", v: 1, agent, mailbox, mail, n, ...one }
    return { kind: "mail_sending", id: sendingId(mail, n), expected: 0, events: [event], keepSeconds }
  })
  const to = recipients.flatMap((one) => [
    one.recipient,
    ...(one.untagged === undefined ? [] : [one.untagged.recipient])
  ])
  const { resumed_at } = facts.service.state
  const numbers = { mail, mailbox, recipients: recipients.length, outside }
  const sent: MailerEvent = { type: "mailer.sent", v: 1, ...numbers, to, ...sinceOf(resumed_at) }
  const sender = { agent, sponsors: facts.sponsors, days: daysSince(evolveMailer(state, sent, { at }), resumed_at) }
  // The service counts only recipients at other services. Otherwise all mail would be written to its one subject.
  const counted =
    outside === 0 ? [] : [ofService(facts, afterSending(facts.service.state, { outside, sender }, at, limits))]
  return {
    events: [sent],
    reply: { mail },
    companions: [{ ...of, expected: 0, events: [queued], keepSeconds }, ...places, ...counted],
    timers: [{ name: EXPIRE_TIMER, at: at + limits.retention_seconds * SECOND_MS, of }]
  }
}

const sinceOf = (resumedAt: number | undefined) => (resumedAt === undefined ? {} : { since: resumedAt })

const ofService = ({ service }: Pick<OfService, "service">, event: MailServiceEvent): Companion => ({
  kind: "mail_service",
  id: SERVICE_ID,
  expected: service.seq,
  events: [event]
})

const isTooBad = ({ recipients, bounced, complained }: Rates, limits: MailLimits): boolean =>
  complained >= limits.complaint_suspension_min ||
  (bounced >= limits.bounce_suspension_min &&
    bounced * PERCENT >= limits.bounce_suspension_percent * Math.max(1, recipients))

interface Outcome {
  readonly type: "bounced" | "complained"
  /** True if the recipient is at one of this service's own domains. */
  readonly own?: boolean
}

/**
 * Counts a bounce or a complaint for the agent. In the same commit it counts for the service, unless the recipient is
 * at this service or the agent was suspended before. If it suspends the agent, the agent's figures are subtracted from
 * the service's instead. A bounce inside the service does not count, because a stranger's Reply-To may name any address
 * here.
 */
export const decideCount = (
  state: MailerState,
  { type, own = false }: Outcome,
  { id: agent, at, facts }: { readonly id: string; readonly at: number; readonly facts: OfService },
  limits: MailLimits
): Decision<MailerEvent, null> => {
  if (own && type === "bounced") return { events: [] }
  const { resumed_at } = facts.service.state
  const event: MailerEvent = {
    type: "mailer.counted",
    v: 1,
    what: type,
    ...(own ? { own } : {}),
    ...sinceOf(resumed_at)
  }
  if (state.suspended_at !== null) return { events: [event] }
  const after = evolveMailer(state, event, { at })
  const { days, outside } = after
  const { window_days } = limits
  const found = [outside, days].map((one) => ratesOf(one, at, window_days)).find((rates) => isTooBad(rates, limits))
  if (found !== undefined) {
    const { recipients, bounced: bounces, complained: complaints } = found
    const bounce_rate = Math.min(1, bounces / Math.max(1, recipients))
    return {
      events: [event, { type: "mailer.suspended", v: 1, bounce_rate, bounces, complaints, window_days }],
      companions: [
        ofService(
          facts,
          afterSuspension(facts.service.state, { agent, sponsors: facts.sponsors, days: daysSince(state, resumed_at) })
        )
      ]
    }
  }
  if (own) return { events: [event] }
  const sender = { agent, sponsors: facts.sponsors, days: daysSince(after, resumed_at) }
  const counted = afterOutcome(facts.service.state, { type, sender }, at, limits)
  return { events: [event], companions: [ofService(facts, counted)] }
}

export const decideReinstate = (state: MailerState): Decision<MailerEvent, { readonly changed: boolean }> => {
  const changed = state.suspended_at !== null
  return { events: changed ? [{ type: "mailer.reinstated", v: 1 }] : [], reply: { changed } }
}
