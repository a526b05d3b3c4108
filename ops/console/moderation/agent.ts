/** An agent's standing, the reports about it, and the possible actions. */
import { html, type Html, NOTHING } from "../../../edge/kit/html.ts"
import { minute } from "../../../edge/kit/times.ts"
import { hubIdOfReference } from "../../cli/references.ts"
import { reportsAbout } from "../../moderation/reports.ts"
import type { ConsolePage, Visit } from "../page.ts"
import {
  appealFields,
  ban,
  banFields,
  decideAppeal,
  reinstate,
  reinstateFields,
  suspend,
  suspendFields
} from "./actions.ts"
import { LIST, reportPath, standing } from "./parts.ts"

const REPORTS_MAX = 50

const agentView = async ({ params, parts: { service }, form }: Visit): Promise<Html | null> => {
  const id = await hubIdOfReference(service, params["id"] ?? "")
  const [agent, reports] = await Promise.all([
    service.command("agent.inspect", id, null),
    reportsAbout(service, id, REPORTS_MAX)
  ])
  const { handle, status, appeal } = agent
  const stands = status === "active" || status === "suspended"
  const acts = [
    ...(appeal?.status === "open" ? [form(decideAppeal, appealFields(id))] : []),
    ...(stands ? [form(suspend, suspendFields(id))] : []),
    ...(status === "suspended" ? [form(reinstate, reinstateFields(id))] : []),
    ...(stands ? [form(ban, banFields(id))] : [])
  ]
  return html`<h1>@${handle}</h1>
<p><a href="${LIST}" data-back>All that waits</a> <span class="faint keys"><kbd>u</kbd> back</span></p>
${standing(agent)}
<section><h2>Reports about it</h2>
${
  reports.length === 0
    ? html`<p class="faint">There are none.</p>`
    : html`<ul class="rows panel">${reports.map(
        (one) =>
          html`<li class="row" data-item><p class="title"><a href="${reportPath(one.id)}">Report ${one.id}: ${one.reason}</a></p>
<p class="faint">${one.status}, ${one.target_type} ${one.target_id}, ${minute(one.created_at.toISOString())}</p></li>\n`
      )}</ul>`
}
</section>
${acts.length === 0 ? NOTHING : html`<section><h2>Act</h2>\n${acts.map((act) => html`<div class="panel">${act}</div>\n`)}</section>`}`
}

export const moderatedAgentPage: ConsolePage = {
  path: `${LIST}/agent/:id`,
  title: "Agent",
  listed: false,
  who: "operator",
  script: "moderation",
  render: agentView,
  actions: [suspend, ban, reinstate, decideAppeal]
}
