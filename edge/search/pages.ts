/** The page of search results, with matches marked. */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import { SearchPages } from "../../schemas/search/pages.ts"
import { type Found, QUERY_MAX_CHARS, SEARCH_TYPES, type SearchType } from "../../schemas/search/records.ts"
import { viewerOf } from "../content/reading.ts"
import { pagesOf } from "../http/handlers.ts"
import { pageOf } from "../http/query.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { agentRow } from "../agent/index.ts"
import { postRow } from "../post/index.ts"
import { threadRow } from "../thread/index.ts"
import { asJson, asMarkdown } from "../kit/alternates.ts"
import type { MarkedTexts } from "../kit/article.ts"
import { introducing } from "../kit/authors.ts"
import { choicesOf, chosen, emptyList, pager } from "../kit/choices.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import type { Page, Site } from "../kit/layout.ts"
import { PER_PAGE, type Records, recordsOf } from "../kit/listed.ts"
import { withQuery } from "../kit/paths.ts"
import { counted } from "../kit/record.ts"
import { searchForm } from "../kit/search-form.ts"
import { servedPage } from "../kit/serve.ts"

const TYPE_NAMES: Readonly<Record<SearchType, string>> = { posts: "Posts", threads: "Threads", agents: "Agents" }
const TYPES = choicesOf(TYPE_NAMES, SEARCH_TYPES)

/** Precedes and follows a match in an excerpt (schemas/search/records.ts). */
const MARK = "**"

const marked = (excerpt: string): Html =>
  html`${excerpt.split(MARK).map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))}`

const WORDS = /([\p{L}\p{N}\p{M}]+)/u

/** The complete title with its matches marked. The excerpt may have only a part of it, and no asterisks. */
const markedTitle = (title: string, excerpt: string): Html => {
  const matched = new Set(excerpt.split(MARK).filter((_, index) => index % 2 === 1))
  return html`<bdi>${title.split(WORDS).map((part) => (matched.has(part) ? html`<mark>${part}</mark>` : part))}</bdi>`
}

const row = (site: Site, item: Found): Html => {
  if (item.type === "agent")
    return agentRow(item, item.match.field === "name" ? html`<bdi>${marked(item.match.excerpt)}</bdi>` : undefined)
  const { field, excerpt } = item.match
  const shown: MarkedTexts = {
    ...(field === "title" ? { title: markedTitle(item.title, excerpt) } : {}),
    ...(field === "body" ? { excerpt: marked(excerpt) } : {})
  }
  return item.type === "thread" ? threadRow(site, item, shown) : postRow(site, item, shown)
}

interface SearchView {
  readonly page: number
  /** The query as in the address. Without it, nothing is searched. */
  readonly q: string | null
  readonly type: SearchType
  readonly found: Records<"search">
}

const results = (site: Site, { page, q, type, found }: SearchView, address: string): Html => {
  if (q === null) return NOTHING
  const shownType = (of: SearchType | null): string | null => (of === "posts" ? null : of)
  return html`${chosen("Search in", TYPES, type, (of) => withQuery(address, { q, type: shownType(of) }))}${
    found.items.length === 0
      ? emptyList(page, "Nothing was found.")
      : html`<p class="faint">${counted(found.total, "result", "results")}, the most relevant first.</p>
<ul class="rows">
${found.items.map((item) => row(site, item))}</ul>
`
  }${pager(page, Math.ceil(found.total / PER_PAGE), (to) => withQuery(address, { q, type: shownType(type), page: to }))}`
}

const searchPage = (site: Site, shown: SearchView): Page => {
  const { page, q, type } = shown
  const address = `${site.baseUrl}/search`
  const query = { q, type: type === "posts" ? null : type, page: page === 1 ? null : page }
  const json = withQuery(`${site.baseUrl}${API_PREFIX}/search`, query)
  return {
    title: q === null ? `Search · ${site.name}` : `${q} · Search · ${site.name}`,
    description: `Search in posts, threads and agents of ${site.name}.`,
    canonical: withQuery(address, query),
    alternates: [asJson(json), asMarkdown(withQuery(address, query))],
    section: "/search",
    unlisted: q !== null,
    main: html`<h1>Search</h1>
${searchForm("Words, “a phrase”, or, -without", q ?? "", QUERY_MAX_CHARS, { type: query.type })}${results(
      site,
      shown,
      address
    )}`,
    foot: html`<p>This search as <a href="${json}">JSON</a>.</p>\n`
  }
}

const NONE: Records<"search"> = { total: 0, items: [] }

export const searchPages = ({ bus, lists, config: { hub } }: EdgeParts) =>
  pagesOf(SearchPages, {
    search: (call, { query }) =>
      Effect.gen(function* () {
        const { page } = pageOf(query, hub.limits)
        const { q = null, type = "posts" } = query
        const wanted = { page, per_page: PER_PAGE, q: q ?? "", type, viewer: viewerOf(call) }
        const found = q === null ? NONE : yield* recordsOf(lists, call, "search", wanted)
        const authored = found.items.filter((item) => item.type !== "agent")
        const introduce = yield* introducing(bus, call, authored)
        const items = found.items.map((item) => (item.type === "agent" ? item : introduce(item)))
        return servedPage(call, hub, searchPage(hub, { page, q, type, found: { ...found, items } }))
      })
  })
