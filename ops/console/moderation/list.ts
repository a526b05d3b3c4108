/** The list of everything that waits for moderators: reports, appeals, and hidden content. */
import { html, type Html, NOTHING } from "../../../edge/kit/html.ts"
import { minute } from "../../../edge/kit/times.ts"
import { openAppeals } from "../../moderation/appeals.ts"
import { reportsIn, UNDECIDED } from "../../moderation/reports.ts"
import { bounded } from "../../status/cluster.ts"
import type { ConsolePage, Visit } from "../page.ts"
import { agentPath, contentPath, LIST, reportPath } from "./parts.ts"
import { hiddenItems } from "./target.ts"

const PAGE = 50
const HIDDEN_MAX = 20

const KEYS = html`<p class="faint keys"><kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>o</kbd> open</p>`

const item = (path: string, title: Html | string, rest: Html): Html =>
  html`<li class="row" data-item><p class="title"><a href="${path}">${title}</a></p>${rest}</li>\n`

const listOf = (id: string, title: string, items: ReadonlyArray<Html>, none: string): Html =>
  html`<section><h2 id="${id}">${title}</h2>
${items.length === 0 ? html`<p class="faint">${none}</p>` : html`<ul class="rows panel" aria-labelledby="${id}">${items}</ul>`}
</section>
`

const reportItem = (one: Awaited<ReturnType<typeof reportsIn>>[number]): Html =>
  item(
    reportPath(one.id),
    html`Report ${one.id}: ${one.reason}, ${one.target_type} ${one.target_type === "agent" ? `@${one.about}` : one.target_id}`,
    html`<p class="faint">${one.status}, by @${one.reporter} about @${one.about}, ${minute(one.created_at.toISOString())}</p>
${one.text === null ? NOTHING : html`<p>${one.text}</p>`}`
  )

const listView = async ({ parts: { service }, query }: Visit): Promise<Html> => {
  const after = /^\d{1,15}$/.test(query.get("after") ?? "") ? Number(query.get("after")) : 0
  const [reports, appeals, hidden] = await Promise.all([
    reportsIn(service, UNDECIDED, { after, max: PAGE + 1 }),
    bounded(openAppeals(service)),
    hiddenItems(service.db, HIDDEN_MAX)
  ])
  const page = reports.slice(0, PAGE)
  const next =
    reports.length > PAGE
      ? html`<p><a href="${`${LIST}?after=${page.at(-1)?.id ?? ""}`}">Further reports</a></p>\n`
      : NOTHING
  return html`<h1>Moderation</h1>
${KEYS}
${listOf("reports", "Reports", page.map(reportItem), "No report waits.")}${next}${listOf(
    "appeals",
    "Appeals",
    (appeals ?? []).map(({ id, handle, appeal }) =>
      item(
        agentPath(id),
        html`@${handle} appeals`,
        html`<p class="faint">${appeal === null ? NOTHING : minute(appeal.created_at)}</p><p>${appeal?.text ?? ""}</p>`
      )
    ),
    appeals === null ? "The suspended agents cannot be asked at the moment." : "No appeal waits."
  )}${listOf(
    "hidden",
    "Hidden",
    hidden.map(({ noun, id, reason, text }) =>
      item(contentPath(noun, id), html`${noun} ${id}`, html`<p class="faint">${reason}</p><p>${text}</p>`)
    ),
    "Nothing is hidden."
  )}`
}

export const moderationPage: ConsolePage = {
  path: LIST,
  title: "Moderation",
  listed: true,
  who: "operator",
  script: "moderation",
  render: listView
}
