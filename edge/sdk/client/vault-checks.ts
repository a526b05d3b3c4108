/**
 * Checks an entry before it is sealed, because the service cannot check it afterwards.
 *
 * Invariants
 *  - An error names the field and its rule, never its value.
 */
import { isLongerThan } from "../../../schemas/code-points.ts"
import { amountOf, isCurrency, minorOf } from "../../../schemas/vault/money.ts"
import { originProblem } from "../../../schemas/vault/origins.ts"
import { VAULT_LIMITS } from "../../../schemas/vault/limits.ts"
import { invalid } from "./errors.ts"

const TEXT_MAX_CHARS = 1_000
const VALUE_MAX_CHARS = 8_000
const EMAIL = /^[^\s@]+@[^\s@]+$/
const MONTH = /^(?:0[1-9]|1[0-2])$/
const YEAR = /^20\d\d$/
const CVC = /^\d{3,4}$/
const CARD_NUMBER = /^\d{12,19}$/
const BASE32 = /^[A-Z2-7]{8,}$/
const BASE64 = /^[A-Za-z0-9+/_-]{1,}={0,2}$/
const COUNTRY_MAX_CHARS = 60

type Fields = Readonly<Record<string, unknown>>

/** Control characters would be typed as keys: a line feed would send the form. */
const isControl = (character: string): boolean => {
  const code = character.codePointAt(0) ?? 0
  return code < 0x20 || (code >= 0x7f && code < 0xa0)
}

export const fieldsIn = (field: string, value: unknown, known: ReadonlyArray<string>): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(field, "must be an object")
  const position = Object.keys(value).findIndex((name) => !known.includes(name))
  // An unknown name may be a secret in the wrong place, so the error has its position and not its text.
  if (position !== -1) throw invalid(field, `takes ${known.join(", ")}; its member ${position + 1} is none of them`)
  return value as Fields
}

export const text = (field: string, value: unknown, max = TEXT_MAX_CHARS): string => {
  if (typeof value !== "string" || value === "") throw invalid(field, "must be a text that is not empty")
  if (value.length > max) throw invalid(field, `must have at most ${max} characters`)
  if (!value.isWellFormed()) throw invalid(field, "must be well-formed Unicode")
  if ([...value].some(isControl)) throw invalid(field, "must be one line without control characters")
  return value
}

/** A text that may have several lines. */
export const secretValue = (field: string, value: unknown): string => {
  if (typeof value === "string") text(field, value.replaceAll(/[\r\n\t]/g, " "), VALUE_MAX_CHARS)
  else text(field, value)
  return value as string
}

/** Reads a value unless it is `undefined` or `null`. */
export const optional = <A>(value: unknown, read: (value: unknown) => A): A | undefined =>
  value === undefined || value === null ? undefined : read(value)

export const email = (field: string, value: unknown): string => {
  const found = text(field, value, 254)
  if (!EMAIL.test(found)) throw invalid(field, "must be an e-mail address")
  return found
}

/** Checks the last digit, which depends on the others (ISO/IEC 7812). */
const isLuhn = (digits: string): boolean => {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

/** Accepts spaces and hyphens between the digits. */
export const isCardNumber = (text: string): boolean => {
  const digits = text.replaceAll(/[ -]/g, "")
  return CARD_NUMBER.test(digits) && isLuhn(digits)
}

export const cardNumber = (field: string, value: unknown): string => {
  const found = text(field, value)
  if (!isCardNumber(found)) throw invalid(field, "must be the number of a card: 12 to 19 digits, the last one fitting")
  return found.replaceAll(/[ -]/g, "")
}

const matching =
  (pattern: RegExp, what: string) =>
  (field: string, value: unknown): string => {
    const found = text(field, value)
    if (!pattern.test(found)) throw invalid(field, `must be ${what}`)
    return found
  }

export const month = matching(MONTH, 'a month in two digits: "04"')
export const year = matching(YEAR, 'a year in four digits: "2031"')
export const cvc = matching(CVC, "three or four digits")
const base64 = matching(BASE64, "base64")

/** An address from a QR code, or only the secret. */
export const totp = (field: string, value: unknown): string => {
  const found = text(field, value)
  const isAddress = found.startsWith("otpauth:")
  const address = isAddress && URL.canParse(found) ? new URL(found) : null
  const secret = isAddress ? (address?.searchParams.get("secret") ?? "") : found
  const plain = secret.replaceAll(/[ =-]/g, "").toUpperCase()
  if ((isAddress && address?.host !== "totp") || !BASE32.test(plain))
    throw invalid(field, "must be an otpauth://totp/ address, or the secret of one in base32")
  return isAddress ? found : plain
}

export const origins = (value: unknown, atLeast: 0 | 1): ReadonlyArray<string> => {
  if (value === undefined && atLeast === 0) return []
  if (!Array.isArray(value)) throw invalid("origins", "must be a list of https origins")
  const each = [...new Set<unknown>(value)]
  if (each.length < atLeast) throw invalid("origins", "must name the websites that this entry is for")
  if (each.length > VAULT_LIMITS.origins_max) throw invalid("origins", `must be at most ${VAULT_LIMITS.origins_max}`)
  return each.map((one, index) => {
    const problem = typeof one === "string" ? originProblem(one) : "page_not_https"
    if (problem === "page_host_refused")
      throw invalid(`origins.${index}`, "must be a website's name, no address and no name of a local network")
    if (problem !== null)
      throw invalid(`origins.${index}`, "must be an https origin and nothing behind it: https://shop.example")
    return one as string
  })
}

export interface SealedLimits {
  readonly currency: string
  readonly per_payment: string
  readonly per_day: string
  readonly fills_per_day: number
}

const currencyIn = (field: string, value: unknown): string => {
  if (typeof value !== "string" || !isCurrency(value)) throw invalid(field, "must be a currency of ISO 4217: EUR")
  return value
}

const amount = (field: string, value: unknown, currency: string): string => {
  const minor = typeof value === "string" || typeof value === "number" ? minorOf(value, currency) : null
  if (minor === null) throw invalid(field, `must be an amount of ${currency}, such as "20"`)
  return amountOf(minor, currency)
}

/** The limits of a card, which are required. */
export const limits = (value: unknown): SealedLimits => {
  if (value === undefined || value === null) throw invalid("limits", "must be given: a card has none without")
  const found = fieldsIn("limits", value, ["currency", "per_payment", "per_day", "fills_per_day"])
  const currency = currencyIn("limits.currency", found["currency"])
  const fills = found["fills_per_day"]
  if (typeof fills !== "number" || !Number.isSafeInteger(fills) || fills < 0)
    throw invalid("limits.fills_per_day", "must be a whole number from 0")
  return {
    currency,
    per_payment: amount("limits.per_payment", found["per_payment"], currency),
    per_day: amount("limits.per_day", found["per_day"], currency),
    fills_per_day: fills
  }
}

export type SealedConsent = "owner" | { readonly above: string; readonly currency: string }

/** `currency` is that of the limits; `null` if the entry is no card. */
export const consent = (value: unknown, currency: string | null): SealedConsent => {
  if (value === "owner") return "owner"
  if (currency === null) throw invalid("consent", 'must be "owner"')
  const found = fieldsIn("consent", value, ["above", "currency"])
  if (found["currency"] !== currency) throw invalid("consent.currency", `must be that of the limits, ${currency}`)
  return { above: amount("consent.above", found["above"], currency), currency }
}

export interface SealedPasskey {
  readonly credential_id: string
  readonly private_key: string
  readonly rp_id: string
  readonly user_handle: string
}

/** `sites` are the entry's websites. The passkey must belong to one of them, or to a parent domain. */
export const passkey = (value: unknown, sites: ReadonlyArray<string>): SealedPasskey => {
  const found = fieldsIn("passkey", value, ["credential_id", "private_key", "rp_id", "user_handle"])
  const rp_id = text("passkey.rp_id", found["rp_id"], 253)
  const covers = (site: string): boolean => `.${new URL(site).hostname}`.endsWith(`.${rp_id}`)
  if (!rp_id.includes(".") || !sites.some(covers))
    throw invalid("passkey.rp_id", "must be the domain of one of the origins")
  return {
    credential_id: base64("passkey.credential_id", found["credential_id"]),
    private_key: base64("passkey.private_key", found["private_key"]),
    rp_id,
    user_handle: base64("passkey.user_handle", found["user_handle"])
  }
}

export interface SealedAddress {
  readonly line1?: string
  readonly line2?: string
  readonly city?: string
  readonly postal_code?: string
  readonly country?: string
}

const ADDRESS = ["line1", "line2", "city", "postal_code", "country"] as const

export const address = (value: unknown): SealedAddress => {
  const found = fieldsIn("address", value, ADDRESS)
  return Object.fromEntries(
    ADDRESS.flatMap((name) => {
      const one = optional(found[name], (given) =>
        text(`address.${name}`, given, name === "country" ? COUNTRY_MAX_CHARS : TEXT_MAX_CHARS)
      )
      return one === undefined ? [] : [[name, one]]
    })
  )
}

/** A label is visible to everybody who may see the vault, so it must not contain a secret. */
export const label = (value: unknown, secrets: ReadonlyArray<string>): string => {
  const found = text("label", value)
  if (found.trim() === "" || isLongerThan(found, VAULT_LIMITS.label_max_chars))
    throw invalid("label", `must be 1 to ${VAULT_LIMITS.label_max_chars} characters`)
  if (secrets.some((secret) => found.includes(secret)) || found.split(/[^\d -]/).some(isCardNumber))
    throw invalid("label", "must not hold what is sealed: it is kept in clear")
  return found
}
