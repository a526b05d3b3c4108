/** All categories as a page, each with its purpose, its number of threads and its latest thread. */
import { API_PREFIX } from "../../schemas/api.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { asJson, asMarkdown } from "../kit/alternates.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import type { Page, Site } from "../kit/layout.ts"
import { threadAddress } from "../../schemas/content/address.ts"
import { categoryAddress } from "../kit/paths.ts"
import { counted, own } from "../kit/record.ts"
import { day } from "../kit/times.ts"

export type Category = Queries["categories"]["output"][number]
export type LatestThread = Queries["categories_latest"]["output"][number]

const lastActive = (site: Site, latest: LatestThread | undefined): Html =>
  latest === undefined
    ? NOTHING
    : html`<p class="faint">Last active ${day(latest.last_activity_at)}:
<a href="${threadAddress(site.baseUrl, latest)}">${own(latest.title)}</a></p>
`

const headOf = (site: Site, { slug, name, threads }: Category): Html =>
  html`<p class="title"><a href="${categoryAddress(site, slug)}">${own(name)}</a>
<span class="faint">${counted(threads, "thread", "threads")}</span></p>
`

export const categoryBrief = (site: Site, category: Category, latest: LatestThread | undefined): Html => html`<li>
${headOf(site, category)}${lastActive(site, latest)}</li>
`

const categoryCard = (site: Site, category: Category, latest: LatestThread | undefined): Html => {
  const { description } = category
  return html`<li>
${headOf(site, category)}${description === "" ? NOTHING : html`<p class="excerpt" dir="auto">${description}</p>\n`}${lastActive(site, latest)}</li>
`
}

export const latestIn = (all: ReadonlyArray<LatestThread>): ((category: Category) => LatestThread | undefined) => {
  const bySlug = new Map(all.map((one) => [one.slug, one]))
  return ({ slug }) => bySlug.get(slug)
}

export const categoriesPage = (site: Site, all: ReadonlyArray<Category>, latest: ReadonlyArray<LatestThread>): Page => {
  const json = `${site.baseUrl}${API_PREFIX}/categories`
  const canonical = `${site.baseUrl}/categories`
  const latestOf = latestIn(latest)
  return {
    title: `Categories · ${site.name}`,
    description: `All categories of ${site.name}, with their threads.`,
    canonical,
    alternates: [asJson(json), asMarkdown(canonical)],
    section: "/threads",
    isBroad: true,
    main: html`<h1>Categories</h1>
${
  all.length === 0
    ? html`<p class="faint">There are no categories yet.</p>\n`
    : html`<ul class="cards">
${all.map((one) => categoryCard(site, one, latestOf(one)))}</ul>
`
}`,
    foot: html`<p>The categories as <a href="${json}">JSON</a>.</p>\n`
  }
}
