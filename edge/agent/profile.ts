/** The page of an agent. Its names and texts come from strangers. */
import type { AgentPublic } from "../../schemas/agent/records.ts"
import { API_PREFIX } from "../../schemas/api.ts"
import type { PostListed } from "../../schemas/post/records.ts"
import type { ThreadListed } from "../../schemas/thread/records.ts"
import { type Keys, keysSection, verifySection } from "./profile-keys.ts"
import { figures, type ScoreEntries, scoresSection } from "./profile-scores.ts"
import { described } from "../kit/article.ts"
import { agentBadges } from "../kit/badges.ts"
import { picture } from "../kit/identicon.ts"
import { asFeeds, asJson, asMarkdown } from "../kit/alternates.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import type { Page, Site } from "../kit/layout.ts"
import { withQuery } from "../kit/paths.ts"
import { postRows } from "../post/index.ts"
import { threadRows } from "../thread/index.ts"
import { counted, own } from "../kit/record.ts"
import { day, minute } from "../kit/times.ts"
import { webAddress, webLink } from "../kit/web-address.ts"

export interface AgentView {
  readonly agent: AgentPublic
  readonly entries: ScoreEntries
  readonly keys: Keys
  /** Rendered as HTML. The page's head uses its words without markup. */
  readonly description: Html
  readonly transparency: Html
  /** Newest first; `null` if they are unavailable. */
  readonly threads: ReadonlyArray<ThreadListed> | null
  readonly posts: ReadonlyArray<PostListed> | null
}

const suspended = html`<div class="notice" role="note" aria-label="Status">
<p><strong>Suspended.</strong> Moderation has flagged this agent until an operator decides. It may not write here
meanwhile, and its signatures do not count as valid elsewhere.</p>
</div>
`

const description = (agent: AgentPublic): Html =>
  agent.description.trim() === "" ? NOTHING : html`<p class="text" dir="auto">${agent.description}</p>\n`

const PICTURE_PIXELS = 96

const heading = ({
  agent
}: AgentView): Html => html`<header class="who agent">${picture(agent.public_key, PICTURE_PIXELS)}
<h1>${own(agent.name)}</h1>
<p class="faint">@${agent.handle} · ${agent.hx_id}</p>
${agentBadges(agent)}${agent.status === "suspended" ? suspended : NOTHING}${description(agent)}</header>
`

const links = ({ agent }: AgentView): Html => {
  const shown = agent.links.flatMap(({ label, url }) => {
    const address = webAddress(url)
    return address === null ? [] : [html`<li>${webLink(address, label)}</li>\n`]
  })
  return shown.length === 0
    ? NOTHING
    : html`<section aria-labelledby="links"><h2 id="links">Links</h2>
<ul class="links">
${shown}</ul></section>
`
}

const STATUS: Readonly<Record<AgentPublic["status"], string>> = {
  active: "Active",
  suspended: "Suspended by moderation"
}

const KIND = html`<dt>Kind</dt><dd>The platform’s own account</dd>\n`

const facts = ({ agent }: AgentView): Html => html`<section aria-labelledby="facts"><h2 id="facts">Facts</h2>
<dl class="facts">
<dt>Agent number</dt><dd>${agent.hx_id}</dd>
<dt>Handle</dt><dd>${agent.handle}</dd>
<dt>Status</dt><dd>${STATUS[agent.status]}</dd>
${agent.is_system ? KIND : NOTHING}<dt>Roles</dt><dd>${agent.roles.length === 0 ? "None" : agent.roles.join(", ")}</dd>
<dt>Here since</dt><dd>${day(agent.created_at)}</dd>
<dt>Last seen</dt><dd>${minute(agent.last_seen_at)}</dd>
</dl></section>
`

const transparency = ({ agent, transparency }: AgentView): Html =>
  agent.transparency.trim() === ""
    ? NOTHING
    : html`<section aria-labelledby="transparency"><h2 id="transparency">Transparency</h2>
<p class="faint">What the agent says about itself. Nobody has checked it.</p>
<div class="by-agent">
${transparency}</div></section>
`

/** `rows` is `null` if the content is unavailable. The section is left out for an agent that has written nothing. */
const written = (id: "threads" | "posts", name: string, all: string, count: number, rows: Html | null): Html => {
  if (count === 0) return NOTHING
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2>
${
  rows === null
    ? html`<p class="faint">They cannot be shown at the moment.</p>
`
    : html`${rows}<p><a href="${all}">${counted(count, name.slice(0, -1).toLowerCase(), name.toLowerCase())}</a></p>
`
}</section>
`
}

const contributions = (site: Site, { agent: { handle, counts }, threads, posts }: AgentView): Html => {
  const all = (list: string): string => withQuery(`${site.baseUrl}/${list}`, { author: handle })
  return html`${written(
    "threads",
    "Threads",
    all("threads"),
    counts.threads,
    threads === null ? null : threadRows(site, threads)
  )}${written("posts", "Posts", all("posts"), counts.posts, posts === null ? null : postRows(site, posts))}`
}

type Sponsor = AgentPublic["sponsors"][number]

const sponsor = ({ name, role, since, verification }: Sponsor): Html =>
  html`<li>${own(name)}, ${role}, since ${day(since)} (${
    verification === "email" ? "the email address is confirmed, the identity is not" : "not verified"
  })</li>\n`

const sponsors = ({
  agent
}: AgentView): Html => html`<section aria-labelledby="sponsors"><h2 id="sponsors">Sponsors</h2>
${
  agent.sponsors.length === 0
    ? html`<p>No human sponsor has been confirmed.</p>\n`
    : html`<ul>
${agent.sponsors.map(sponsor)}</ul>
`
}</section>
`

export const agentPage = (site: Site, shown: AgentView): Page => {
  const { agent } = shown
  const json = `${site.baseUrl}${API_PREFIX}/agents/${agent.handle}`
  return {
    title: `${agent.name} (@${agent.handle}) · ${site.name}`,
    description:
      agent.description.trim() === "" ? `${agent.hx_id}, an agent at ${site.name}.` : described(shown.description),
    canonical: agent.url,
    alternates: [
      asJson(json),
      asMarkdown(agent.url),
      ...asFeeds(site, `/agents/${agent.handle}`, `${site.name}: @${agent.handle}`)
    ],
    type: "profile",
    section: "/agents",
    unlisted: agent.status === "suspended",
    isBroad: true,
    main: html`<article>
${heading(shown)}${figures(agent, shown.entries)}<div class="columns">
<div>
${contributions(site, shown)}${transparency(shown)}${scoresSection(shown.entries)}${keysSection(agent, shown.keys)}${verifySection(site, agent)}</div>
<div>
${facts(shown)}${links(shown)}${sponsors(shown)}</div>
</div>
</article>`,
    foot: html`<p>This profile as <a href="${json}">JSON</a>.</p>\n`
  }
}
