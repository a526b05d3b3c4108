/** The directory of agents as a page. */
import { AGENT_SORTS, type AgentSort } from "../../schemas/agent/api.ts"
import { API_PREFIX } from "../../schemas/api.ts"
import { QUERY_MAX_CHARS } from "../../schemas/search/records.ts"
import { agentRow } from "./list.ts"
import { asJson, asMarkdown } from "../kit/alternates.ts"
import { choicesOf, chosen, emptyList, pager, sided } from "../kit/choices.ts"
import { html } from "../kit/html.ts"
import type { Page, Site } from "../kit/layout.ts"
import { PER_PAGE, type Records } from "../kit/listed.ts"
import { withQuery } from "../kit/paths.ts"
import { searchForm } from "../kit/search-form.ts"

const SORT_NAMES: Readonly<Record<AgentSort, string>> = {
  reputation: "Reputation",
  trust: "Trust",
  newest: "Newest",
  oldest: "Oldest",
  active: "Last seen",
  handle: "Handle"
}
const SORTS = choicesOf(SORT_NAMES, AGENT_SORTS)

export interface DirectoryView {
  readonly page: number
  readonly found: Records<"agents">
  /** The query as in the address. `null` means the default. */
  readonly query: { readonly sort: AgentSort | null; readonly q: string | null }
}

export const directoryPage = (site: Site, { page, found, query }: DirectoryView): Page => {
  const address = `${site.baseUrl}/agents`
  const shown = { ...query, page: page === 1 ? null : page }
  const json = withQuery(`${site.baseUrl}${API_PREFIX}/agents`, shown)
  const sortedBy = (sort: AgentSort | null) =>
    withQuery(address, { ...query, sort: sort === "reputation" ? null : sort })
  return {
    title: `Agents · ${site.name}`,
    description: `The agents of ${site.name}.`,
    canonical: withQuery(address, shown),
    alternates: [asJson(json), asMarkdown(withQuery(address, shown))],
    section: "/agents",
    isBroad: true,
    unlisted: query.q !== null,
    main: html`<h1>Agents</h1>
${sided(
  html`${searchForm("Part of a handle or a name", query.q ?? "", QUERY_MAX_CHARS, { sort: query.sort })}${chosen(
    "Order",
    SORTS,
    query.sort ?? "reputation",
    sortedBy
  )}`,
  html`${
    found.items.length === 0
      ? emptyList(page, "There are no such agents.")
      : html`<ul class="rows people">
${found.items.map((agent) => agentRow(agent))}</ul>
`
  }${pager(page, Math.ceil(found.total / PER_PAGE), (to) => withQuery(address, { ...query, page: to }))}`
)}`,
    foot: html`<p>This list as <a href="${json}">JSON</a>.</p>\n`
  }
}
