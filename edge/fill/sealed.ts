/**
 * Compares the sealed content of an entry with the service's description of it (spec 2.10). A description that allows
 * more than the sealed content is refused. Pure.
 */
import { minorOf } from "../../schemas/vault/money.ts"
import type { OpenedFill } from "../../schemas/vault/records.ts"
import { Refused } from "./refusal.ts"

export type Fill = typeof OpenedFill.Type
export type Sealed = Readonly<Record<string, unknown>>

export interface AskedOrigin {
  readonly origin: string
  readonly amount?: string
  readonly currency?: string
}

const mismatch = (what: string): Refused => new Refused("sealed_mismatch", `The sealed entry has another ${what}.`)

const isText = (value: unknown): value is string => typeof value === "string"

export const originsIn = ({ origins }: Sealed): ReadonlyArray<string> | null =>
  Array.isArray(origins) && origins.every(isText) ? origins : null

/** A text field of the sealed content; `null` if the field is absent or empty. */
export const textIn = (sealed: Sealed, name: string): string | null => {
  const value = sealed[name]
  return isText(value) && value !== "" ? value : null
}

export const needed = (sealed: Sealed, name: string): string => {
  const value = textIn(sealed, name)
  if (value === null) throw new Refused("sealed_mismatch", `The entry holds no ${name}.`)
  return value
}

const checkOrigins = (sealed: Sealed, { entry }: Fill, origin: string): void => {
  const origins = originsIn(sealed)
  if (origins === null) throw mismatch("list of websites")
  if (entry.kind === "profile") return
  const any = entry.kind === "card" && origins.length === 0
  if (
    !any &&
    (!entry.origins.every((one) => origins.includes(one)) || (entry.origins.length === 0 && origins.length > 0))
  )
    throw mismatch("list of websites")
  if (!any && !origins.includes(origin)) throw mismatch("website")
}

const minorIn = (limits: Sealed, name: string, currency: string): number | null => {
  const amount = limits[name]
  return isText(amount) || typeof amount === "number" ? minorOf(amount, currency) : null
}

const checkLimits = ({ limits: sealed }: Sealed, { entry }: Fill, { amount, currency }: AskedOrigin): void => {
  const stored = entry.limits
  if (typeof sealed !== "object" || sealed === null || stored === null) throw mismatch("set of limits")
  const own = sealed as Sealed
  if (own["currency"] !== stored.currency || currency !== stored.currency) throw mismatch("currency")
  const over = (name: "per_payment" | "per_day"): boolean => {
    const [most, now] = [minorIn(own, name, stored.currency), minorOf(stored[name], stored.currency)]
    return most === null || now === null || now > most
  }
  const fills = own["fills_per_day"]
  if (over("per_payment") || over("per_day") || typeof fills !== "number" || stored.fills_per_day > fills)
    throw new Refused("limits_exceed_sealed", "The limits that the service keeps exceed the sealed ones.")
  const minor = minorOf(amount ?? "", stored.currency)
  const most = minorIn(own, "per_payment", stored.currency)
  if (minor === null || most === null || minor > most)
    throw new Refused("amount_over_payment", "The amount is above what is sealed for a payment.")
}

/**
 * True if the sealed content requires an owner's consent for this fill. It may require consent for all fills, or for
 * payments above a sum.
 */
const wantsConsent = ({ consent }: Sealed, { amount, currency }: AskedOrigin): boolean => {
  if (consent === undefined || consent === null) return false
  if (consent === "owner") return true
  const { above, currency: of } = (typeof consent === "object" ? consent : {}) as Sealed
  if (!isText(of) || of !== currency || !(isText(above) || typeof above === "number")) return true
  const [most, minor] = [minorOf(above, of), minorOf(amount ?? "", of)]
  return most === null || minor === null || minor > most
}

/** Throws if the sealed content is not the requested entry. */
export const checkSealed = (sealed: Sealed | null, fill: Fill, vault: string, asked: AskedOrigin): Sealed => {
  if (sealed === null) throw new Refused("sealed_mismatch", "The entry does not open with this vault's key.")
  const { entry } = fill
  if (sealed["v"] !== 1) throw mismatch("version")
  if (sealed["vault"] !== vault || fill.vault !== vault) throw mismatch("vault")
  if (sealed["uid"] !== entry.uid) throw mismatch("uid")
  if (sealed["kind"] !== entry.kind) throw mismatch("kind")
  checkOrigins(sealed, fill, asked.origin)
  if (entry.kind === "card") checkLimits(sealed, fill, asked)
  if (wantsConsent(sealed, asked) && !fill.consented) throw mismatch("rule for an owner's consent")
  return sealed
}
