/** The settings of an account as a page. */
import type { HumanAccount, HumanSession } from "../../schemas/human/records.ts"
import type { SettingsAction } from "../../schemas/human/pages.ts"
import type { RelaySettings } from "../../schemas/relay/operations.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { minute } from "../kit/times.ts"
import { NEW_PASSWORD_HINT } from "./entry.ts"
import { type Field, fieldsOf, hidden, NO_PROBLEMS, type Problems, whosePassword } from "../kit/owner/fields.ts"
import { relaySection } from "./relay-view.ts"
import { passkeySection, type PasskeysView } from "./passkey-view.ts"
import { type TwoStep, twoStepSection } from "./two-step-view.ts"
import type { Member, OwnerPage, OwnerSpace } from "./space.ts"

export const SETTINGS_PATH = "/owner/settings"

export interface Refusing {
  readonly action: SettingsAction
  readonly typed: Readonly<Record<string, string | undefined>>
  readonly problems: Problems
}

export interface SettingsView {
  readonly account: HumanAccount
  readonly sessions: ReadonlyArray<HumanSession>
  readonly twoStep: TwoStep
  readonly relay: RelaySettings
  readonly passkeys: PasskeysView
  readonly refusing: Refusing | null
}

const PARTS = [
  ["name", "Name"],
  ["address", "Address"],
  ["password", "Password"],
  ["two-step", "Second step"],
  ["relay", "What reaches you"],
  ["passkeys", "Passkeys"],
  ["sessions", "Sessions"],
  ["delete", "Delete"]
] as const

const NUMBERED: ReadonlySet<SettingsAction> = new Set(["end_session", "remove_passkey", "end_push"])

/** `which` is the number of the record that the form is about, if there may be several. */
export const formName = (action: SettingsAction, which = ""): string =>
  NUMBERED.has(action) ? `settings.${action}.${which}` : `settings.${action}`

export const settingsPage = (space: OwnerSpace, member: Member, shown: SettingsView): OwnerPage => {
  const { account, sessions, twoStep, passkeys, relay, refusing } = shown

  const form = (action: SettingsAction, fields: Html, button: Html, which?: string): Html =>
    space.form(member, formName(action, which), SETTINGS_PATH, html`${hidden("action", action)}${fields}${button}\n`)

  const written = (action: SettingsAction, fields: ReadonlyArray<Field>, which?: string): Html => {
    const isRefused = refusing?.action === action && (which === undefined || refusing.typed["passkey"] === which)
    const name = which === undefined ? action : `${action}-${which}`
    return fieldsOf(name, fields, isRefused ? refusing.problems : NO_PROBLEMS)
  }

  const typed = (action: SettingsAction, name: string): string | undefined =>
    refusing?.action === action ? refusing.typed[name] : undefined

  const password = (label: string): Field => ({
    name: "password",
    label,
    type: "password",
    autocomplete: "current-password"
  })

  const address = account.email_verified
    ? html`<p>${account.email}, which is confirmed.</p>\n`
    : html`<p>${account.email}, which is not confirmed yet: open the link of the letter that we sent there.</p>
${form("send_verification", NOTHING, html`<button>Send the letter again</button>`)}`

  const name: Field = {
    name: "name",
    label: "Name",
    autocomplete: "name",
    value: typed("rename", "name") ?? account.name
  }
  const changed: Field = {
    name: "changed",
    label: "New password",
    type: "password",
    autocomplete: "new-password",
    hint: NEW_PASSWORD_HINT
  }
  const confirm: Field = {
    name: "confirm",
    label: "Your e-mail address",
    type: "email",
    inputmode: "email",
    autocomplete: "off",
    value: typed("delete", "confirm"),
    hint: "To make sure that this is what you want."
  }

  const session = ({ id, browser, opened_at, expires_at, current, console }: HumanSession): Html => {
    const named = browser ?? "A browser or program that is not known"
    const end = form(
      "end_session",
      hidden("session", String(id)),
      html`<button>End<span class="unseen"> the session of ${named}, number ${id}</span></button>`,
      String(id)
    )
    return html`<li class="row">
<p class="title">${named}${current ? html` <span class="faint">this one</span>` : null}${console === true ? html` <span class="faint">operators' console</span>` : null}</p>
<p class="faint">Since ${minute(opened_at)}, until ${minute(expires_at)} at the latest</p>
${current ? null : end}</li>
`
  }
  const hasOthers = sessions.some(({ current }) => !current)

  return {
    title: "Settings",
    main: html`<h1>Settings</h1>
<nav class="jump" aria-label="On this page">
${PARTS.map(([id, part]) => html`<a href="#${id}">${part}</a>\n`)}</nav>
<section class="split"><h2 id="name">Name</h2>
<div class="panel">${form("rename", written("rename", [name]), html`<button class="main">Change the name</button>`)}</div></section>
<section class="split"><h2 id="address">E-mail address</h2>
<div class="panel">${address}</div></section>
<section class="split"><h2 id="password">Password</h2>
<div class="panel"><p>All sessions end when you change it, this one too.</p>
${form(
  "change_password",
  html`${whosePassword(account.email)}${written("change_password", [password("Present password"), changed])}`,
  html`<button class="main">Change the password</button>`
)}</div></section>
<section class="split"><h2 id="two-step">Second step of the login</h2>
<div class="panel">${twoStepSection(twoStep, form, written)}</div></section>
<section class="split"><h2 id="relay">What reaches you</h2>
<div class="panel">${relaySection(relay, form)}</div></section>
<section class="split"><h2 id="passkeys">Passkeys</h2>
<div class="panel">${passkeySection(passkeys, form, written)}</div></section>
<section class="split"><h2 id="sessions">Sessions</h2>
<div class="panel"><ul class="rows">
${sessions.map(session)}</ul>
${hasOthers ? form("end_others", NOTHING, html`<button>End all others</button>`) : null}</div></section>
<section class="split"><h2 id="delete">Delete the account</h2>
<div class="panel"><p>For good: your sponsorships and sessions end, and what is known of you is erased.</p>
${form(
  "delete",
  written("delete", [password("Password"), confirm]),
  html`<button class="grave">Delete my account</button>`
)}</div></section>`
  }
}
