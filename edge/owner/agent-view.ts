/**
 * The page of an agent for one of its owners: first its questions, with their options as buttons, then the
 * conversation. All words of the agent are marked as its own.
 */
import type { OwnerMessage, OwnerMessageKind } from "../../schemas/owner/records.ts"
import { OWNER_MESSAGE_LIMITS } from "../../schemas/owner/limits.ts"
import type { Owned } from "./owning.ts"
import { captchaPath } from "../captcha/index.ts"
import type { Member, OwnerPage, OwnerSpace } from "../human/index.ts"
import { pager } from "../kit/choices.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { withQuery } from "../kit/paths.ts"
import { own } from "../kit/record.ts"
import { minute } from "../kit/times.ts"
import { chip, chips, emptyPlace, face, type Tone } from "../kit/owner/signs.ts"
import { hidden, type Problems } from "../kit/owner/fields.ts"
import { icon } from "../kit/owner/icons.ts"

export const agentPath = (handle: string): string => `/owner/agents/${handle}`

/** `message` is the message that the form answers; `null` for a message of the person's own. */
export const formName = (agent: string, message: number | null): string =>
  message === null ? `agent.${agent}.write` : `agent.${agent}.answer.${message}`

export interface Refusing {
  readonly message: number | null
  readonly text: string
  readonly problems: Problems
}

export interface AgentPageView extends Owned {
  readonly consents: Html
  readonly owners: Html
  readonly mail: Html
  readonly vault: Html
  readonly compartments: Html
  readonly id: string
  readonly handle: string
  readonly page: number
  readonly pages: number
  readonly refusing: Refusing | null
}

const KINDS: Readonly<Record<OwnerMessageKind, string>> = {
  question: "Question",
  alert: "Alert",
  request: "Request",
  need: "Needs something"
}

/** True if the agent still waits for an answer, as far as this list shows. */
const isOpen = ({ direction, kind, answer }: OwnerMessage): boolean =>
  direction === "to_owner" && kind !== "alert" && answer === null

const words = (text: string | null): Html =>
  text === null
    ? html`<p class="faint">Nobody can read this any more.</p>\n`
    : html`<p class="text" dir="auto">${text}</p>\n`

const textarea = (form: string, label: string, refusing: Refusing | null): Html => {
  const problem = refusing?.problems["text"]
  const id = `${form}-text`
  return html`<div class="field"><label for="${id}">${label}</label>
<textarea id="${id}" name="text" rows="3" maxlength="${String(2 * OWNER_MESSAGE_LIMITS.text_max_chars)}" dir="auto"${
    problem === undefined ? NOTHING : html` aria-invalid="true" aria-describedby="${id}-problem" autofocus`
  }>
${refusing?.text ?? ""}</textarea>
${problem === undefined ? NOTHING : html`<p class="problem" id="${id}-problem">${problem}</p>\n`}</div>
`
}

const answering = (space: OwnerSpace, member: Member, shown: AgentPageView, message: OwnerMessage): Html => {
  const { id, handle, refusing } = shown
  const refused = refusing?.message === message.id ? refusing : null
  const form = (fields: Html): Html =>
    space.form(
      member,
      formName(id, message.id),
      agentPath(handle),
      html`${hidden("message", String(message.id))}${fields}`
    )
  const options = message.options ?? []
  const button = (option: string): Html =>
    html`<button class="main" name="option" value="${option}" dir="auto">${option}</button>\n`
  const buttons = html`<p class="options">${options.map(button)}</p>\n`
  const field = textarea(`answer-${message.id}`, "Your answer", refused)
  const main = options.length === 0 ? html` class="main"` : NOTHING
  const typed = form(html`${field}<button${main}>Answer</button>\n`)
  if (options.length === 0) return typed
  return html`${form(buttons)}<details${refused === null ? NOTHING : html` open`}><summary>Answer in your own words</summary>
${typed}</details>
`
}

const answered = ({ answer }: OwnerMessage): Html => {
  if (answer === null) return NOTHING
  const who = answer.owner?.name ?? "somebody who has no account any more"
  return answer.text === null
    ? html`<p class="faint">Answered by ${own(who)}, ${minute(answer.created_at)}</p>\n`
    : html`<p class="faint">Answered by ${own(who)}, ${minute(answer.created_at)}:</p>\n${words(answer.text)}`
}

const bubble = (space: OwnerSpace, member: Member, shown: AgentPageView, message: OwnerMessage): Html => {
  const { direction, kind, read_at, created_at } = message
  const toAgent = direction === "to_agent"
  const title = toAgent ? html`You wrote` : html`${kind === null ? "Message" : KINDS[kind]}`
  const seen = toAgent ? (read_at === null ? ", not read yet" : ", read") : ""
  return html`<li class="row" id="m-${String(message.id)}">
<div class="bubble${toAgent ? " mine" : isOpen(message) ? " open" : ""}">
<p class="title">${title}</p>
${words(message.text)}<p class="faint">${minute(created_at)}${seen}</p>
${answered(message)}${isOpen(message) ? answering(space, member, shown, message) : NOTHING}</div></li>
`
}

const STANDING: Readonly<Record<string, readonly [name: string, tone: Tone]>> = {
  active: ["Active", "good"],
  suspended: ["Suspended by moderation", "bad"],
  banned: ["Banned by moderation", "bad"],
  deleted: ["Deleted", "plain"]
}

const jumps = ({ mail, vault, compartments }: AgentPageView): Html => {
  const parts: ReadonlyArray<readonly [id: string, name: string, part: Html]> = [
    ["mail", "Mail", mail],
    ["vault", "Vault", vault],
    ["compartments", "Compartments", compartments]
  ]
  const there = parts.filter(([, , part]) => part.text !== "")
  if (there.length === 0) return NOTHING
  return html`<nav class="jump" aria-label="On this page">
<a href="#write">Messages</a>
${there.map(([id, name]) => html`<a href="#${id}">${name}</a>\n`)}</nav>
`
}

const waitingCaptchas = (space: OwnerSpace, { captchas }: AgentPageView): Html =>
  captchas.length === 0
    ? NOTHING
    : html`<section><h2 id="captchas">It needs you for a captcha</h2>
<ul class="needs">
${captchas.map(
  ({ id, expires_at }) =>
    html`<li class="need urgent">${icon("picture")}<div><p class="title"><a href="${space.at(captchaPath(id))}">Solve the captcha</a></p>
<p class="faint">Until ${minute(expires_at)}</p></div></li>\n`
)}</ul></section>
`

export const agentPage = (space: OwnerSpace, member: Member, shown: AgentPageView): OwnerPage => {
  const { agent, conversation, id, handle, refusing, page, pages } = shown
  const isAsking = (message: OwnerMessage): boolean => isOpen(message)
  const open = conversation.items.filter(isAsking)
  const said = conversation.items.filter((message) => !isAsking(message))
  const talk = (messages: ReadonlyArray<OwnerMessage>): Html =>
    html`<ul class="talk">\n${messages.map((message) => bubble(space, member, shown, message))}</ul>\n`
  const named = agent.url === null ? NOTHING : html` · <a href="${agent.url}">its public page</a>`
  const writing = space.form(
    member,
    formName(id, null),
    agentPath(handle),
    html`${textarea("write", `To @${handle}`, refusing?.message === null ? refusing : null)}<button class="main">Send</button>\n`
  )
  const asks = open.length === 0 ? NOTHING : html`<section><h2 id="asks">It asks you</h2>\n${talk(open)}</section>\n`
  const none = "Nothing was said yet. Write to it, and its answers appear here."
  const others = said.length === 0 ? emptyPlace("question", none) : talk(said)
  const turning = pager(page, pages, (to) => withQuery(space.at(agentPath(handle)), { page: to }))
  return {
    title: agent.name,
    main: html`<header class="who">${face(agent.name)}<div><h1>${own(agent.name)}</h1>
<p class="faint">@${handle}${named}</p>
${chips(chip(...(STANDING[agent.status] ?? [agent.status, "plain"])))}</div></header>
${jumps(shown)}${shown.consents}${waitingCaptchas(space, shown)}${shown.owners}${asks}<section><h2 id="write">Write to it</h2>
<div class="panel">${writing}</div></section>
<section><h2 id="said">What was said</h2>
${others}${turning}</section>
${shown.mail}${shown.vault}${shown.compartments}`
  }
}
