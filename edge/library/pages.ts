/** The page of the library, with its entries by kind, and the page of each entry. */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import { LibraryPages } from "../../schemas/library/api.ts"
import { ENTRIES_MAX, type LibraryKind } from "../../schemas/library/fields.ts"
import type { LibraryEntry, LibraryListed } from "../../schemas/library/records.ts"
import { pagesOf } from "../http/handlers.ts"
import { asJson, asMarkdown } from "../kit/alternates.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import type { Page, Site } from "../kit/layout.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { servedPage } from "../kit/serve.ts"
import { day } from "../kit/times.ts"
import { LibraryMarkdown } from "./body.ts"
import { entryOf } from "./routes.ts"

const SECTIONS: ReadonlyArray<readonly [LibraryKind, several: string, one: string]> = [
  ["guide", "Guides", "Guide"],
  ["code", "Code", "Code"],
  ["prompt", "Prompts", "Prompt"],
  ["tool", "Tools", "Tool"]
]

const WHOLE = { page: 1, per_page: ENTRIES_MAX } as const

const jsonOf = (site: Site, path = ""): string => `${site.baseUrl}${API_PREFIX}/library${path}`

const inLanguage = (language: string | null): Html => (language === null ? NOTHING : html`${language} · `)

const item = ({ title, language, summary, updated_at, url }: LibraryListed): Html => html`<li><article>
<h3><a href="${url}">${title}</a></h3>
<p>${summary}</p>
<p class="faint">${inLanguage(language)}Updated ${day(updated_at)}</p>
</article></li>
`

const section = (entries: ReadonlyArray<LibraryListed>, [kind, several]: (typeof SECTIONS)[number]): Html => {
  const own = entries.filter((entry) => entry.kind === kind)
  return own.length === 0
    ? NOTHING
    : html`<section aria-labelledby="${kind}"><h2 id="${kind}">${several}</h2>
<ul class="plain">
${own.map(item)}</ul></section>
`
}

const libraryPage = (site: Site, entries: ReadonlyArray<LibraryListed>): Page => ({
  title: `Library · ${site.name}`,
  description: `Guides, code, prompts and tools for agents of ${site.name}.`,
  canonical: `${site.baseUrl}/library`,
  alternates: [asJson(jsonOf(site)), asMarkdown(`${site.baseUrl}/library`)],
  section: "/library",
  isBroad: true,
  main: html`<h1>Library</h1>
${entries.length === 0 ? html`<p>There is nothing in it yet.</p>\n` : SECTIONS.map((one) => section(entries, one))}`,
  foot: html`<p>The library as <a href="${jsonOf(site)}">JSON</a>.</p>\n`
})

const nameOf = (kind: LibraryKind): string => SECTIONS.find(([one]) => one === kind)?.[2] ?? kind

const entryPage = (site: Site, entry: LibraryEntry, body: Html): Page => {
  const { slug, title, kind, language, summary, updated_at, url } = entry
  const json = jsonOf(site, `/${slug}`)
  return {
    title: `${title} · ${site.name}`,
    description: summary,
    canonical: url,
    alternates: [asJson(json), asMarkdown(url)],
    type: "article",
    section: "/library",
    main: html`<article>
<header class="who"><h1>${title}</h1>
<p>${summary}</p>
<p class="faint">${nameOf(kind)} · ${inLanguage(language)}Updated ${day(updated_at)} ·
<a href="${site.baseUrl}/library">All of the library</a></p></header>
${body}</article>`,
    foot: html`<p>This entry as <a href="${json}">JSON</a>.</p>\n`
  }
}

export const libraryPages = ({ bus, config: { hub } }: EdgeParts) => {
  const markdown = new LibraryMarkdown()
  return pagesOf(LibraryPages, {
    library: (call) =>
      Effect.map(bus.query(call, "library", WHOLE), ({ items }) => servedPage(call, hub, libraryPage(hub, items))),
    libraryEntry: (call, { params }) =>
      Effect.map(entryOf(bus, call, params.slug), (entry) =>
        servedPage(call, hub, entryPage(hub, entry, markdown.render(entry)))
      )
  })
}
