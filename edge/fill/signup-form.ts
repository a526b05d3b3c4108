/** Finds the fields of a page that a sign-up goes into. Pure. */
import { buttonIn, fieldsIn, hasToken, isNewPassword, isPassword, isTextField, namesOf, textOf } from "./forms.ts"
import type { ButtonFact, Fact, Scan } from "./page/dom.ts"
import {
  plain,
  saysEmail,
  saysFirstName,
  saysLastName,
  saysLogin,
  saysName,
  saysNew,
  saysNewsletter,
  saysNext,
  saysPhone,
  saysSearch,
  saysSignup,
  saysUsername
} from "./words.ts"

export type SignUpField = "username" | "email" | "given_name" | "family_name" | "name"

export interface SignupForm {
  readonly form: number
  readonly fields: ReadonlyArray<{ readonly asked: SignUpField; readonly field: Fact }>
  /** The field for the password, and the one for its repetition if there is one. */
  readonly passwords: ReadonlyArray<Fact>
  readonly submit: ButtonFact | null
}

const TOKENS: Readonly<Record<string, SignUpField>> = {
  username: "username",
  nickname: "username",
  email: "email",
  "given-name": "given_name",
  "family-name": "family_name",
  name: "name"
}

const askedBy = (field: Fact): SignUpField | null => {
  if (!isTextField(field)) return null
  for (const [token, asked] of Object.entries(TOKENS)) if (hasToken(field, token)) return asked
  const text = namesOf(field)
  if (saysSearch(text) || field.type === "tel" || field.type === "number") return null
  if (field.type === "email" || saysEmail(textOf(field))) return "email"
  if (saysPhone(text)) return null
  if (saysUsername(text)) return "username"
  if (saysLastName(text) && !saysFirstName(text)) return "family_name"
  if (saysFirstName(text) && !saysLastName(text)) return "given_name"
  // In some languages the same word means the full name and the given name.
  return saysName(text) || saysFirstName(text) ? "name" : null
}

const PASSWORDS_MAX = 2

const formOf = (scan: Scan, form: number): { readonly score: number; readonly found: SignupForm } | null => {
  const own = fieldsIn(scan, form)
  const all = own.filter(isPassword)
  // A form that asks for the current password changes it, so it is not a sign-up.
  if (all.length === 0 || all.some((field) => hasToken(field, "current-password"))) return null
  const fresh = all.filter(isNewPassword)
  const passwords = fresh.length > 0 ? fresh : all
  if (passwords.length > PASSWORDS_MAX) return null
  const buttons = scan.buttons.filter((button) => button.form === form).map(({ text }) => plain(text))
  const isSignup = buttons.some(saysSignup)
  const isLogin = !isSignup && buttons.some(saysLogin)
  const score =
    (isSignup ? 4 : 0) +
    (fresh.length > 0 ? 4 : 0) +
    (passwords.length === PASSWORDS_MAX ? 3 : 0) +
    (passwords.some((field) => saysNew(namesOf(field))) ? 1 : 0) -
    (isLogin ? 6 : 0)
  if (score < 3) return null
  const fields = own.flatMap((field) => {
    const asked = saysNewsletter(textOf(field)) ? null : askedBy(field)
    return asked === null ? [] : [{ asked, field }]
  })
  const submit = buttonIn(scan, form, [saysSignup, saysNext])
  return { score, found: { form, fields, passwords, submit } }
}

/** The sign-up form of the page; `null` if there is none. */
export const signupIn = (scan: Scan): SignupForm | null => {
  const forms = [...new Set(scan.fields.map(({ form }) => form))]
  const found = forms.flatMap((form) => formOf(scan, form) ?? [])
  return found.toSorted((a, b) => b.score - a.score)[0]?.found ?? null
}
