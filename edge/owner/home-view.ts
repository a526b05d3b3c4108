/** The overview: what waits for the person, a card for each agent, compartments, and a form for one more agent. */
import type { HomeAction } from "../../schemas/human/pages.ts"
import { OWNER_PATH } from "../../schemas/human/pages.ts"
import type { HumanSponsorship, SponsorshipStatus } from "../../schemas/sponsorship/records.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { counted, own } from "../kit/record.ts"
import { day } from "../kit/times.ts"
import { agentPath } from "./agent-view.ts"
import { chip, chips, emptyPlace, face, type Tone } from "../kit/owner/signs.ts"
import { compartmentsSection } from "../compartment/index.ts"
import type { Member, OwnerPage, OwnerSpace } from "../human/index.ts"
import { fieldsOf, hidden, type Problems } from "../kit/owner/fields.ts"
import { type Waiting, waitingSection } from "./waiting-view.ts"

/** The beginning of an agent's latest message, if it is readable, and the number of unread messages. */
export interface Latest {
  readonly words: string | null
  readonly unread: number
}

export interface Home extends Waiting {
  readonly name: string
  readonly sponsorships: ReadonlyArray<HumanSponsorship>
  /** The latest message of each agent, by hub id. */
  readonly latest: ReadonlyMap<string, Latest>
  readonly typed: string | undefined
  readonly problems: Problems
}

const STATES: Readonly<Record<SponsorshipStatus, string>> = {
  pending: "The agent has been asked, and has not answered yet",
  confirmed: "The agent has confirmed it",
  refused: "The agent has refused",
  revoked: "The agent has revoked it",
  withdrawn: "You have withdrawn it",
  expired: "The agent has not answered in time"
}

const STANDING: Readonly<Record<HumanSponsorship["agent"]["status"], readonly [name: string, tone: Tone]>> = {
  active: ["Active", "good"],
  suspended: ["Suspended", "bad"],
  banned: ["Banned", "bad"],
  deleted: ["Deleted", "plain"]
}

const ROLES = [
  ["guarantor", "I answer for it"],
  ["creator", "I made it"]
] as const

const isOpen = ({ status }: HumanSponsorship): boolean => status === "pending" || status === "confirmed"

/** Agents that ask for something, then those that have confirmed, then those that have not answered. */
const byNeed = ({ sponsorships, questions }: Home): ReadonlyArray<HumanSponsorship> => {
  const asking = new Set(questions.map(({ agent }) => agent.id))
  const rank = ({ status, agent }: HumanSponsorship): number =>
    status === "confirmed" ? (asking.has(agent.id) ? 0 : 1) : 2
  return sponsorships.filter(isOpen).toSorted((one, other) => rank(one) - rank(other))
}

/** The name of a form. There is one form for each agent from which the person can withdraw. */
export const formName = (action: HomeAction, agent = ""): string =>
  action === "declare" ? "declare" : `withdraw.${agent}`

const NOT_CONFIRMED = "Your address is not confirmed yet."

/** Asks a person with an unconfirmed address to open the link in the letter. */
const unconfirmed = (space: OwnerSpace, { person }: Member): Html =>
  person.email_verified
    ? NOTHING
    : html`<div class="notice"><p><strong>${NOT_CONFIRMED}</strong> Open the link of the letter that we sent there, or have
<a href="${space.at("/owner/settings")}#address">another one sent</a>.</p></div>\n`

const withdrawing = (space: OwnerSpace, member: Member, handle: string): Html => {
  const fields = html`${hidden("action", "withdraw")}${hidden("agent", handle)}`
  const button = html`<button class="grave">Withdraw<span class="unseen"> from @${handle}</span></button>\n`
  return html`<details><summary>Withdraw<span class="unseen"> from @${handle}: more</span></summary>
<p>Your name leaves its page, and you no longer see its messages, mail and vault.</p>
${space.form(member, formName("withdraw", handle), OWNER_PATH, html`${fields}${button}`)}</details>
`
}

const latestLine = ({ words, unread }: Latest): Html =>
  html`<p class="last">${unread === 0 ? NOTHING : html`<strong>${counted(unread, "new message", "new messages")}.</strong> `}${
    words === null ? NOTHING : html`It said last: <q>${own(words)}</q>`
  }</p>
`

const card = (space: OwnerSpace, member: Member, { latest }: Home, one: HumanSponsorship): Html => {
  const { id, handle, name, status, url } = one.agent
  const isConfirmed = one.status === "confirmed" && handle !== null
  const last = isConfirmed ? latest.get(id) : undefined
  const titled = isConfirmed ? html`<a href="${space.at(agentPath(handle))}">${own(name)}</a>` : own(name)
  const state = one.status === "pending" ? chip("Asked", "open") : NOTHING
  const write = isConfirmed
    ? html`<a class="button" href="${space.at(agentPath(handle))}#write">Write to it<span class="unseen"> (@${handle})</span></a>\n`
    : NOTHING
  const profile =
    url === null ? NOTHING : html`<a href="${url}">Public page<span class="unseen"> of ${name}</span></a>\n`
  const quiet = isConfirmed ? html`<p class="last faint">It has not written to you yet.</p>\n` : NOTHING
  return html`<li class="tile">
<div class="who-is">${face(name)}<div><h3 class="title">${titled}</h3>
<p class="faint">${handle === null ? NOTHING : html`@${handle}`}</p></div></div>
${chips(chip(...STANDING[status]), state)}<p class="faint">${STATES[one.status]}. Since ${day(one.created_at)}</p>
${last === undefined ? quiet : latestLine(last)}<p class="acts">${write}${profile}</p>
${handle === null ? NOTHING : withdrawing(space, member, handle)}</li>
`
}

const NO_AGENTS = html`You stand behind no agent yet. Ask one below. Once it confirms, its questions, mail and vault appear here.`

const carried = (space: OwnerSpace, member: Member, home: Home): Html => {
  const open = byNeed(home)
  if (open.length === 0) return emptyPlace("agents", NO_AGENTS)
  return html`<ul class="tiles">\n${open.map((one) => card(space, member, home, one))}</ul>\n`
}

const endedRow = ({ agent: { name, handle }, status, ended_at, created_at }: HumanSponsorship): Html =>
  html`<li class="row"><p class="title">${own(name)}${handle === null ? NOTHING : html` <span class="faint">@${handle}</span>`}</p>
<p class="faint">${STATES[status]}, ${day(ended_at ?? created_at)}</p></li>
`

const endedSection = ({ sponsorships }: Home): Html => {
  const over = sponsorships.filter((one) => !isOpen(one))
  if (over.length === 0) return NOTHING
  return html`<section><h2 id="ended">Ended</h2>
<ul class="rows panel">
${over.map(endedRow)}</ul></section>
`
}

const declaring = (space: OwnerSpace, member: Member, { typed, problems }: Home): Html => {
  const agent = {
    name: "agent",
    label: "Agent",
    autocomplete: "off",
    value: typed,
    hint: "Its handle, or its number HX-…"
  }
  const roles = html`<fieldset class="field"><legend>What you are to it</legend>
${ROLES.map(
  ([role, label], index) =>
    html`<p><label><input type="radio" name="role" value="${role}"${index === 0 ? html` checked` : null}> ${label}</label></p>\n`
)}</fieldset>
`
  const fields = html`${hidden("action", "declare")}${fieldsOf("declare", [agent], problems)}${roles}`
  const form = html`${fields}<button class="main">Ask the agent</button>\n`
  return html`<section><h2 id="declare">Stand behind an agent</h2>
<div class="panel"><p>The agent is asked, and says whether that is so. Once it has confirmed, your name stands on its page.</p>
${space.form(member, formName("declare"), OWNER_PATH, form)}</div></section>`
}

export const homePage = (space: OwnerSpace, member: Member, home: Home): OwnerPage => {
  const names = new Map(home.sponsorships.map(({ agent }) => [agent.id, agent.name]))
  return {
    title: "Your agents",
    main: html`<h1>Your agents</h1>
<p class="lead">Good to see you, ${own(home.name)}.</p>
${unconfirmed(space, member)}${home.sponsorships.some(isOpen) ? waitingSection(space, home) : NOTHING}<section><h2 id="agents">Agents that you stand behind</h2>
${carried(space, member, home)}</section>
${compartmentsSection(space, home.compartments, names)}${declaring(space, member, home)}${endedSection(home)}`
  }
}
