/** Later owners of an agent, for an earlier one: on the agent's page, and on the page that a letter links to. */
import type { NamedLaterOwner } from "./later.ts"
import type { Member, OwnerPage, OwnerSpace } from "../human/index.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { own } from "../kit/record.ts"
import { minute } from "../kit/times.ts"
import { hidden } from "../kit/owner/fields.ts"

export const laterPath = (handle: string, sponsorship: number): string =>
  `/owner/agents/${handle}/owners/${sponsorship}`

export const laterForm = (agent: string, sponsorship: number): string => `agent.${agent}.owner.${sponsorship}`

interface Of {
  readonly id: string
  readonly handle: string
}

const called = ({ name }: NamedLaterOwner): Html =>
  name === null ? html`Somebody whose name cannot be shown` : own(name)

const stands = ({ approves, waits_until }: NamedLaterOwner): Html => {
  if (approves === true) return html`You have approved this owner.`
  if (approves === false) return html`You have objected to this owner.`
  return html`From ${minute(waits_until)} on this owner may allow fills of entries that are older, unless an owner objects.`
}

const OBJECT = html`<button name="act" value="object">Object</button>`
const APPROVE = html`<button class="main" name="act" value="approve">Approve</button>\n`

const row = (space: OwnerSpace, member: Member, { id, handle }: Of, one: NamedLaterOwner): Html => {
  const { sponsorship, confirmed_at, approves } = one
  const buttons = html`<p class="options">${approves === true ? NOTHING : APPROVE}${approves === false ? NOTHING : OBJECT}</p>\n`
  return html`<li class="row" id="owner-${String(sponsorship)}">
<p class="title">${called(one)}</p>
<p class="faint">Owner since ${minute(confirmed_at)}</p>
<p>${stands(one)}</p>
${space.form(member, laterForm(id, sponsorship), laterPath(handle, sponsorship), buttons)}</li>
`
}

export const laterSection = (space: OwnerSpace, member: Member, of: Of, later: ReadonlyArray<NamedLaterOwner>): Html =>
  later.length === 0
    ? NOTHING
    : html`<section><h2 id="owners">Later owners</h2>
<p>These people became owners of this agent after you. Whom you approve may allow fills at once. Whom you object to may allow none.</p>
<ul class="rows panel calls">
${later.map((one) => row(space, member, of, one))}</ul></section>
`

/** GET changes nothing. The button posts the decision. */
export const laterPage = (space: OwnerSpace, member: Member, { id, handle }: Of, one: NamedLaterOwner): OwnerPage => {
  const { sponsorship, confirmed_at, approves } = one
  const form = space.form(
    member,
    laterForm(id, sponsorship),
    laterPath(handle, sponsorship),
    html`${hidden("act", "object")}<button class="main">Object to this owner</button>\n`
  )
  return {
    title: "Another owner",
    main: html`<h1>Another owner</h1>
<p>${called(one)} was confirmed as another owner of your agent @${handle}, ${minute(confirmed_at)}.</p>
<p>${stands(one)}</p>
${approves === false ? NOTHING : html`<p>If you object, this person may allow no fills of the agent's vault. You can approve the person later.</p>\n${form}`}`
  }
}
