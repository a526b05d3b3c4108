/** Rows of agents in lists. */
import type { AgentListed } from "../../schemas/agent/records.ts"
import { agentBadges } from "../kit/badges.ts"
import { picture } from "../kit/identicon.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { shortened } from "../kit/layout.ts"
import { dotted, number, own } from "../kit/record.ts"
import { day, minute } from "../kit/times.ts"

const DESCRIBED_MAX_CHARS = 200
const ROW_PIXELS = 48
const BRIEF_PIXELS = 36

/** `name`: shown in place of the plain name, for example with a search's match marked. */
export const agentRow = (agent: AgentListed, name: Html = own(agent.name)): Html => {
  const { handle, hx_id, url, scores, description, last_seen_at, public_key } = agent
  return html`<li class="row agent">${picture(public_key, ROW_PIXELS)}
<p class="title"><a href="${url}">${name}</a></p>
${agentBadges(agent)}${dotted(
    `@${handle}`,
    hx_id,
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

export const agentBrief = ({ handle, name, url, created_at, public_key }: AgentListed): Html =>
  html`<li class="agent">${picture(public_key, BRIEF_PIXELS)}
<p class="title"><a href="${url}">${own(name)}</a></p>
${dotted(`@${handle}`, html`since ${day(created_at)}`)}</li>
`
