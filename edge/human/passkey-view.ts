/** Passkeys in the settings, the page that adds one, and the page that logs in by one. */
import type { HumanPasskey, PasskeyChallenge } from "../../schemas/human/passkey.ts"
import { PASSKEY_LIMITS } from "../../schemas/human/limits.ts"
import type { SettingsAction } from "../../schemas/human/pages.ts"
import { html, type Html } from "../kit/html.ts"
import { minute } from "../kit/times.ts"
import { type Field, hidden } from "../kit/owner/fields.ts"
import { passwordField } from "./login-fields.ts"
import { passkeyFields, passkeyPageHeaders, passkeyScript } from "./passkey-script.ts"
import type { Guest, Member, OwnerPage, OwnerSpace } from "./space.ts"

const ADD_PATH = "/owner/settings/passkey"
const LOGIN_PATH = "/owner/login/passkey"
export const ADD_FORM = "settings.add_passkey"
export const LOGIN_FORM = "login.passkey"

type WrittenForm = (action: SettingsAction, fields: Html, button: Html, which?: string) => Html
type WrittenFields = (action: SettingsAction, fields: ReadonlyArray<Field>, which?: string) => Html

export interface PasskeysView {
  readonly passkeys: ReadonlyArray<HumanPasskey>
  readonly label: string
  readonly refused: string | null
}

export const passkeySection = (
  { passkeys, label, refused }: PasskeysView,
  form: WrittenForm,
  written: WrittenFields
): Html => {
  const row = ({ id, name, added_at, used_at }: HumanPasskey): Html => {
    const which = String(id)
    const remove = form(
      "remove_passkey",
      html`${hidden("passkey", which)}${written("remove_passkey", [passwordField], which)}`,
      html`<button class="grave">Remove<span class="unseen"> the passkey ${name}, number ${which}</span></button>`,
      which
    )
    return html`<li class="row">
<p class="title">${name}</p>
<p class="faint">Added ${minute(added_at)}, ${used_at === null ? "not used yet" : html`last used ${minute(used_at)}`}</p>
<details${refused === which ? html` open` : null}><summary>Remove<span class="unseen"> the passkey ${name}, number ${which}</span></summary>
${remove}</details></li>
`
  }
  const list = passkeys.length === 0 ? null : html`<ul class="rows">\n${passkeys.map(row)}</ul>\n`
  const name: Field = {
    name: "label",
    label: "Name of the passkey",
    autocomplete: "off",
    value: label,
    hint: "For yourself, to tell it from others."
  }
  const what = "A passkey of your phone, computer or security key lets you in without password and code."
  return html`<p>${what} It stays when you change the password.</p>
${list}${
    passkeys.length >= PASSKEY_LIMITS.max
      ? html`<p>There are ${passkeys.length}: remove one to add another.</p>\n`
      : form(
          "offer_passkey",
          written("offer_passkey", [name, passwordField]),
          html`<button class="main">Add a passkey</button>`
        )
  }`
}

export const addPage = (space: OwnerSpace, member: Member, { options, sealed }: PasskeyChallenge): OwnerPage => ({
  title: "Add a passkey",
  headers: passkeyPageHeaders,
  main: html`<h1>Add a passkey</h1>
<p>Your browser asks you where to keep it, and who you are. You have five minutes.</p>
${space.form(member, ADD_FORM, ADD_PATH, passkeyFields(sealed, "Make the passkey"))}${passkeyScript(options)}
<p><a href="${space.at("/owner/settings")}#passkeys">Back to the settings</a></p>`
})

export const notAddedPage = (space: OwnerSpace, problem: string): OwnerPage => ({
  title: "No passkey was added",
  main: html`<h1>No passkey was added</h1>
<p>${problem}</p>
<p><a href="${space.at("/owner/settings")}#passkeys">Back to the settings</a></p>`
})

export const passkeyLogInPage = (
  space: OwnerSpace,
  guest: Guest,
  next: string,
  { options, sealed }: PasskeyChallenge,
  problem: string | null
): OwnerPage => ({
  title: "Log in with a passkey",
  headers: passkeyPageHeaders,
  main: html`<h1>Log in with a passkey</h1>
${problem === null ? null : html`<p class="problem">${problem}</p>\n`}<p>Your browser shows the passkeys that it has for this service.</p>
${space.form(
  guest,
  LOGIN_FORM,
  LOGIN_PATH,
  html`${hidden("next", next)}${passkeyFields(sealed, "Use a passkey")}`
)}${passkeyScript(options)}
<p><a href="${space.at("/owner/login")}">Log in with your password</a></p>`
})
