/** Bodies of requests to the local fill service, and their rules (spec 4.12; contract 17). Ignores unknown members. */
import { isCurrency, minorOf } from "../../schemas/vault/money.ts"
import { invalid } from "./refusal.ts"

type Members = Readonly<Record<string, unknown>>

/** The tab to fill. `null` for the one that was last brought to front. */
interface Where {
  readonly tab: string | null
}

export interface LoginBody extends Where {
  readonly entry_id: number | null
  readonly submit: boolean
}
export interface PayBody extends LoginBody {
  readonly amount: string
  readonly currency: string
}
export interface SignupBody extends Where {
  readonly username: string | null
  readonly label: string | null
  readonly submit: boolean
}
export interface SecretBody extends Where {
  readonly entry_id: number
  readonly field: string
}

const FIELD_MAX_CHARS = 200
const LABEL_MAX_CHARS = 100
const TAB_MAX_CHARS = 100
const AMOUNT_MAX_CHARS = 24
const ID_MAX = Number.MAX_SAFE_INTEGER

const text = (body: Members, name: string, max: number): string | null => {
  const value = body[name] ?? null
  if (value === null) return null
  if (typeof value !== "string" || value.trim() === "" || value.length > max || /\p{Cc}/u.test(value))
    throw invalid(name, `${name} must be a line of 1 to ${max} characters.`)
  return value
}

const flag = (body: Members, name: string, usual: boolean): boolean => {
  const value = body[name] ?? usual
  if (typeof value !== "boolean") throw invalid(name, `${name} must be true or false.`)
  return value
}

const entry = (body: Members): number | null => {
  const value = body["entry_id"] ?? null
  if (value === null) return null
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > ID_MAX)
    throw invalid("entry_id", "entry_id must be the number of an entry.")
  return value
}

const where = (body: Members): Where => ({ tab: text(body, "tab", TAB_MAX_CHARS) })

const login = (body: Members, submit = true): LoginBody => ({
  ...where(body),
  entry_id: entry(body),
  submit: flag(body, "submit", submit)
})

export const readLogin = (body: Members): LoginBody => login(body)

export const readPay = (body: Members): PayBody => {
  const { amount, currency } = body
  if (typeof currency !== "string" || !isCurrency(currency))
    throw invalid("currency", "currency must be one of ISO 4217, as EUR.")
  const fits = typeof amount === "number" || (typeof amount === "string" && amount.length <= AMOUNT_MAX_CHARS)
  if (!fits || minorOf(amount, currency) === null)
    throw invalid("amount", `amount must be a decimal amount of ${currency}.`)
  return { ...login(body, false), amount: String(amount).trim(), currency }
}

export const readSignup = (body: Members): SignupBody => ({
  ...where(body),
  username: text(body, "username", FIELD_MAX_CHARS),
  label: text(body, "label", LABEL_MAX_CHARS),
  submit: flag(body, "submit", true)
})

export const readSecret = (body: Members): SecretBody => {
  const entry_id = entry(body)
  const field = text(body, "field", FIELD_MAX_CHARS)
  if (entry_id === null) throw invalid("entry_id", "entry_id must be the number of an entry.")
  if (field === null) throw invalid("field", "field must be the name or id of the input, or its label.")
  return { ...where(body), entry_id, field }
}
