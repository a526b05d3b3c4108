/**
 * The ways in: an account's password with its second step, or a one-time link.
 *
 * The fields, their checks and the login itself are those of the owner's pages.
 */
import { Effect } from "effect"
import { html, type Html } from "../../edge/html/html.ts"
import { checked, ended, hidden, NO_PROBLEMS, type Problems } from "../../edge/html/owner/fields.ts"
import { codeFields, LOG_IN, LOGIN_TOLD, passwordFields } from "../../edge/html/owner/login-fields.ts"
import type { Entered, People } from "../../edge/human/people.ts"
import type { Call } from "../../edge/http/call.ts"
import type { Refused } from "../../edge/http/refused.ts"
import type { Framed } from "./frame.ts"
import type { Guest } from "./operators.ts"

export const LOGIN_FORM = "login"

type Fields = Readonly<Record<string, string>>

const LOGIN_FIELDS = ["email", ...Object.keys(LOG_IN)]

export const loginPage = (
  { forms }: Guest,
  settings: string,
  typed: Fields,
  problems: Problems = NO_PROBLEMS
): Framed => {
  const next = typed["next"] ?? null
  const fields = html`${passwordFields(typed, problems)}${codeFields(problems, true)}`
  return {
    title: problems === NO_PROBLEMS ? "Log in" : "Please look again: Log in",
    main: html`<h1>Log in</h1>
<p>For operators. Use your account of the <a href="${settings}">owner's pages</a>: it needs a second step.</p>
<div class="panel"><form class="form" method="post" action="/login">
${forms.field(LOGIN_FORM)}${fields}${hidden("next", next)}<button class="main">Log in</button>
</form></div>`
  }
}

export type LoggedIn =
  | { readonly ok: true; readonly value: Entered }
  | { readonly ok: false; readonly status: number; readonly problems: Problems }

export const logIn = (people: People, call: Call, fields: Fields): Effect.Effect<LoggedIn, Refused> => {
  const { email = "", password = "", code = "" } = fields
  const entered = people.logInToConsole(call, { email, password, code: code.trim() === "" ? null : code })
  return ended(checked(LOG_IN, fields), LOGIN_FIELDS, LOGIN_TOLD, entered)
}

const linkText: Html = html`<h1>This link holds no longer</h1>
<p>It is good once, for ten minutes. Ask for another with <code>npm run hub -- console link</code>.</p>`

export const usedLinkPage: Framed = { title: "This link holds no longer", status: 403, main: linkText }
