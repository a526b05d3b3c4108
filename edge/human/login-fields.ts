/** The fields of a login by password, and their error messages, for the owner's pages and the operators' console. */
import { Code, TriedPassword } from "../../schemas/human/fields.ts"
import type { Html } from "../kit/html.ts"
import { checkOf, type Field, fieldsOf, type Problems, type FieldProblems } from "../kit/owner/fields.ts"

export const emailField = (value: string | undefined, autocomplete: "username" | "email" = "username"): Field => ({
  name: "email",
  label: "E-mail address",
  type: "email",
  inputmode: "email",
  autocomplete,
  value
})

export const passwordField: Field = {
  name: "password",
  label: "Password",
  type: "password",
  autocomplete: "current-password"
}

export const LOG_IN = { password: checkOf("The password", TriedPassword), code: checkOf("The code", Code) }

const CODE_WANTED = "Your account asks for a code as well. Type it with your password once more."

export const LOGIN_TOLD: FieldProblems = {
  login_failed: ["password", "Address or password is wrong."],
  second_factor_required: ["code", CODE_WANTED]
}

export const passwordFields = (typed: Readonly<Record<string, string | undefined>>, problems: Problems): Html =>
  fieldsOf("login", [emailField(typed["email"]), passwordField], problems)

export const codeFields = (problems: Problems, isWanted: boolean): Html =>
  fieldsOf(
    "login",
    [
      {
        name: "code",
        label: "Code",
        autocomplete: "one-time-code",
        hint: "From your authenticator app, or one of your recovery codes.",
        isOptional: !isWanted
      }
    ],
    problems
  )
