/**
 * Decides whether an entry may be filled (spec 4.12; contract 9). Pure.
 *
 * Invariants
 *  - Amounts are compared in whole minor units of one currency. Another currency, or no amount, is refused.
 *  - A card's total of a day includes every fill of that day that counts (state.ts). A new payment is allowed only if
 *    it fits into the limit. On a day whose total was forgotten no payment is allowed; this happens only if a clock is
 *    set back.
 */
import { amountOf, minorOf } from "../../schemas/vault/money.ts"
import { originProblem } from "../../schemas/vault/origins.ts"
import type { Consent, EntryKind, FillAction, PolicyCode } from "../../schemas/vault/records.ts"
import type { OpenFill } from "../../schemas/vault/fields.ts"
import type { DayTotal, EntryValue, FillValue, MinorLimits } from "./state.ts"

const DAY_MS = 86_400_000

/** The number of a day in UTC. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS)

/**
 * The number of days whose totals are kept (evolve.ts), so that the fills of a day are still known if a clock is set
 * back by a day.
 */
export const DAYS_KEPT = 3

/** The kinds of entries that each action may fill. A sign-up fills a profile, and the login of the new account. */
const KINDS: Readonly<Record<FillAction, ReadonlyArray<EntryKind>>> = {
  login: ["login"],
  signup: ["login", "profile"],
  pay: ["card"],
  secret: ["secret"]
}

export const totalOf = ({ days }: Pick<EntryValue, "days">, day: number): DayTotal =>
  days.find((one) => one.day === day) ?? { day, minor: 0, fills: 0 }

/** True for a day before all kept ones, when no more days can be kept. Its fills are not known any more. */
export const isForgotten = ({ days }: Pick<EntryValue, "days">, day: number): boolean =>
  days.length >= DAYS_KEPT && days.every((one) => one.day > day)

const originRefusal = ({ kind, origins }: EntryValue, origin: string): PolicyCode | null => {
  const problem = originProblem(origin)
  if (problem !== null) return problem
  if (origins.includes(origin) || kind === "profile") return null
  if (kind === "card") return origins.length === 0 ? null : "origin_not_allowed"
  return "origin_mismatch"
}

export type PolicyResult = { readonly code: PolicyCode } | { readonly minor: number | null }

const judgedPayment = (
  limits: MinorLimits,
  { amount, currency }: Pick<OpenFill, "amount" | "currency">,
  { minor: spent, fills }: DayTotal
): PolicyResult => {
  const minor = currency === limits.currency ? minorOf(amount ?? "", currency) : null
  if (minor === null) return { code: "currency_mismatch" }
  if (minor > limits.per_payment) return { code: "amount_over_payment" }
  if (spent + minor > limits.per_day) return { code: "amount_over_day" }
  return fills + 1 > limits.fills_per_day ? { code: "fills_over_day" } : { minor }
}

/** `entry`: without fills that have expired. */
export const judged = (entry: EntryValue, wanted: OpenFill, at: number, cardsFrom: number | null): PolicyResult => {
  if (!KINDS[wanted.action].includes(entry.kind)) return { code: "kind_mismatch" }
  const code = originRefusal(entry, wanted.origin)
  if (code !== null) return { code }
  if (entry.kind !== "card") return { minor: null }
  // A card always has limits. Without them nothing is filled.
  if (entry.limits === null) return { code: "amount_over_payment" }
  // After a restore, payments since the backup are unknown, so no card is filled for a while.
  if (cardsFrom !== null && at < cardsFrom) return { code: "fills_over_day" }
  const verdict = judgedPayment(entry.limits, wanted, totalOf(entry, dayOf(at)))
  return "minor" in verdict && isForgotten(entry, dayOf(at)) ? { code: "amount_over_day" } : verdict
}

export const needsConsent = ({ consent }: EntryValue, minor: number | null): boolean =>
  consent !== null && (consent.above === null || (minor ?? 0) > consent.above)

/** True if the entry as it is now still allows an admitted fill. The total of its day includes it already. */
export const stillAllowed = (
  entry: EntryValue,
  { action, origin, day, minor }: Pick<FillValue, "action" | "origin" | "day" | "minor">
): boolean => {
  if (!KINDS[action].includes(entry.kind) || originRefusal(entry, origin) !== null) return false
  const { limits } = entry
  if (limits === null) return entry.kind !== "card"
  const total = totalOf(entry, day)
  return (minor ?? 0) <= limits.per_payment && total.minor <= limits.per_day && total.fills <= limits.fills_per_day
}

/** Limits in the form of records: decimals of the main unit. */
export const limitsRecord = (limits: MinorLimits | null) =>
  limits === null
    ? null
    : {
        currency: limits.currency,
        per_payment: amountOf(limits.per_payment, limits.currency),
        per_day: amountOf(limits.per_day, limits.currency),
        fills_per_day: limits.fills_per_day
      }

export const consentRecord = ({ consent, limits }: Pick<EntryValue, "consent" | "limits">): Consent | null => {
  if (consent === null) return null
  if (consent.above === null || limits === null) return "owner"
  return { above: amountOf(consent.above, limits.currency), currency: limits.currency }
}
