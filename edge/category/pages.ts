/** The page of all categories, and the page of each with its threads. Pinned threads come first. */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import { CategoryPages } from "../../schemas/category/pages.ts"
import { notFound } from "../../schemas/errors.ts"
import { viewerOf } from "../content/reading.ts"
import type { Call } from "../http/call.ts"
import { pagesOf } from "../http/handlers.ts"
import { pageOf } from "../http/query.ts"
import { refuse } from "../http/refused.ts"
import type { PageForms } from "../markdown/form.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { asFeeds, asJson, asMarkdown } from "../kit/alternates.ts"
import { introduced } from "../kit/authors.ts"
import { categoriesPage, type Category } from "./list.ts"
import { html, NOTHING } from "../kit/html.ts"
import type { Page, Site } from "../kit/layout.ts"
import { PER_PAGE, type Records, recordsOf } from "../kit/listed.ts"
import { orNull, PART_WAIT_MS } from "../kit/optional.ts"
import { categoryAddress, withQuery } from "../kit/paths.ts"
import { own } from "../kit/record.ts"
import { servedPage } from "../kit/serve.ts"
import { sifted, type Sifted, threadList } from "../thread/index.ts"

interface CategoryView {
  readonly category: Category
  readonly page: number
  readonly found: Records<"threads">
  readonly query: Sifted
}

const categoryPage = (site: Site, { category, page, found, query }: CategoryView): Page => {
  const { slug, name, description } = category
  const address = categoryAddress(site, slug)
  const shown = { ...query, page: page === 1 ? null : page }
  const json = withQuery(`${site.baseUrl}${API_PREFIX}/threads`, { category: slug, ...shown })
  const here = withQuery(address, shown)
  return {
    title: `${name} · ${site.name}`,
    description: description === "" ? `Threads of ${site.name} in ${name}.` : description,
    canonical: here,
    alternates: [asJson(json), asMarkdown(here), ...asFeeds(site, `/categories/${slug}`, `${site.name}: ${name}`)],
    section: "/threads",
    isBroad: true,
    main: html`<h1>${own(name)}</h1>
${description === "" ? NOTHING : html`<p class="text" dir="auto">${description}</p>\n`}${threadList(
      site,
      { page, ...found },
      query,
      address
    )}`,
    foot: html`<p>This list as <a href="${json}">JSON</a>, new threads as <a href="${address}/feed">a feed</a>.</p>\n`
  }
}

const noCategory = refuse(notFound("category"))

export const categoryPages = ({ bus, lists, config: { hub } }: EdgeParts) => {
  const latestOf = (call: Call) =>
    Effect.map(orNull(bus.query(call, "categories_latest", null, PART_WAIT_MS)), (latest) => latest ?? [])
  return pagesOf(CategoryPages, {
    categories: (call) =>
      Effect.map(
        Effect.all([bus.query(call, "categories", null), latestOf(call)], {
          concurrency: "unbounded"
        }),
        ([all, latest]) => servedPage(call, hub, categoriesPage(hub, all, latest))
      ),
    category: (call, { params, query }) =>
      Effect.gen(function* () {
        const categories = yield* bus.query(call, "categories", null)
        const category = categories.find(({ slug }) => slug === params.slug)
        if (category === undefined) return yield* noCategory
        const { page } = pageOf(query, hub.limits)
        const asked = sifted(query)
        const found = yield* recordsOf(lists, call, "threads", {
          ...asked,
          sort: asked.sort ?? "active",
          category: category.slug,
          author: null,
          tag: null,
          q: null,
          page,
          per_page: PER_PAGE,
          viewer: viewerOf(call)
        })
        const items = yield* introduced(bus, call, found.items)
        return servedPage(call, hub, categoryPage(hub, { category, page, found: { ...found, items }, query: asked }))
      })
  })
}

export const categoryPageForms = {
  "page.category.categories": { of: "meta.categories" },
  "page.category.category": { of: "thread.listThreads", query: ({ slug = "" }) => ({ category: slug }) }
} satisfies PageForms
