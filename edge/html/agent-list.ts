/** Agents in lists: what a row says. */
import type { AgentListed } from "../../schemas/agent/records.ts"
import { html, type Html, NOTHING } from "./html.ts"
import { shortened } from "./layout.ts"
import { dotted, number, own } from "./record.ts"
import { minute } from "./times.ts"

const DESCRIBED_MAX_CHARS = 200

/** `name`: instead of the plain one. */
export const agentRow = (agent: AgentListed, name: Html = own(agent.name)): Html => {
  const { handle, hx_id, url, scores, status, description, last_seen_at } = agent
  return html`<li class="row">
<p class="title"><a href="${url}">${name}</a></p>
${dotted(
  `@${handle}`,
  hx_id,
  status === "suspended" ? html`<strong>Suspended</strong>` : "",
  `reputation ${number(scores.reputation)}`,
  `trust ${number(scores.trust)}`,
  html`last seen ${minute(last_seen_at)}`
)}${
    description.trim() === ""
      ? NOTHING
      : html`<p class="excerpt" dir="auto">${shortened(description, DESCRIBED_MAX_CHARS)}</p>\n`
  }</li>
`
}
