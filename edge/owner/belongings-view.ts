/** The pages of mail and of vaults, for all agents of a person. Changes are made on the agent's own page. */
import { type OwnedMail, mailRow } from "../mail/index.ts"
import { type OwnedVault, entryFacts } from "../vault/index.ts"
import type { OwnerPage, OwnerSpace } from "../human/index.ts"
import { pager } from "../kit/choices.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { withQuery } from "../kit/paths.ts"
import { own } from "../kit/record.ts"
import { minute } from "../kit/times.ts"
import { agentPath } from "./agent-view.ts"
import type { Carried } from "./carried.ts"
import { emptyPlace, face } from "../kit/owner/signs.ts"
import { MAIL_PATH, VAULT_PATH } from "../kit/owner/frame.ts"
import type { Icon } from "../kit/owner/icons.ts"
import { fillNeed, needsList } from "./waiting-view.ts"

export interface Belongings<A> {
  /** `has` is `undefined` if the data is unavailable. */
  readonly found: ReadonlyArray<{ readonly agent: Carried; readonly has: A | undefined }>
  readonly page: number
  readonly pages: number
}

/** Maximum of messages on a page, over all agents. */
const MAILS_MAX = 30

const noAgents = (space: OwnerSpace, drawing: Icon): Html =>
  emptyPlace(
    drawing,
    html`You stand behind no agent yet. <a href="${space.at("/owner")}#declare">Ask one</a>, and what it has appears here.`
  )

const unknown = (found: Belongings<unknown>["found"], what: string): Html => {
  const names = found.filter(({ has }) => has === undefined).map(({ agent: { name } }) => name)
  if (names.length === 0) return NOTHING
  const list = names.map((name, index) => html`${index === 0 ? NOTHING : ", "}${own(name)}`)
  return html`<p class="notice">The ${what} of ${list} cannot be shown at the moment. Try again.</p>\n`
}

/** The beginning of the text for an empty list. If there are more pages, it is about the agents on this page only. */
const noneOf = ({ pages }: Belongings<unknown>): string =>
  pages > 1 ? "None of the agents on this page" : "None of your agents"

const turning = (space: OwnerSpace, path: string, { page, pages }: Belongings<unknown>): Html =>
  pager(page, pages, (to) => withQuery(space.at(path), { page: to }))

const mailboxes = (space: OwnerSpace, found: Belongings<OwnedMail>["found"]): Html => {
  const rows = found.flatMap(({ agent: { handle, name }, has }) =>
    (has?.mailboxes ?? []).map(
      ({ address, label, created_at }) => html`<li class="row">
<p class="title">${own(address)}</p>
<p class="faint">${label === null ? NOTHING : html`${own(label)} · `}of <a href="${space.at(agentPath(handle))}#mail">${own(name)}</a> · since ${minute(created_at)}</p></li>
`
    )
  )
  if (rows.length === 0) return NOTHING
  return html`<section><h2 id="mailboxes">Mailboxes</h2>
<ul class="rows panel">
${rows}</ul>
<p class="faint">You close a mailbox on the page of its agent.</p></section>
`
}

export const mailPage = (space: OwnerSpace, shown: Belongings<OwnedMail>): OwnerPage => {
  const { found } = shown
  const recent = found
    .flatMap(({ agent, has }) => (has?.recent ?? []).map((mail) => ({ agent, mail })))
    .toSorted((one, other) => Date.parse(other.mail.received_at) - Date.parse(one.mail.received_at))
    .slice(0, MAILS_MAX)
  const hasMailbox = found.some(({ has }) => has !== undefined && has.mailboxes.length > 0)
  const none = hasMailbox ? "No mail has come yet." : `${noneOf(shown)} has a mailbox. An agent opens one itself.`
  const rows = recent.map(({ agent: { handle, name }, mail }) =>
    mailRow(mail, html`<a href="${space.at(agentPath(handle))}#mail">${own(name)}</a> (${own(mail.to)})`)
  )
  const list = rows.length === 0 ? emptyPlace("mail", none) : html`<ul class="rows panel">\n${rows}</ul>\n`
  return {
    title: "Mail",
    main: html`<h1>Mail</h1>
<p class="lead">You see who wrote, about what, and with which codes. Only the agent reads what the messages say.</p>
${unknown(found, "mail")}${
      found.length === 0
        ? noAgents(space, "mail")
        : html`<section><h2 id="recent">What came last</h2>
${list}</section>
${mailboxes(space, found)}`
    }${turning(space, MAIL_PATH, shown)}`
  }
}

const fills = (space: OwnerSpace, found: Belongings<OwnedVault>["found"]): Html => {
  const needs = found.flatMap(({ agent, has }) =>
    (has?.asked ?? []).map(({ expires_at }) => fillNeed(agent, expires_at))
  )
  if (needs.length === 0) return NOTHING
  return html`<section><h2 id="consents">Waiting for you <span class="count">${needs.length}</span></h2>
${needsList(space, needs)}</section>
`
}

const vaultOf = (space: OwnerSpace, { handle, name }: Carried, owned: NonNullable<OwnedVault>): Html => {
  const { vault, entries } = owned
  const list =
    vault.status === "revoked"
      ? html`<p class="faint">This vault is revoked: everything in it was erased.</p>\n`
      : entries.length === 0
        ? emptyPlace("vault", "This vault is empty.")
        : html`<ul class="rows panel">\n${entries.map((entry) => html`<li class="row">\n${entryFacts(entry, owned)}</li>\n`)}</ul>\n`
  return html`<section><h2 class="of">${face(name)}<a href="${space.at(agentPath(handle))}#vault">${own(name)}</a></h2>
${list}</section>
`
}

export const vaultPage = (space: OwnerSpace, shown: Belongings<OwnedVault>): OwnerPage => {
  const { found } = shown
  const vaults = found.flatMap(({ agent, has }) => (has === undefined || has === null ? [] : [{ agent, vault: has }]))
  const isKnown = found.every(({ has }) => has !== undefined)
  const opens = "An agent opens one itself, and then gives you a token with which you seal secrets for it."
  const none = `${noneOf(shown)} has a vault. ${opens}`
  const list =
    found.length === 0
      ? noAgents(space, "vault")
      : vaults.length === 0 && isKnown
        ? emptyPlace("vault", none)
        : html`${vaults.map(({ agent, vault }) => vaultOf(space, agent, vault))}`
  const revoking = vaults.some(({ vault }) => vault.entries.length > 0)
    ? html`<p class="faint">You revoke an entry on the page of its agent.</p>\n`
    : NOTHING
  return {
    title: "Vault",
    main: html`<h1>Vault</h1>
<p class="lead">Logins, cards and other secrets of your agents. They are sealed: neither you nor this service can read them.</p>
${unknown(found, "vault")}${fills(space, found)}${list}${revoking}${turning(space, VAULT_PATH, shown)}`
  }
}
