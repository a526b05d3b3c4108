/**
 * Pages to sign in: by an account's password with its second step, or by a passkey. A link that is no longer valid has
 * a page too.
 *
 * The fields, their checks and the login itself are those of the owner's pages.
 */
import { Effect } from "effect"
import { html, type Html, NOTHING } from "../../edge/kit/html.ts"
import { checked, ended, hidden, NO_PROBLEMS, type Problems } from "../../edge/kit/owner/fields.ts"
import { codeFields, LOG_IN, LOGIN_TOLD, passwordFields } from "../../edge/human/login-fields.ts"
import { PASSKEY_SCRIPT, passkeyFields, passkeyScript } from "../../edge/human/passkey-script.ts"
import type { Passkeys } from "../../edge/human/passkeys.ts"
import type { Entered, People } from "../../edge/human/people.ts"
import type { Call } from "../../edge/http/call.ts"
import type { Refused } from "../../edge/http/refused.ts"
import type { PasskeyChallenge } from "../../schemas/human/passkey.ts"
import type { Framed } from "./frame.ts"
import type { Guest } from "./operators.ts"

export const LOGIN_FORM = "login"

type Fields = Readonly<Record<string, string>>

const LOGIN_FIELDS = ["email", ...Object.keys(LOG_IN)]

interface Places {
  /** The address of the account's settings. */
  readonly settings: string
  /** True if passkeys work at the console's address. */
  readonly passkeys: boolean
}

export const loginPage = (
  { forms }: Guest,
  { settings, passkeys }: Places,
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
</form></div>
${passkeys ? html`<form class="form" method="get" action="${PASSKEY_PATH}">${hidden("next", next)}<button>Log in with a passkey</button></form>` : NOTHING}`
  }
}

export const PASSKEY_PATH = "/login/passkey"
export const PASSKEY_FORM = "login.passkey"

export const passkeyPage = (
  { forms }: Guest,
  next: string,
  { options, sealed }: PasskeyChallenge,
  problem: string | null
): Framed => ({
  title: "Log in with a passkey",
  inline: PASSKEY_SCRIPT,
  main: html`<h1>Log in with a passkey</h1>
${problem === null ? NOTHING : html`<p class="problem">${problem}</p>\n`}<p>For operators. Your browser shows the passkeys that it has for this service.</p>
<form class="form" method="post" action="${PASSKEY_PATH}">
${forms.field(PASSKEY_FORM)}${hidden("next", next)}${passkeyFields(sealed, "Use a passkey")}</form>
${passkeyScript(options)}
<p><a href="/login">Log in with your password</a></p>`
})

const NOT_ACCEPTED =
  "The passkey was not accepted: it may have been removed, or the page was open for too long. Try again, or log in with your password."

/** Logs in by a passkey. `problem` is the message after a refusal. */
export const logInByPasskey = (
  passkeys: Passkeys,
  call: Call,
  guest: Guest,
  { answer = "", challenge = "" }: Fields
): Effect.Effect<{ readonly token: string } | { readonly problem: string }, Refused> =>
  Effect.catchIf(
    passkeys.logInToConsole(call, { answer, challenge }, guest.forms.bound(PASSKEY_FORM)),
    ({ refusal: { code } }) => code === "login_failed" || code === "operator_required",
    ({ refusal: { code, message } }) => Effect.succeed({ problem: code === "login_failed" ? NOT_ACCEPTED : message })
  )

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
