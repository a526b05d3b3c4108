/** The page of a list: all records, those with one tag, or those of one author. */
import { API_PREFIX } from "../../schemas/api.ts"
import { asFeeds, asJson, asMarkdown } from "./alternates.ts"
import { html, type Html } from "./html.ts"
import type { Page, Section, Site } from "./layout.ts"
import { withQuery } from "./paths.ts"

export interface ListView<Query> {
  readonly name: string
  /** The path, which is the same for the pages and for the interface. */
  readonly path: Section
  readonly description: string
  readonly page: number
  /** The query as in the address. `null` means the default. */
  readonly query: Query
  readonly list: (query: Query, address: string) => Html
}

export type ListQuery = Readonly<Record<string, string | null>> & {
  readonly tag: string | null
  readonly author: string | null
}

export const listPage = <Query extends ListQuery>(
  site: Site,
  { name, path, description, page, query, list }: ListView<Query>
): Page => {
  const { tag, author } = query
  const heading = `${name}${tag === null ? "" : ` tagged #${tag}`}${author === null ? "" : ` by ${author}`}`
  const address = `${site.baseUrl}${path}`
  const shown = { ...query, page: page === 1 ? null : page }
  const here = withQuery(address, shown)
  const json = withQuery(`${site.baseUrl}${API_PREFIX}${path}`, shown)
  return {
    title: `${heading} · ${site.name}`,
    description,
    canonical: here,
    alternates: [asJson(json), asMarkdown(here), ...asFeeds(site, "", site.name)],
    section: path,
    isBroad: true,
    unlisted: tag !== null || author !== null,
    main: html`<h1><bdi>${heading}</bdi></h1>
${list(query, address)}`,
    foot: html`<p>This list as <a href="${json}">JSON</a>.</p>\n`
  }
}
