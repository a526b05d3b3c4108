/**
 * Everything that waits for a person, as one list. Fills and captchas come first, and of these the ones that end
 * soonest.
 */
import type { CompartmentStatus } from "../../schemas/compartment/records.ts"
import type { Author } from "../../schemas/content/author.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { type StandingCompartment, compartmentPath, STATUSES } from "../compartment/index.ts"
import type { NamedLaterOwner } from "./later.ts"
import { captchaPath } from "../captcha/index.ts"
import type { OwnerSpace } from "../human/index.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { counted, own } from "../kit/record.ts"
import { minute } from "../kit/times.ts"
import { agentPath } from "./agent-view.ts"
import { emptyPlace } from "../kit/owner/signs.ts"
import { type Icon, icon } from "../kit/owner/icons.ts"
import { laterPath } from "./later-view.ts"

export interface LaterOf {
  readonly agent: Author
  readonly owner: NamedLaterOwner
}

interface UnreadOf {
  readonly agent: Author
  readonly unread: number
}

export interface Waiting {
  readonly consents: Queries["consents_pending"]["output"]
  readonly captchas: Queries["captchas_pending"]["output"]
  readonly questions: Queries["owner_questions"]["output"]
  readonly later: ReadonlyArray<LaterOf>
  readonly compartments: ReadonlyArray<StandingCompartment>
  readonly unread: ReadonlyArray<UnreadOf>
}

export interface Need {
  readonly icon: Icon
  /** `null` if the agent has no page any more. */
  readonly path: string | null
  readonly title: Html | string
  readonly more: Html
  /** True if it ends within minutes. */
  readonly isUrgent?: boolean
}

const TROUBLE: ReadonlySet<CompartmentStatus> = new Set(["backoff", "failed", "suspended"])

const needOf = (space: OwnerSpace, { icon: drawing, path, title, more, isUrgent = false }: Need): Html =>
  html`<li class="need${isUrgent ? " urgent" : ""}">${icon(drawing)}
<div><p class="title">${path === null ? title : html`<a href="${space.at(path)}">${title}</a>`}</p>
<p class="faint">${more}</p></div></li>
`

export const needsList = (space: OwnerSpace, needs: ReadonlyArray<Need>): Html =>
  html`<ul class="needs">\n${needs.map((one) => needOf(space, one))}</ul>\n`

const pageOf = ({ handle }: Pick<Author, "handle">, part: string): string | null =>
  handle === null ? null : `${agentPath(handle)}#${part}`

const TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone: "UTC" })

/** The end of an item that expires within minutes, so without a date. */
const until = ({ name }: Pick<Author, "name">, iso: string): Html =>
  html`${own(name)} · until <time datetime="${iso}">${TIME.format(new Date(iso))} UTC</time>`

/** Links to the agent's page, if the agent has a handle. */
export const fillNeed = (agent: Pick<Author, "name" | "handle">, expires_at: string): Need => ({
  icon: "vault",
  path: pageOf(agent, "consents"),
  title: "A fill waits for your consent",
  more: until(agent, expires_at),
  isUrgent: true
})

const captchaNeed = (id: number, agent: Author, expires_at: string): Need => ({
  icon: "picture",
  path: captchaPath(id),
  title: "A captcha waits for you",
  more: until(agent, expires_at),
  isUrgent: true
})

const soonest = ({ consents, captchas }: Waiting): ReadonlyArray<Need> =>
  [
    ...consents.map(({ agent, expires_at }) => ({ expires_at, need: fillNeed(agent, expires_at) })),
    ...captchas.map(({ id, agent, expires_at }) => ({ expires_at, need: captchaNeed(id, agent, expires_at) }))
  ]
    .toSorted((one, other) => Date.parse(one.expires_at) - Date.parse(other.expires_at))
    .map(({ need }) => need)

/** One item for each agent with questions, dated by the newest. */
const asking = ({ questions }: Waiting): ReadonlyArray<Need> => {
  const agents = new Map(questions.map(({ agent }) => [agent.id, agent]))
  return [...agents.values()].map((agent) => {
    const asked = questions.filter((one) => one.agent.id === agent.id)
    const since = asked[0]?.created_at ?? ""
    return {
      icon: "question",
      path: pageOf(agent, "asks"),
      title: `It asks you: ${counted(asked.length, "question", "questions")}`,
      more: html`${own(agent.name)} · since ${minute(since)}`
    }
  })
}

const deciding = ({ later }: Waiting): ReadonlyArray<Need> =>
  later.map(({ agent, owner: { name, sponsorship, waits_until } }) => ({
    icon: "owner",
    path: agent.handle === null ? null : laterPath(agent.handle, sponsorship),
    title: "Approve another owner, or object",
    more: html`${own(name ?? "Somebody")} at ${own(agent.name)} · may allow fills from ${minute(waits_until)}`
  }))

const troubled = ({ compartments }: Waiting): ReadonlyArray<Need> =>
  compartments.flatMap(({ id, name, status }) =>
    status === null || !TROUBLE.has(status)
      ? []
      : [
          {
            icon: "compartment",
            path: compartmentPath(id),
            title: "A compartment is in trouble",
            more: html`${own(name)} · ${STATUSES[status]}`
          } as const
        ]
  )

const reading = ({ unread, questions }: Waiting): ReadonlyArray<Need> => {
  const asking = new Set(questions.map(({ agent }) => agent.id))
  return unread
    .filter(({ agent, unread: count }) => count > 0 && !asking.has(agent.id))
    .map(({ agent, unread: count }) => ({
      icon: "mail",
      path: pageOf(agent, "said"),
      title: `Read ${counted(count, "message", "messages")}`,
      more: own(agent.name)
    }))
}

export const waitingSection = (space: OwnerSpace, waiting: Waiting): Html => {
  const needs = [
    ...soonest(waiting),
    ...asking(waiting),
    ...deciding(waiting),
    ...troubled(waiting),
    ...reading(waiting)
  ]
  const many = needs.length === 0 ? NOTHING : html` <span class="count">${needs.length}</span>`
  return html`<section><h2 id="waiting">Waiting for you${many}</h2>
${needs.length === 0 ? emptyPlace("done", "Nothing waits for you. Questions, captchas and fills of your agents appear here.") : needsList(space, needs)}</section>
`
}
