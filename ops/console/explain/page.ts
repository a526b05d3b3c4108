/** The story of one request, found by any of its ids: the output of `hub explain`, with links to the actors. */
import { html, type Html } from "../../../edge/kit/html.ts"
import { harmless } from "../../../schemas/printed.ts"
import { OPERATIONS } from "../../../schemas/bus/operations.ts"
import { Fault } from "../../cli/fault.ts"
import type { Refused } from "../../explain/refused.ts"
import type { Quiet, Story, StoryCommit } from "../../explain/story.ts"
import { refusedText, storyText, tracesText } from "../../explain/text.ts"
import { eventText, timeText } from "../../replay/report.ts"
import { isOperation } from "../actor/fields.ts"
import { linesView } from "../actor/json-view.ts"
import { noteOpened } from "../audit.ts"
import type { ConsolePage } from "../page.ts"
import { actorPath } from "../paths.ts"
import { type StoryPage, storyPage } from "./story.ts"

const REFERENCE_MAX_CHARS = 256

const causeOf = ({ cause, set }: Pick<StoryCommit, "cause" | "set">): Html | null =>
  cause === null ? null : html` <span class="faint">follows from #${cause}${set === null ? null : ` by ${set}`}</span>`

const commitHtml = (one: StoryCommit, began: number): Html => html`<li>
<p><a href="${actorPath(one.kind, one.actor, one.seq)}">#${one.seq} ${one.kind}/${one.actor}</a> <strong>${one.op}</strong>
<span>+${one.at - began} ms, ${timeText(one.at)}</span>${one.by === null ? null : ` by ${one.by}`}${causeOf(one)}</p>
${one.trace_id === null ? null : html`<p class="faint">trace_id ${one.trace_id}</p>\n`}${linesView(one.events.map(eventText), `Events of #${one.seq}`)}</li>
`

const SAYS: Readonly<Record<Quiet["state"], string>> = {
  waits: "waits",
  parked: "parked, and is asked again",
  fault: "passed over",
  unchanged: "done, nothing to change",
  ended: "done; its actor may have ended since"
}

const quietHtml = ({ cause, set, op, kind, actor, state }: Quiet): Html => html`<li><p>#${cause} ${set}: ${op} to
<a href="${actorPath(kind, actor)}">${kind}/${actor}</a>: ${SAYS[state]}</p></li>
`

const commitsHtml = ({ commits, left_out: leftOut, quiet }: Story): Html => {
  const began = commits[0]?.at ?? 0
  return html`<ol class="story">
${commits.map((one) => commitHtml(one, began))}</ol>
${leftOut === 0 ? null : html`<p>${leftOut} more commits are not shown.</p>\n`}${
    quiet.length === 0
      ? null
      : html`<h2>Without a commit</h2>
<ul class="story">${quiet.map(quietHtml)}</ul>
`
  }`
}

/** The refusal, its agent, and a link to try the same operation on that agent's history. */
const refusedHtml = (id: string, refused: Refused): Html => {
  const { asked, agent } = refused
  const op = asked !== null && isOperation(asked) && OPERATIONS[asked].kind === "agent" ? asked : null
  const query = op === null ? "" : `?op=${encodeURIComponent(op)}#what-if`
  return html`<section><h2>Refused</h2>
${linesView(refusedText(id, refused).split("\n"), "Refusal")}${agent === null ? null : html`<p><a href="${actorPath("agent", agent)}${query}">agent/${agent}${op === null ? null : `: what if ${op}`}</a></p>\n`}</section>
`
}

const modelsText = (story: Story): string => storyText(story).split("\n").at(-1) ?? ""

const toldHtml = (reference: string, { story, refused, unseen, traces, last }: StoryPage): Html => {
  const nothing =
    story.commits.length === 0
      ? html`<p id="nothing">${refused === null ? `The log holds no commit of it, and ${unseen}. It was only read, or it is older than where reading began. The edge's log has it: npm run hub -- explain ${reference} --log <file>` : "Nothing of it is in the log."}</p>\n`
      : html`<p>Request ${story.request}, ${story.commits.length} ${story.commits.length === 1 ? "commit" : "commits"}.</p>\n`
  const cut =
    story.read_to < last
      ? html`<p class="problem">Time was up at #${story.read_to} of #${last}: commits that followed later are missing. All of it: <code>npm run hub -- explain ${reference}</code></p>\n`
      : null
  return html`${refused === null ? null : refusedHtml(story.request, refused)}${nothing}${cut}${
    story.commits.length === 0 ? null : html`${commitsHtml(story)}<p class="faint">${modelsText(story)}</p>\n`
  }${traces === null ? null : html`<h2>Durations</h2>\n${linesView(tracesText(traces).split("\n"), "Durations")}`}`
}

export const explainPage: ConsolePage = {
  path: "/explain/:id",
  title: "Explain",
  listed: false,
  who: "operator",
  render: async ({ parts, operator, params, query, call }) => {
    const { id = "" } = params
    if (id.length > REFERENCE_MAX_CHARS) return null
    const since = (query.get("since") ?? "").trim()
    const told = await storyPage(parts.service, id, since).catch((error: unknown) => refusedRead(error))
    if (!(told instanceof Error)) await noteOpened(parts, operator, "story", id)
    return html`<h1>Explain ${harmless(id)}</h1>
${told instanceof Error ? html`<p class="problem" role="alert">${told.message}</p>\n` : toldHtml(id, told)}<form class="form" method="get" action="${call.path}">
<div class="field"><label for="since">Read the log since</label><input id="since" name="since" value="${since}">
<span class="faint">#14, or a time in ISO 8601. A request id alone does not say where in the log it is.</span></div>
<button>Explain</button>
</form>`
  }
}

/** Returns a Fault, whose message the page shows above the form. Throws any other error again. */
const refusedRead = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  throw error
}
