/** An actor's history around one commit: timeline, state, differences, what-if, and downloads. */
import { operatorOf } from "../../../actors/engine/command-ids.ts"
import { html, type Html } from "../../../edge/kit/html.ts"
import { harmless } from "../../../schemas/printed.ts"
import { Fault } from "../../cli/fault.ts"
import { idOfReference } from "../../cli/references.ts"
import { asJson } from "../../replay/difference.ts"
import { isLogless, kindOf, type Step } from "../../replay/fold.ts"
import { Masker } from "../../replay/masks.ts"
import { eventText, timeText } from "../../replay/report.ts"
import { noteOpened, type Opened } from "../audit.ts"
import type { ConsolePage, Visit } from "../page.ts"
import { explainPath } from "../paths.ts"
import { webhookOf } from "../webhook.ts"
import { exported, written } from "./downloads.ts"
import { type Actor, type Around, around } from "./history.ts"
import { differencesView, jsonView, linesView } from "./json-view.ts"
import { whatIfHtml } from "./what-if.ts"

const SEQ = /^\d{1,15}$/

/** The names of views in the audit stream, by the parameter `show`. Every other view is written as `history`. */
const OPENED: Readonly<Record<string, Opened["what"]>> = {
  decision: "what-if",
  export: "export",
  test: "test",
  "test-history": "test"
}

const atIn = (query: URLSearchParams): number | null => {
  const at = query.get("at") ?? ""
  if (at === "") return null
  if (!SEQ.test(at)) throw new Fault("`at` must be a sequence, such as 14.")
  return Number(at)
}

const actorOf = async ({ parts, params }: Visit): Promise<Actor | null> => {
  const { kind: name = "", id: reference = "" } = params
  const kind = kindOf(name)
  if (kind === undefined) return null
  if (isLogless(kind)) throw new Fault(`An actor of the kind ${name} has no history.`)
  return { kind, id: await idOfReference(parts.service, name, reference) }
}

const hereAt = (path: string, seq: number, more = ""): string => `${path}?at=${seq}${more}`

const whoOf = ({ entry: { commit } }: Step): string => {
  const operator = operatorOf(commit.id)
  if (operator !== null) return `operator ${operator}`
  return commit.by ?? "the service"
}

const line = (step: Step, path: string, isChosen: boolean): Html => {
  const { seq, commit } = step.entry
  const current = isChosen ? html` aria-current="true"` : null
  return html`<li><a href="${hereAt(path, seq)}"${current}>#${seq}</a> <span>${timeText(commit.at)}</span>
<span>${commit.op}</span> <span>${whoOf(step)}</span> <span class="faint">${commit.events.map(({ type }) => type).join(", ")}</span></li>
`
}

const timeline = ({ steps, chosen, earlier, later }: Around, path: string): Html => {
  const [first, last] = [steps[0], steps.at(-1)]
  const before =
    earlier === 0 ? null : html`<a href="${hereAt(path, first?.entry.seq ?? 0)}">${earlier} earlier commits</a>`
  const after = later ? html`<a href="${hereAt(path, last?.entry.seq ?? 0)}">Later commits</a>` : null
  const ends = later ? html`<a href="${path}">The newest</a>` : null
  return html`<section aria-labelledby="past-title">
<h2 id="past-title">Commits</h2>
<div class="slide" id="slide" hidden><label for="slider">Commit</label>
<input id="slider" type="range" min="0" max="${steps.length - 1}" value="${chosen}">
<output for="slider" id="slid"></output></div>
<ol class="past" id="past" tabindex="0" aria-labelledby="past-title">
${steps.map((step, place) => line(step, path, place === chosen))}</ol>
<p class="acts">${before} ${after} ${ends}</p>
</section>
`
}

const fact = (name: string, value: Html | string | null): Html | null =>
  value === null ? null : html`<dt>${name}</dt><dd>${value}</dd>\n`

const commitHtml = ({ steps, chosen, before }: Around, path: string): Html => {
  const masker = new Masker()
  // The states are masked in the order of the history, so that a secret has the same mask before and after.
  const was = asJson(masker.mask(before))
  const step = masker.mask(steps[chosen])
  if (step === undefined) throw new Error("a page of a history has a chosen commit")
  const { seq, commit, trace_id: trace = null } = step.entry
  const is = asJson(step.state)
  const op = encodeURIComponent(commit.op)
  return html`<section id="commit" aria-labelledby="commit-title">
<h2 id="commit-title">#${seq} ${commit.op}</h2>
<dl class="facts">
${fact("Time", timeText(commit.at))}${fact("By", whoOf(step))}${fact("Command", commit.id)}${fact("Reason", commit.why === undefined ? null : harmless(commit.why))}${fact("Request", commit.trace ?? null)}${fact("trace_id", trace)}</dl>
<p class="acts"><a href="${explainPath(`#${seq}`)}">Explain</a>
<a href="${hereAt(path, seq, `&when=before&op=${op}#what-if`)}">Try another command in its place</a>
<a href="${hereAt(path, seq, "&show=export")}" download>Export up to here</a>
<a href="${hereAt(path, seq, "&show=test")}" download>Write as a test</a>
<a href="${hereAt(path, seq, "&show=test-history")}" download>Its history</a></p>
<h3>Events</h3>
${linesView(commit.events.map(eventText), "Events")}<h3>State</h3>
${differencesView(was, is, "Changed by this commit")}${jsonView(was, is, "State")}</section>
`
}

export const actorPage: ConsolePage = {
  path: "/actor/:kind/:id",
  title: "Actor",
  listed: false,
  who: "operator",
  script: "actor",
  render: async (visit) => {
    const { parts, operator, query } = visit
    const actor = await actorOf(visit)
    if (actor === null) return null
    const [name, show] = [`${actor.kind.fold.kind}/${actor.id}`, query.get("show") ?? ""]
    const past = await around(parts.service, actor, atIn(query))
    if (past === null) throw new Fault(`The log holds nothing of ${name}.`)
    await noteOpened(parts, operator, OPENED[show] ?? "history", name)
    const seq = past.steps[past.chosen]?.entry.seq ?? 0
    if (show === "export") return exported(visit, actor, seq)
    if (show === "test" || show === "test-history")
      return written(visit, actor, seq, show === "test" ? "test" : "history")
    const path = visit.call.path
    const webhook = actor.kind.fold.kind === "agent" ? await webhookOf(visit, actor.id) : null
    return html`<h1>${name}</h1>
${timeline(past, path)}${commitHtml(past, path)}${webhook}${whatIfHtml(visit, actor, past)}`
  }
}
