/** Counts by spans of time (hours of a day, days or weeks of a window), so that the state stays small. */
import { Schema } from "effect"

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const WEEK_MS = 7 * DAY_MS

export const MailCounts = Schema.Array(Schema.Struct({ since: Schema.Number, count: Schema.Number }))
export type MailCounts = typeof MailCounts.Type

/** Adds to the count of the span that contains `at`. Spans that are `spans` or more before this one are dropped. */
export const counted = (all: MailCounts, count: number, at: number, spanMs: number, spans: number): MailCounts => {
  const since = Math.floor(at / spanMs) * spanMs
  const kept = all.filter((one) => one.since > since - spans * spanMs && one.since !== since)
  const now = all.find((one) => one.since === since)?.count ?? 0
  return [...kept, { since, count: now + count }]
}

/** The sum of the counts of spans that began after `from` (Unix ms). */
export const countedSince = (all: MailCounts, from: number): number =>
  all.reduce((sum, { since, count }) => (since > from ? sum + count : sum), 0)

/** Recipients that were written to, and the outcomes, by days. */
export const SendingDays = Schema.Struct({ sent: MailCounts, bounced: MailCounts, complained: MailCounts })
export type SendingDays = typeof SendingDays.Type

export const NO_DAYS: SendingDays = { sent: [], bounced: [], complained: [] }

/** Longer than any window in the limits. */
const DAYS_KEPT_MAX = 60

export const dayCounted = (days: SendingDays, what: keyof SendingDays, count: number, at: number): SendingDays => ({
  ...days,
  [what]: counted(days[what], count, at, DAY_MS, DAYS_KEPT_MAX)
})

/** Subtracts days that are counted elsewhere. Never below zero. */
export const daysWithout = (days: SendingDays, other: SendingDays): SendingDays => ({
  sent: without(days.sent, other.sent),
  bounced: without(days.bounced, other.bounced),
  complained: without(days.complained, other.complained)
})

const without = (all: MailCounts, other: MailCounts): MailCounts =>
  all.flatMap(({ since, count }) => {
    const left = count - (other.find((one) => one.since === since)?.count ?? 0)
    return left > 0 ? [{ since, count: left }] : []
  })

export const daysWith = (days: SendingDays, other: SendingDays): SendingDays => ({
  sent: withBoth(days.sent, other.sent),
  bounced: withBoth(days.bounced, other.bounced),
  complained: withBoth(days.complained, other.complained)
})

const withBoth = (all: MailCounts, other: MailCounts): MailCounts => [
  ...all.map(({ since, count }) => ({
    since,
    count: count + (other.find((one) => one.since === since)?.count ?? 0)
  })),
  ...other.filter(({ since }) => !all.some((one) => one.since === since))
]

export interface Rates {
  readonly recipients: number
  readonly bounced: number
  readonly complained: number
}

export const ratesOf = ({ sent, bounced, complained }: SendingDays, at: number, windowDays: number): Rates => {
  const from = at - (windowDays + 1) * DAY_MS
  return {
    recipients: countedSince(sent, from),
    bounced: countedSince(bounced, from),
    complained: countedSince(complained, from)
  }
}
