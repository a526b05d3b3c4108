/**
 * The part of an owner's page that shows an agent's vault: fills that wait for consent, and entries. Labels and
 * websites are texts of the entry's author, so they are not trusted. Secrets are not available here.
 */
import type { ConsentAsked, FillAction, VaultEntry } from "../../schemas/vault/records.ts"
import type { Consenter, OwnedVault } from "./owning.ts"
import type { Member, OwnerSpace } from "../human/index.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { counted, own } from "../kit/record.ts"
import { minute } from "../kit/times.ts"
import { emptyPlace } from "../kit/owner/signs.ts"
import { fieldsOf, hidden, NO_PROBLEMS, type Problems } from "../kit/owner/fields.ts"

export const REVOKE_WORD = "revoke"

const consentPath = (handle: string): string => `/owner/agents/${handle}/consents`
const revokingPath = (handle: string): string => `/owner/agents/${handle}/entries`

export const consentForm = (agent: string, fill: number): string => `agent.${agent}.fill.${fill}`
export const revokingForm = (agent: string, entry: number): string => `agent.${agent}.entry.${entry}`

export interface RefusedRevoking {
  readonly entry: number
  readonly problems: Problems
}

export interface VaultSection {
  readonly id: string
  readonly handle: string
  /** `undefined` if the vault cannot be reached, `null` if the agent has none. */
  readonly vault: OwnedVault | undefined
  readonly refused: RefusedRevoking | null
}

const KINDS: Readonly<Record<VaultEntry["kind"], string>> = {
  login: "Login",
  card: "Card",
  profile: "Profile",
  secret: "Secret"
}

const DOES: Readonly<Record<FillAction, string>> = {
  login: "log in",
  signup: "sign up",
  pay: "pay",
  secret: "enter a secret"
}

const named = ({ kind, label }: Pick<VaultEntry, "kind" | "label">): Html =>
  label === null ? html`${KINDS[kind]}` : html`${KINDS[kind]}: ${own(label)}`

const asking = (space: OwnerSpace, member: Member, { id, handle }: VaultSection, asked: ConsentAsked): Html => {
  const { fill_id, action, origin, amount, currency, expires_at } = asked
  const sum = amount === null || currency === null ? NOTHING : html` <strong>${amount} ${currency}</strong>`
  const buttons = html`${hidden("fill", String(fill_id))}<p class="options"><button class="main" name="act" value="allow">Allow<span class="unseen"> fill ${String(fill_id)}</span></button>
<button name="act" value="decline">Decline<span class="unseen"> fill ${String(fill_id)}</span></button></p>
`
  return html`<li class="row" id="fill-${String(fill_id)}">
<p class="title">It wants to ${DOES[action]}${sum} at ${own(origin)}</p>
<p class="faint">With ${named(asked)}. It waits until ${minute(expires_at)}</p>
${space.form(member, consentForm(id, fill_id), consentPath(handle), buttons)}</li>
`
}

const sites = ({ kind, origins }: VaultEntry): Html => {
  if (kind === "profile") return html`Goes into forms of any website where it signs up.`
  if (origins.length === 0) return html`For any shop.`
  return html`For ${origins.map((origin, index) => html`${index === 0 ? NOTHING : ", "}${own(origin)}`)}.`
}

const limited = ({ limits }: VaultEntry): Html => {
  if (limits === null) return NOTHING
  const { currency, per_payment, per_day, fills_per_day } = limits
  const times = counted(fills_per_day, "time", "times")
  return html` At most ${per_payment} ${currency} a payment, ${per_day} ${currency} and ${times} a day.`
}

/** Names everybody who may consent, so that an owner knows who else can decide. */
const mayConsent = (consenters: ReadonlyArray<Consenter>): Html => {
  if (consenters.length === 0) return html` Nobody may allow it now.`
  const named = consenters
    .toSorted((one, other) => Number(other.isYou) - Number(one.isYou))
    .map(({ isYou, name }) =>
      isYou ? html`you` : name === null ? html`somebody whose name cannot be shown` : own(name)
    )
  return html` It may be allowed by: ${named.map((one, index) => html`${index === 0 ? NOTHING : ", "}${one}`)}.`
}

const consentWords = ({ consent }: VaultEntry, consenters?: ReadonlyArray<Consenter>): Html => {
  if (consent === null) return NOTHING
  const may = consenters === undefined ? NOTHING : mayConsent(consenters)
  if (consent === "owner") return html` Each use waits for an owner.${may}`
  return html` Payments above ${consent.above} ${consent.currency} wait for an owner.${may}`
}

const used = ({ uses, last_used_at, unconfirmed }: VaultEntry): Html => {
  const open = unconfirmed ? html` Its sign-up is not confirmed.` : NOTHING
  if (last_used_at === null) return html`Never used.${open}`
  return html`Used ${counted(uses, "time", "times")}, last ${minute(last_used_at)}.${open}`
}

const revoking = (
  space: OwnerSpace,
  member: Member,
  { id, handle, refused }: VaultSection,
  entry: VaultEntry
): Html => {
  const problems = refused?.entry === entry.id ? refused.problems : null
  const word = {
    name: "confirm",
    label: `To revoke it, type the word ${REVOKE_WORD}`,
    autocomplete: "off",
    hint: "It is erased at once, and the agent can use it no more. Nothing brings it back."
  }
  const form = space.form(
    member,
    revokingForm(id, entry.id),
    revokingPath(handle),
    html`${hidden("entry", String(entry.id))}${fieldsOf(`revoke-${entry.id}`, [word], problems ?? NO_PROBLEMS)}<button class="grave">Revoke<span class="unseen"> entry ${String(entry.id)}</span></button>\n`
  )
  return html`<details${problems === null ? NOTHING : html` open`}><summary>Revoke this entry<span class="unseen"> (${String(entry.id)})</span></summary>
${form}</details>
`
}

export const entryFacts = (entry: VaultEntry, { consenters }: NonNullable<OwnedVault>): Html =>
  html`<p class="title">${named(entry)}</p>
<p>${sites(entry)}${limited(entry)}${consentWords(entry, consenters.get(entry.id))}</p>
<p class="faint">${used(entry)} Since ${minute(entry.created_at)}</p>
`

const row = (
  space: OwnerSpace,
  member: Member,
  section: VaultSection,
  vault: NonNullable<OwnedVault>,
  entry: VaultEntry
): Html =>
  html`<li class="row" id="entry-${String(entry.id)}">
${entryFacts(entry, vault)}${revoking(space, member, section, entry)}</li>
`

export const consentSection = (space: OwnerSpace, member: Member, section: VaultSection): Html => {
  const asked = section.vault?.asked ?? []
  if (asked.length === 0) return NOTHING
  return html`<section><h2 id="consents">It needs your consent</h2>
<ul class="rows panel calls">
${asked.map((one) => asking(space, member, section, one))}</ul></section>
`
}

export const vaultSection = (space: OwnerSpace, member: Member, section: VaultSection): Html => {
  const { vault } = section
  if (vault === undefined)
    return html`<section><h2 id="vault">Its vault</h2>
<p class="faint">Its vault cannot be shown at the moment.</p></section>
`
  if (vault === null) return NOTHING
  if (vault.vault.status === "revoked")
    return html`<section><h2 id="vault">Its vault</h2>
<p class="faint">Its vault is revoked: everything in it was erased.</p></section>
`
  const entries = vault.entries.map((entry) => row(space, member, section, vault, entry))
  return html`<section><h2 id="vault">Its vault</h2>
<p>You see what is there and how it is used. Secrets are sealed: neither you nor this service can read them.</p>
${entries.length === 0 ? emptyPlace("vault", "It is empty. Its agent puts entries in, or gives you a token with which you seal one.") : html`<ul class="rows panel">\n${entries}</ul>\n`}</section>
`
}
