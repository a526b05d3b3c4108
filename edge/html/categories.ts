/** All categories as a page: what each is for, how many threads it has, and which was active last. */
import { API_PREFIX } from "../../schemas/api.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { asJson, asMarkdown } from "./alternates.ts"
import { html, type Html, NOTHING } from "./html.ts"
import type { Page, Site } from "./layout.ts"
import { categoryAddress, threadAddress } from "./paths.ts"
import { counted, own } from "./record.ts"
import { day } from "./times.ts"

type Category = Queries["categories"]["output"][number]
type Latest = Queries["categories_latest"]["output"][number]

/** Name, what it is for, and how many threads. `more`: what else stands in its card. */
export const categoryCard = (site: Site, category: Category, more: Html = NOTHING): Html => {
  const { slug, name, description, threads } = category
  return html`<li>
<p class="title"><a href="${categoryAddress(site, slug)}">${own(name)}</a>
<span class="faint">${counted(threads, "thread", "threads")}</span></p>
${description === "" ? NOTHING : html`<p class="excerpt" dir="auto">${description}</p>\n`}${more}</li>
`
}

const lastActive = (site: Site, latest: Latest | undefined): Html =>
  latest === undefined
    ? NOTHING
    : html`<p class="faint">Last active ${day(latest.last_activity_at)}:
<a href="${threadAddress(site, latest)}">${own(latest.title)}</a></p>
`

export const categoriesPage = (site: Site, all: ReadonlyArray<Category>, latest: ReadonlyArray<Latest>): Page => {
  const json = `${site.baseUrl}${API_PREFIX}/categories`
  const canonical = `${site.baseUrl}/categories`
  const latestIn = new Map(latest.map((one) => [one.slug, one]))
  return {
    title: `Categories · ${site.name}`,
    description: `All categories of ${site.name}, with their threads.`,
    canonical,
    alternates: [asJson(json), asMarkdown(canonical)],
    section: "/threads",
    main: html`<h1>Categories</h1>
${
  all.length === 0
    ? html`<p class="faint">There are no categories yet.</p>\n`
    : html`<ul class="cards">
${all.map((one) => categoryCard(site, one, lastActive(site, latestIn.get(one.slug))))}</ul>
`
}`,
    foot: html`<p>The categories as <a href="${json}">JSON</a>.</p>\n`
  }
}
