/** Finds the fields of a page that a login goes into, by their labels and attributes. Pure. */
import type { ButtonFact, Fact, Scan } from "./page/dom.ts"
import {
  plain,
  saysCardNumber,
  saysCvc,
  saysElsewhere,
  saysEmail,
  saysLogin,
  saysNew,
  saysNewsletter,
  saysNext,
  saysOtp,
  saysPhone,
  saysSearch,
  saysSignup,
  saysUsername,
  saysVerify
} from "./words.ts"

export const tokensOf = ({ autocomplete }: Fact): ReadonlyArray<string> => autocomplete.split(" ")
export const hasToken = (field: Fact, ...tokens: ReadonlyArray<string>): boolean =>
  tokensOf(field).some((token) => tokens.includes(token))

export const textOf = ({ name, id, label, hint }: Fact): string => plain(`${name} ${id} ${label} ${hint}`)
/** The names of a field without its hint, because hints mention other things too. */
export const namesOf = ({ name, id, label }: Fact): string => plain(`${name} ${id} ${label}`)

const TEXTS = ["", "text", "email", "tel", "number", "url"]
export const isTextField = ({ tag, type }: Fact): boolean => tag === "input" && TEXTS.includes(type)

const OTP_MAX_CHARS = 10
const isOtp = (field: Fact): boolean => {
  if (field.tag !== "input") return false
  if (hasToken(field, "one-time-code")) return true
  const short = field.max === -1 || field.max <= OTP_MAX_CHARS
  const isCard = hasToken(field, "cc-csc") || saysCvcOnly(field)
  return short && !isCard && (isTextField(field) || field.type === "password") && saysOtp(textOf(field))
}
const saysCvcOnly = (field: Fact): boolean => /cvc|cvv|csc/.test(plain(`${field.name} ${field.id} ${field.label}`))

export const isPassword = (field: Fact): boolean =>
  field.tag === "input" &&
  field.type === "password" &&
  !hasToken(field, "one-time-code", "cc-csc", "cc-number") &&
  !isOtp(field) &&
  !saysCvcOnly(field) &&
  !saysCardNumber(namesOf(field))

export const isNewPassword = (field: Fact): boolean => hasToken(field, "new-password")

/** Scores a field as the one for the user name; 0 if it cannot be that. */
const usernameScore = (field: Fact): number => {
  if (!isTextField(field) || isOtp(field)) return 0
  if (hasToken(field, "username", "webauthn")) return 10
  const text = textOf(field)
  if (saysSearch(text) || field.type === "search" || saysCvc(text)) return 0
  if (hasToken(field, "email") || field.type === "email") return 6
  if (saysUsername(text)) return 5
  if (saysEmail(text)) return 5
  return field.type === "tel" || saysPhone(text) || hasToken(field, "tel") ? 3 : 0
}

export interface Steps {
  readonly form: number
  readonly username: Fact | null
  readonly password: Fact | null
  /** Several fields if each digit has its own field. */
  readonly otp: ReadonlyArray<Fact>
  readonly submit: ButtonFact | null
}

export const fieldsIn = ({ fields }: Scan, form: number): ReadonlyArray<Fact> =>
  fields.filter((field) => field.form === form)
const formsIn = ({ fields }: Scan): ReadonlyArray<number> => [...new Set(fields.map(({ form }) => form))]
export const isInsecure = ({ forms }: Scan, form: number): boolean =>
  forms.some((one) => one.form === form && one.insecure)

type Says = (text: string) => boolean

/** The button of a form whose text matches `wanted`, the best match first. Otherwise the button that sends the form. */
export const buttonIn = (
  { buttons }: Scan,
  form: number,
  wanted: ReadonlyArray<Says>,
  unwanted: Says = saysElsewhere
): ButtonFact | null => {
  const own = buttons.filter((button) => button.form === form && !unwanted(plain(button.text)))
  for (const says of wanted) {
    const found = own.filter(({ text }) => says(plain(text)))
    const best = found.find(({ submits }) => submits) ?? found[0]
    if (best !== undefined) return best
  }
  return form === -1 ? null : (own.find(({ submits }) => submits) ?? null)
}

const buttonsSay = ({ buttons }: Scan, form: number, says: Says): boolean =>
  buttons.some((button) => button.form === form && says(plain(button.text)))

const usernameBefore = (fields: ReadonlyArray<Fact>, password: Fact): Fact | null => {
  const before = fields.filter((field) => field.n < password.n && isTextField(field) && !isOtp(field))
  const [best] = before.toSorted((a, b) => usernameScore(b) - usernameScore(a) || b.n - a.n)
  if (best === undefined) return null
  return usernameScore(best) > 0 || !saysSearch(textOf(best)) ? best : null
}

const LOGIN_BUTTONS: ReadonlyArray<Says> = [saysLogin, saysNext, saysVerify]

const passwordStep = (scan: Scan): { readonly score: number; readonly steps: Steps } | null => {
  const found = formsIn(scan).flatMap((form) => {
    const fields = fieldsIn(scan, form)
    const passwords = fields.filter(isPassword)
    const [password] = passwords
    if (password === undefined || passwords.length > 1 || isNewPassword(password)) return []
    const username = usernameBefore(fields, password)
    const isLogin = buttonsSay(scan, form, saysLogin) || hasToken(password, "current-password")
    const isSignup = buttonsSay(scan, form, saysSignup) && !isLogin
    const score = (isLogin ? 4 : 0) + (username === null ? 0 : 2) - (isSignup || saysNew(namesOf(password)) ? 5 : 0)
    if (score < 0) return []
    const submit = buttonIn(scan, form, LOGIN_BUTTONS)
    return [{ score, steps: { form, username, password, otp: [], submit } }]
  })
  return found.toSorted((a, b) => b.score - a.score)[0] ?? null
}

const usernameStep = (scan: Scan): Steps | null => {
  const found = formsIn(scan).flatMap((form) => {
    const fields = fieldsIn(scan, form)
    if (fields.some(isPassword)) return []
    const [username] = fields.toSorted((a, b) => usernameScore(b) - usernameScore(a) || a.n - b.n)
    if (username === undefined || usernameScore(username) === 0) return []
    const newsletter = buttonsSay(scan, form, saysNewsletter) || saysNewsletter(textOf(username))
    const step = buttonsSay(scan, form, (text) => saysLogin(text) || saysNext(text))
    const score = usernameScore(username) + (step ? 5 : 0) - (newsletter ? 20 : 0)
    const few = fields.filter(isTextField).length <= 2
    if (!few || score < 9) return []
    return [{ score, steps: { form, username, password: null, otp: [], submit: buttonIn(scan, form, LOGIN_BUTTONS) } }]
  })
  return found.toSorted((a, b) => b.score - a.score)[0]?.steps ?? null
}

const DIGITS_MIN = 4
const DIGITS_MAX = 8

/** The fields for a code: one for the whole code, or one for each digit. */
const otpIn = (fields: ReadonlyArray<Fact>): ReadonlyArray<Fact> => {
  const single = fields.filter((field) => field.max === 1 && (isTextField(field) || field.type === "password"))
  if (single.length >= DIGITS_MIN && single.length <= DIGITS_MAX) return single
  const [otp] = fields.filter(isOtp)
  return otp === undefined ? [] : [otp]
}

const otpStep = (scan: Scan): Steps | null => {
  for (const form of formsIn(scan)) {
    const fields = fieldsIn(scan, form)
    const otp = otpIn(fields)
    if (otp.length > 0 && !fields.some(isPassword)) {
      const submit = buttonIn(scan, form, [saysVerify, saysNext, saysLogin])
      return { form, username: null, password: null, otp, submit }
    }
  }
  return null
}

/** The step of a login that the page shows now; `null` if it shows none. */
export const loginIn = (scan: Scan): Steps | null => passwordStep(scan)?.steps ?? otpStep(scan) ?? usernameStep(scan)
