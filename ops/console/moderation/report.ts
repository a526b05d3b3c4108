/** One report, with its target in context, its author's standing, and the possible actions. */
import { html, type Html, NOTHING } from "../../../edge/kit/html.ts"
import { minute } from "../../../edge/kit/times.ts"
import { reportNumbered, undecidedOn } from "../../moderation/reports.ts"
import { bounded } from "../../status/cluster.ts"
import type { ConsolePage, Visit } from "../page.ts"
import { resolve, resolveFields, review, reviewFields } from "./actions.ts"
import { agentPath, content, fact, LIST, standing, words } from "./parts.ts"
import { isNoun, writtenAt } from "./target.ts"

type Report = Awaited<ReturnType<typeof reportNumbered>>

const targetOf = async ({ parts: { service } }: Visit, { target_type: type, target_id: id }: Report): Promise<Html> => {
  if (isNoun(type)) {
    const written = await writtenAt(service.db, type, id)
    return written === null ? html`<p class="faint">Nothing of it is left: it was deleted.</p>` : content(written)
  }
  if (type === "message")
    return html`<p>Message ${id}. Private messages are not shown to operators; the reporter's words stand above.</p>`
  if (type === "compartment") return html`<p>Compartment ${id}.</p>`
  return NOTHING
}

const reportView = async (visit: Visit): Promise<Html | null> => {
  const { params, parts, form } = visit
  if (!/^[1-9]\d{0,14}$/.test(params["id"] ?? "")) return null
  const { service } = parts
  const report = await reportNumbered(service, Number(params["id"]))
  const { id, reason, text, status, outcome, note, created_at: created, target_type, target_id } = report
  const open = status === "open" || status === "reviewing"
  const [target, author, waiting] = await Promise.all([
    targetOf(visit, report),
    bounded(service.command("agent.inspect", report.about, null)),
    undecidedOn(service, target_type, target_id)
  ])
  return html`<h1>Report ${id}: ${reason}</h1>
<p><a href="${LIST}" data-back>All that waits</a> <span class="faint keys"><kbd>u</kbd> back, <kbd>d</kbd> decide</span></p>
<dl class="facts">
${fact("Status", outcome === null ? status : `${status}, ${outcome}`)}
${fact("Filed", html`${minute(created.toISOString())} by <a href="${agentPath(report.reporter)}">${report.reporter}</a>`)}
${fact("About", `${target_type} ${target_id}`)}
${note === null ? NOTHING : fact("Note", note)}
${waiting > 1 ? fact("Reports on it that wait", waiting) : NOTHING}
</dl>
${text === null ? NOTHING : html`<h2>The reporter's words</h2>\n${words(text)}`}
<section><h2>What it is about</h2>
${target}</section>
<section><h2>Who it is about</h2>
${standing(author)}</section>
${open ? html`<section><h2>Decide</h2>\n${status === "open" ? html`<div class="panel">${form(review, reviewFields(id))}</div>` : NOTHING}<div class="panel" data-decide>${form(resolve, resolveFields(id, waiting - 1))}</div></section>` : NOTHING}`
}

export const reportPage: ConsolePage = {
  path: `${LIST}/report/:id`,
  title: "Report",
  listed: false,
  who: "operator",
  script: "moderation",
  render: reportView,
  actions: [review, resolve]
}
