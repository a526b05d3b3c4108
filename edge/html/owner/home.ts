/** The agents that a person stands behind: declared, and withdrawn, from one page. */
import { Effect } from "effect"
import type { HomeAction } from "../../../schemas/human/pages.ts"
import { OWNER_PATH } from "../../../schemas/human/pages.ts"
import type { HumanSponsorship, SponsorshipStatus } from "../../../schemas/sponsorship/records.ts"
import type { Queries } from "../../../schemas/bus/operations.ts"
import { notFound } from "../../../schemas/errors.ts"
import { WORDS_ASKED_MAX } from "../../../schemas/owner/operations.ts"
import type { Bus } from "../../bus/bus.ts"
import { oneLine } from "../../content/one-line.ts"
import type { OwningCompartments } from "../../compartment/owning.ts"
import type { OwningVault } from "../../owner/vault.ts"
import type { Sponsoring } from "../../human/sponsoring.ts"
import type { Call } from "../../http/call.ts"
import { type Refused, refuse } from "../../http/refused.ts"
import type { Response } from "../../http/respond.ts"
import { html, type Html, NOTHING } from "../html.ts"
import { counted, own } from "../record.ts"
import { minute } from "../times.ts"
import { agentPath } from "./agent-view.ts"
import { captchaPath } from "./captcha-view.ts"
import { withProblems } from "./entry.ts"
import { ended, fieldsOf, hidden, NO_PROBLEMS, type Problems, type Told } from "./fields.ts"
import { type Compartments, compartmentsSection } from "./compartment-list.ts"
import type { Member, OwnerPage, OwnerSpace } from "./space.ts"

type Served = Effect.Effect<Response, Refused>

interface Sent {
  readonly action: HomeAction
  readonly form_token?: string
  readonly agent?: string
  readonly role?: string
}

/** What an agent said last, where that can be read, and how many of its messages nobody has read. */
interface Latest {
  readonly words: string | null
  readonly unread: number
}

interface Shown {
  readonly name: string
  readonly sponsorships: ReadonlyArray<HumanSponsorship>
  readonly questions: Queries["owner_questions"]["output"]
  readonly captchas: Queries["captchas_pending"]["output"]
  readonly consents: Queries["consents_pending"]["output"]
  /** By hub id. */
  readonly latest: ReadonlyMap<string, Latest>
  readonly compartments: Compartments
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

const STANDING: Readonly<Record<HumanSponsorship["agent"]["status"], string>> = {
  active: "Active",
  suspended: "Suspended",
  banned: "Banned",
  deleted: "Deleted"
}

const WORDS_CHARS = 80

/** Its first line, and no more than that. */
const beginningOf = (text: string): string => {
  const first =
    text
      .split("\n")
      .map(oneLine)
      .find((line) => line !== "") ?? ""
  const signs = [...first]
  return signs.length <= WORDS_CHARS ? first : `${signs.slice(0, WORDS_CHARS - 1).join("")}…`
}

const ROLES = [
  ["guarantor", "I answer for it"],
  ["creator", "I made it"]
] as const

const DECLARING: Told = {
  not_found: ["agent", "There is no such agent."],
  sponsorship_exists: ["agent", "You have asked this agent already, or it has refused within the last days."],
  sponsorship_limit: ["agent", "One more is not possible: you or the agent have as many as there may be."]
}

/** Those that ask for something first, then those that are carried, then those that have not answered, then what ended. */
const byNeed = (
  sponsorships: Shown["sponsorships"],
  questions: Shown["questions"]
): ReadonlyArray<HumanSponsorship> => {
  const asking = new Set(questions.map(({ agent }) => agent.id))
  const rank = ({ status, agent }: HumanSponsorship): number => {
    if (status === "confirmed") return asking.has(agent.id) ? 0 : 1
    return status === "pending" ? 2 : 3
  }
  return sponsorships.toSorted((one, other) => rank(one) - rank(other))
}

const isOpen = ({ status }: HumanSponsorship): boolean => status === "pending" || status === "confirmed"

/** Which form it is: one for each agent that may be withdrawn. */
const formName = (action: HomeAction, agent = ""): string => (action === "declare" ? "declare" : `withdraw.${agent}`)

const homePage = (
  space: OwnerSpace,
  member: Member,
  { name, sponsorships, questions, captchas, consents, latest, compartments, typed, problems }: Shown
): OwnerPage => {
  const withdrawing = (agent: string): Html =>
    space.form(
      member,
      formName("withdraw", agent),
      OWNER_PATH,
      html`${hidden("action", "withdraw")}${hidden("agent", agent)}<button>Withdraw<span class="unseen"> from @${agent}</span></button>\n`
    )

  const saidBy = ({ words, unread }: Latest): Html =>
    html`<p>${unread === 0 ? NOTHING : html`<strong>${counted(unread, "new message", "new messages")}.</strong> `}${
      words === null ? NOTHING : html`It said last: <q>${own(words)}</q>`
    }</p>
`

  const row = (one: HumanSponsorship): Html => {
    const { id, handle, name: called, status, url } = one.agent
    const said = one.status === "confirmed" ? latest.get(id) : undefined
    const named = url === null ? own(called) : html`<a href="${url}">${own(called)}</a>`
    const asked = questions.filter(({ agent }) => agent.id === one.agent.id)
    const questioned = html`<strong>It asks you: ${counted(asked.length, "question", "questions")}</strong>`
    const invited = asked.length === 0 ? html`Write to it` : questioned
    const talk =
      one.status === "confirmed" && handle !== null
        ? html`<p><a href="${space.at(agentPath(handle))}">${invited}<span class="unseen"> (@${handle})</span></a></p>
`
        : NOTHING
    return html`<li class="row">
<p class="title">${named}${handle === null ? null : html` <span class="faint">@${handle}</span>`}</p>
<p class="faint">${STANDING[status]}. ${STATES[one.status]}. Since ${minute(one.created_at)}</p>
${said === undefined ? NOTHING : saidBy(said)}${talk}${isOpen(one) && handle !== null ? withdrawing(handle) : null}</li>
`
  }

  const allowing =
    consents.length === 0
      ? NOTHING
      : html`<section><h2 id="consents">Fills that wait for your consent</h2>
<ul class="rows">
${consents.map(
  ({ agent: { handle, name: called }, expires_at }) => html`<li class="row"><p class="title">${
    handle === null ? own(called) : html`<a href="${space.at(agentPath(handle))}">For ${own(called)}</a>`
  }</p>
<p class="faint">Until ${minute(expires_at)}</p></li>\n`
)}</ul></section>
`
  const waiting =
    captchas.length === 0
      ? NOTHING
      : html`<section><h2 id="captchas">Captchas that wait for you</h2>
<ul class="rows">
${captchas.map(
  (
    one
  ) => html`<li class="row"><p class="title"><a href="${space.at(captchaPath(one.id))}">For ${own(one.agent.name)}</a></p>
<p class="faint">Until ${minute(one.expires_at)}</p></li>\n`
)}</ul></section>
`
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
  const none = html`<p class="faint">There are none yet.</p>\n`
  const carried =
    sponsorships.length === 0 ? none : html`<ul class="rows">\n${byNeed(sponsorships, questions).map(row)}</ul>\n`
  return {
    title: "Your agents",
    main: html`<h1>Your agents</h1>
<p>Good to see you, ${own(name)}.</p>
${
  member.person.email_verified
    ? NOTHING
    : html`<div class="notice"><p>Your address is not confirmed yet. Open the link of the letter that we sent there, or have
<a href="${space.at("/owner/settings")}#address">another one sent</a>.</p></div>\n`
}${allowing}${waiting}<section><h2 id="agents">Agents that you stand behind</h2>
${carried}</section>
${compartmentsSection(space, compartments, new Map(sponsorships.map(({ agent: one }) => [one.id, one.name])))}<section><h2 id="declare">Stand behind an agent</h2>
<p>The agent is asked, and says whether that is so. Once it has confirmed, your name stands on its page.</p>
${space.form(
  member,
  formName("declare"),
  OWNER_PATH,
  html`${hidden("action", "declare")}${fieldsOf("declare", [agent], problems)}${roles}<button class="main">Ask the agent</button>\n`
)}</section>`
  }
}

/** What cannot be had of it at the moment is left out: the page is about more than that. */
const latestOf = (bus: Bus, call: Call, human: string): Effect.Effect<ReadonlyMap<string, Latest>> =>
  Effect.gen(function* () {
    const found = yield* bus.query(call, "owner_latest", { human })
    const messages = found.slice(0, WORDS_ASKED_MAX).map(({ id }) => id)
    const asked = messages.length === 0 ? Effect.succeed([]) : bus.query(call, "owner_words", { messages })
    const words = new Map((yield* Effect.orElseSucceed(asked, () => [])).map(({ id, text }) => [id, beginningOf(text)]))
    return new Map(found.map(({ agent, id, unread }) => [agent, { words: words.get(id) ?? null, unread }]))
  }).pipe(Effect.orElseSucceed(() => new Map()))

const NO_COMPARTMENTS: Compartments = { placed: [], isOffered: false }

/** Left out as well where they cannot be had. */
const compartmentsOf = (
  owning: OwningCompartments,
  call: Call,
  human: string,
  sponsorships: ReadonlyArray<HumanSponsorship>
): Effect.Effect<Compartments> => {
  const carried = sponsorships.flatMap(({ status, agent }) => (status === "confirmed" ? [agent.id] : []))
  const both = { placed: owning.ofPerson(call, human, carried), isOffered: owning.offered(call) }
  return Effect.orElseSucceed(Effect.all(both, { concurrency: 2 }), () => NO_COMPARTMENTS)
}

export const homePages = (
  space: OwnerSpace,
  sponsoring: Sponsoring,
  bus: Bus,
  vaults: OwningVault,
  owning: OwningCompartments
) => {
  const shown = (call: Call, member: Member, typed: string | undefined, problems: Problems, status: number): Served => {
    const { human } = member.person
    const account = bus.read(call, { actor: human, op: "human.account", input: null })
    const sponsored = Effect.flatMap(bus.query(call, "sponsored", { human }), (sponsorships) =>
      Effect.map(compartmentsOf(owning, call, human, sponsorships), (compartments) => ({ sponsorships, compartments }))
    )
    const asked = bus.query(call, "owner_questions", { human })
    const captchas = bus.query(call, "captchas_pending", { human })
    const consents = vaults.pending(call, human)
    return Effect.map(
      Effect.all([account, sponsored, asked, captchas, consents, latestOf(bus, call, human)], {
        concurrency: "unbounded"
      }),
      ([{ name }, { sponsorships, compartments }, questions, captchas, consents, latest]) => {
        const page = homePage(space, member, {
          name,
          sponsorships,
          questions,
          captchas,
          consents,
          latest,
          compartments,
          typed,
          problems
        })
        return space.page(call, member, status === 200 ? page : withProblems(page, status))
      }
    )
  }

  const acted = (call: Call, { person: { human } }: Member, { action, agent = "", role }: Sent) =>
    action === "declare"
      ? sponsoring.declare(call, human, { agent: agent.trim(), role: role === "creator" ? "creator" : "guarantor" })
      : sponsoring.withdraw(call, human, agent)

  return {
    home: (call: Call): Served => space.asMember(call, (member) => shown(call, member, undefined, NO_PROBLEMS, 200)),
    changeAgents: (call: Call, { form }: { readonly form: Sent }): Served =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const { action, agent } = form
          yield* space.taken(call, member, formName(action, agent), form)
          const missing = action === "declare" && (agent ?? "").trim() === ""
          const problems = missing ? { agent: "Say which agent." } : NO_PROBLEMS
          const act = Effect.catch(acted(call, member, form), (failed) =>
            // Of a form that is open in two windows, the second finds it done.
            action === "withdraw" && failed.refusal.code === "sponsorship_not_pending"
              ? Effect.void
              : Effect.fail(failed)
          )
          const outcome = yield* ended(problems, ["agent"], action === "declare" ? DECLARING : {}, act)
          if (outcome.ok) return space.goTo(call, OWNER_PATH, action === "declare" ? "agent_asked" : "agent_withdrawn")
          if (action === "withdraw") return yield* refuse(notFound("agent"))
          return yield* shown(call, member, agent, outcome.problems, outcome.status)
        })
      )
  }
}
