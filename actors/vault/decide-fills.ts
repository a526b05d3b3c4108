/**
 * Pure decisions on fills, and on the use of tokens of fill services.
 *
 * Invariants
 *  - The policy is checked and the fill is journaled in one commit. A ciphertext is given out only for a pending fill
 *    (opened.ts).
 *  - Fills whose time is over are marked as expired before a fill is decided on, even if their timer has not fired.
 *  - A result is taken once. One that comes too late still closes its fill.
 */
import { invalidField } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { OpenFill } from "../../schemas/vault/fields.ts"
import type { OwnerStanding } from "../../schemas/owner/operations.ts"
import type { DecideContext, Decision } from "../engine/definition.ts"
import { amountOf, isCurrency, minorOf } from "../../schemas/vault/money.ts"
import { type Alert, alerting, alertingEnded, alertOf } from "./alerts.ts"
import { consentersNow, type WaitLimits } from "./consenters.ts"
import { serviceOf, type VaultLimits } from "./decide.ts"
import { dayOf, judged, needsConsent } from "./policy.ts"
import { expiring, openOf, settledBy } from "./open-fills.ts"
import {
  byPolicy,
  CONSENT_PENDING,
  DECLINED,
  fillsFull,
  KEY_TAKEN,
  NO_ENTRY,
  NO_FILL,
  NOBODY_TO_ASK,
  NOT_ACTIVE,
  TOKEN_INVALID
} from "./refusals.ts"
import type { EntryValue, FillValue, ServiceValue, VaultEvent, VaultState, VaultValue } from "./state.ts"

type At = Pick<DecideContext<unknown>, "at">
type Decided<Reply = null> = Decision<VaultEvent, Reply>

/** Allows the private key to be given to a service. A repeat with the same one-time key is allowed again. */
export const decideLoadKey = (
  state: VaultState,
  { hash, ephemeral }: { readonly hash: string; readonly ephemeral: string },
  { at }: At,
  bounds: AlertLimits
): Decided<{ readonly place: string }> => {
  const service = serviceOf(state, hash)
  if (service === null) return TOKEN_INVALID
  if (state?.status !== "active") return NOT_ACTIVE
  const { place } = service
  if (service.ephemeral !== null) return service.ephemeral === ephemeral ? { events: [], reply: { place } } : KEY_TAKEN
  const loaded: VaultEvent = { type: "vault.key_loaded", v: 1, place, ephemeral }
  return { events: [loaded, ...alerting(state, alertOf("key_loaded"), at, bounds)], reply: { place } }
}

/** A program that is to be stopped may ask for this long: its host has to hear of it first. */
const STOPPING_MS = 60_000

/**
 * Makes an alert if the token belonged to this vault and is no longer valid. A program that is about to be stopped makes
 * none.
 */
export const decideMisused = (
  state: VaultState,
  { hash }: { readonly hash: string },
  { at }: At,
  bounds: AlertLimits
): Decided => {
  if (state?.ended.includes(hash) !== true) return { events: [] }
  const isStopping = state.stopping?.some((one) => one.hash === hash && at < one.at + STOPPING_MS) === true
  return { events: isStopping ? [] : alertingEnded(state, hash, at, bounds) }
}

const refusedFill = (
  place: string,
  entry: EntryValue | null,
  { action, origin, amount, currency }: OpenFill,
  code: string
): VaultEvent => ({
  type: "vault.fill_refused",
  v: 1,
  entry: entry?.id ?? null,
  kind: entry?.kind ?? null,
  action,
  origin,
  amount: amount === undefined ? null : String(amount),
  currency: currency ?? null,
  place,
  code
})

const malformed = (wanted: OpenFill) => {
  if (wanted.action !== "pay") return null
  if (wanted.amount === undefined) return invalidField("amount", "A payment needs its amount.")
  const { amount, currency } = wanted
  if (currency === undefined) return invalidField("currency", "A payment needs its currency.")
  if (!isCurrency(currency)) return invalidField("currency", "currency must be one of ISO 4217.")
  return minorOf(amount, currency) === null ? invalidField("amount", `amount must be one of ${currency}.`) : null
}

type AlertLimits = Pick<Limits["service"]["vault"], "alert_seconds">
export type FillLimits = Pick<VaultLimits, "fill_pending_seconds" | "consent_seconds" | "captcha_rounds_max"> &
  Pick<Limits["service"]["vault"], "pending_max" | "asked_max"> &
  AlertLimits &
  WaitLimits

/** Codes that owners are alerted about. */
const OVER_A_LIMIT: ReadonlySet<string> = new Set(["amount_over_payment", "amount_over_day", "fills_over_day"])

const alertOn = (event: Alert["event"], { id, label }: EntryValue, about: Partial<Alert>): Alert =>
  alertOf(event, { entry_id: id, label, ...about })

const refusing = (
  state: VaultValue,
  entry: EntryValue | null,
  { place }: ServiceValue,
  wanted: OpenFill,
  { at, bounds }: At & { readonly bounds: FillLimits }
) => {
  const { origin, amount, currency = null } = wanted
  const money = { amount: amount === undefined ? null : String(amount), currency }
  return (code: string): ReadonlyArray<VaultEvent> => [
    refusedFill(place, entry, wanted, code),
    ...(entry !== null && OVER_A_LIMIT.has(code)
      ? alerting(state, alertOn("refusal", entry, { origin, code, ...money }), at, bounds)
      : [])
  ]
}

/**
 * True if an owner declined a fill of this entry within `consent_seconds`, so that owners are not asked again and again
 * until they agree.
 */
const wasDeclined = ({ fills }: VaultValue, entry: EntryValue, at: number): boolean =>
  fills.some((one) => one.entry === entry.id && one.status === "declined" && one.expires_at > at)

/** `facts`: the agent's owners; empty if none of them has to allow the fill, `null` if they are not known yet. */
export const decideFill = (
  before: VaultState,
  { hash, wanted }: { readonly hash: string; readonly wanted: OpenFill },
  { at, facts: owners }: At & { readonly facts: ReadonlyArray<OwnerStanding> | null },
  bounds: FillLimits
): Decided<{ readonly fill: number }> => {
  const service = serviceOf(before, hash)
  if (before === null || service === null) return TOKEN_INVALID
  const wrong = malformed(wanted)
  if (wrong !== null) return { refused: wrong }
  if (before.status !== "active") return NOT_ACTIVE
  const { over, state } = settledBy(before, at)
  const entry = state.entries.find(({ id }) => id === wanted.entry_id) ?? null
  const refused = refusing(state, entry, service, wanted, { at, bounds })
  if (entry === null) return { ...NO_ENTRY, events: [...over, ...refused("entry_unknown")] }
  const { pending_max } = bounds
  if (openOf(state).length >= pending_max)
    return { ...fillsFull("wait for their end", pending_max), events: [...over, ...refused("fills_pending_full")] }
  const verdict = judged(entry, wanted, at, state.cards_from)
  if ("code" in verdict) {
    const details = entry.limits === null ? {} : { currency: entry.limits.currency }
    return { refused: byPolicy(verdict.code, details), events: [...over, ...refused(verdict.code)] }
  }
  const asks = needsConsent(entry, verdict.minor)
  const consenters = owners === null ? null : consentersNow(entry, owners, at, bounds)
  const unasked = asks ? notAsked(state, entry, consenters, { at, bounds }) : null
  if (unasked !== null) return { ...unasked, events: [...over, ...refused(unasked.refused.code)] }
  const opened = opening(state, entry, service, wanted, { at, minor: verdict.minor, bounds })
  const asked = asks ? [asking(opened, consenters ?? [], at, bounds)] : []
  const expires_at = asked[0]?.expires_at ?? opened.expires_at
  return {
    events: [...over, opened, ...asked],
    reply: { fill: opened.fill },
    timers: expiring(before, expires_at)
  }
}

/** True also for a fill that was withdrawn or declined. Otherwise a service could ask the owners again without end. */
const hasAsked = ({ status, expires_at }: FillValue, at: number): boolean =>
  status === "asked" || ((status === "unanswered" || status === "declined") && expires_at > at)

const notAsked = (
  state: VaultValue,
  entry: EntryValue,
  consenters: ReadonlyArray<string> | null,
  { at, bounds: { asked_max } }: At & { readonly bounds: FillLimits }
) => {
  if (wasDeclined(state, entry, at)) return DECLINED
  if (state.fills.filter((one) => hasAsked(one, at)).length >= asked_max)
    return fillsFull("wait for an owner, or did just now", asked_max)
  return consenters?.length === 0 ? NOBODY_TO_ASK : null
}

type Of<Type extends VaultEvent["type"]> = Extract<VaultEvent, { readonly type: Type }>

const opening = (
  { last }: VaultValue,
  { id: entry, kind, limits }: EntryValue,
  { place }: ServiceValue,
  { action, origin }: OpenFill,
  { at, minor, bounds }: At & { readonly minor: number | null; readonly bounds: FillLimits }
): Of<"vault.fill_opened"> => ({
  type: "vault.fill_opened",
  v: 1,
  fill: last.fill + 1,
  entry,
  kind,
  action,
  origin,
  day: dayOf(at),
  minor,
  currency: limits?.currency ?? null,
  place,
  expires_at: at + bounds.fill_pending_seconds * 1000
})

const asking = (
  { fill, entry }: Of<"vault.fill_opened">,
  owners: ReadonlyArray<string>,
  at: number,
  { consent_seconds }: FillLimits
): Of<"vault.consent_asked"> => ({
  type: "vault.consent_asked",
  v: 1,
  fill,
  entry,
  owners,
  expires_at: at + consent_seconds * 1000
})

/** Codes for sealed content that differs from the record, because somebody has moved or relabelled it. */
const SEALED_OTHERWISE: ReadonlySet<string> = new Set(["sealed_mismatch", "limits_exceed_sealed"])

const alertOfEnd = (
  { entries }: VaultValue,
  { entry: id, origin, minor }: FillValue,
  { late, status, code }: Pick<Of<"vault.fill_ended">, "late" | "status" | "code">
): Alert | null => {
  const entry = entries.find((one) => one.id === id)
  if (entry === undefined) return null
  if (code !== null && SEALED_OTHERWISE.has(code)) return alertOn("sealed_mismatch", entry, { origin, code })
  if (!late || status !== "done") return null
  const { limits } = entry
  const money =
    limits === null || minor === null ? {} : { amount: amountOf(minor, limits.currency), currency: limits.currency }
  return alertOn("late_fill", entry, { origin, ...money })
}

/** Statuses of closed fills that no owner allowed. */
const NEVER_ALLOWED: ReadonlySet<FillValue["status"]> = new Set(["declined", "unanswered"])

/** Decides on the end of a fill, which the service that opened it reports, or the service at its place now. */
export const decideEndFill = (
  before: VaultState,
  input: {
    readonly hash: string
    readonly fill: number
    readonly status: "done" | "failed"
    readonly code: string | null
    readonly accepted?: boolean
  },
  { at }: At,
  bounds: AlertLimits
): Decided<{ readonly fill: number; readonly status: "done" | "failed"; readonly late: boolean }> => {
  const service = serviceOf(before, input.hash)
  if (before === null || service === null) return TOKEN_INVALID
  const { over, state } = settledBy(before, at)
  const found = state.fills.find(({ fill, place }) => fill === input.fill && place === service.place)
  if (found === undefined || NEVER_ALLOWED.has(found.status)) return { ...NO_FILL, events: over }
  const { status, code } = input
  if (found.status === "asked" && status === "done") return { ...CONSENT_PENDING, events: over }
  const late = found.status === "expired"
  const { fill, entry } = found
  const alert = alertOfEnd(state, found, { late, status, code })
  const told = alert === null ? [] : alerting(state, alert, at, bounds)
  const ofPage = input.accepted === undefined ? {} : { accepted: input.accepted }
  return {
    events: [...over, { type: "vault.fill_ended", v: 1, fill, entry, status, code, late, ...ofPage }, ...told],
    reply: { fill, status, late }
  }
}
