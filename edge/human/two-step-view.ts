/** The second step of the login as a part of the settings, and recovery codes, which are shown once. */
import type { Operations } from "../../schemas/bus/operations.ts"
import type { SettingsAction } from "../../schemas/human/pages.ts"
import { qrCode } from "./qr.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import type { Field } from "../kit/owner/fields.ts"
import { passwordField } from "./login-fields.ts"
import type { OwnerPage, OwnerSpace } from "./space.ts"

export type TwoStep = Operations["human.two_step"]["output"]

type WrittenForm = (action: SettingsAction, fields: Html, button: Html) => Html
type WrittenFields = (action: SettingsAction, fields: ReadonlyArray<Field>) => Html

const GROUP_CHARS = 4

const code: Field = {
  name: "code",
  label: "Code",
  autocomplete: "one-time-code",
  inputmode: "numeric",
  hint: "The six digits that your app shows now."
}

/** Splits a secret into groups of characters, which are easier to type. */
const grouped = (secret: string): string =>
  Array.from({ length: Math.ceil(secret.length / GROUP_CHARS) }, (_, group) =>
    secret.slice(group * GROUP_CHARS, (group + 1) * GROUP_CHARS)
  ).join(" ")

export const twoStepSection = (
  { enabled, codes_left, offered }: TwoStep,
  form: WrittenForm,
  written: WrittenFields
): Html => {
  if (enabled)
    return html`<p>Your login asks for a code of your app. ${codes_left} recovery codes are left.</p>
${form("renew_codes", written("renew_codes", [passwordField]), html`<button>Make new recovery codes</button>`)}${form(
      "disable_two_step",
      written("disable_two_step", [passwordField]),
      html`<button class="grave">Ask for no code</button>`
    )}`
  const begin = form(
    "offer_two_step",
    written("offer_two_step", [passwordField]),
    html`<button${offered === null ? html` class="main"` : NOTHING}>${offered === null ? "Set it up" : "Begin again"}</button>`
  )
  if (offered === null)
    return html`<p>Let your login ask for a code of an authenticator app as well: who learns your password has not enough then.</p>
${begin}`
  const { secret, uri } = offered
  return html`<p>Let your authenticator app read this, or type the letters and digits into it:</p>
${qrCode(uri, "The code for your authenticator app") ?? NOTHING}
<p><code>${grouped(secret)}</code></p>
<p>The app is on this device? <a href="${uri}">Open it there</a>.</p>
${form("enable_two_step", written("enable_two_step", [code]), html`<button class="main">Ask for codes from now on</button>`)}${begin}`
}

export const codesPage = (space: OwnerSpace, codes: ReadonlyArray<string>): OwnerPage => ({
  title: "Recovery codes",
  main: html`<h1>Recovery codes</h1>
<p>Your login asks for a code of your app now. Should you lose it, each of these lets you in once instead. Keep them where you
keep what matters: they are shown this once, and codes from before are good no more.</p>
<ol class="codes">
${codes.map((one) => html`<li><code>${one}</code></li>\n`)}</ol>
<p><a href="${space.at("/owner/settings")}#two-step">I have kept them</a></p>`
})
