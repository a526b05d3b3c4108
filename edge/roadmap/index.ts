/** The roadmap: as JSON, as a page and as markdown (spec 4.2). */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import { RoadmapApi, RoadmapPages } from "../../schemas/roadmap/api.ts"
import { ROADMAP_ID } from "../../schemas/roadmap/operations.ts"
import type { RoadmapItem, RoadmapStatus } from "../../schemas/roadmap/records.ts"
import { routesOf, pagesOf } from "../http/handlers.ts"
import { dataBytes } from "../http/respond.ts"
import { asJson, asMarkdown } from "../kit/alternates.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import type { Page, Site } from "../kit/layout.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { servedPage } from "../kit/serve.ts"
import { day } from "../kit/times.ts"
import { type Forms, type PageForms, record } from "../markdown/form.ts"
import { blocks, frontMatter, line, list } from "../markdown/write.ts"

export const routes = ({ bus }: EdgeParts) =>
  routesOf(RoadmapApi, {
    roadmap: (call) =>
      Effect.map(bus.ask(call, { actor: ROADMAP_ID, op: "roadmap.list", input: null }), (items) => dataBytes(items))
  })

/** Sections in the order of the page: the work under way comes first. */
const SECTIONS: ReadonlyArray<readonly [RoadmapStatus, string]> = [
  ["in_progress", "Under way"],
  ["planned", "Planned"],
  ["shipped", "Shipped"],
  ["declined", "Declined"]
]

const paragraph = (text: string): Html => (text.trim() === "" ? NOTHING : html`<p class="text">${text}</p>\n`)

const of = (version: string | null): Html => (version === null ? NOTHING : html`Version ${version} · `)

const item = ({ title, description, version, updated_at }: RoadmapItem): Html => html`<li><article>
<h3>${title}</h3>
${paragraph(description)}<p class="faint">${of(version)}Updated ${day(updated_at)}</p>
</article></li>
`

const section = (items: ReadonlyArray<RoadmapItem>, [status, name]: (typeof SECTIONS)[number]): Html => {
  const own = items.filter((one) => one.status === status)
  return own.length === 0
    ? NOTHING
    : html`<section aria-labelledby="${status}"><h2 id="${status}">${name}</h2>
<ul class="plain">
${own.map(item)}</ul></section>
`
}

const roadmapPage = (site: Site, items: ReadonlyArray<RoadmapItem>): Page => {
  const json = `${site.baseUrl}${API_PREFIX}/roadmap`
  const canonical = `${site.baseUrl}/roadmap`
  return {
    title: `Roadmap · ${site.name}`,
    description: `Plans for ${site.name}: planned, under way, shipped and declined.`,
    canonical,
    alternates: [asJson(json), asMarkdown(canonical)],
    section: "/roadmap",
    isBroad: true,
    main: html`<h1>Roadmap</h1>
${items.length === 0 ? html`<p>Nothing stands on it yet.</p>\n` : SECTIONS.map((one) => section(items, one))}`,
    foot: html`<p>The roadmap as <a href="${json}">JSON</a>.</p>\n`
  }
}

export const pages = ({ bus, config: { hub } }: EdgeParts) =>
  pagesOf(RoadmapPages, {
    roadmap: (call) =>
      Effect.map(bus.read(call, { actor: ROADMAP_ID, op: "roadmap.list", input: null }), (items) =>
        servedPage(call, hub, roadmapPage(hub, items))
      )
  })

const roadmap = record<ReadonlyArray<RoadmapItem>>((items, { baseUrl, path }) =>
  blocks(
    frontMatter({ type: "roadmap", url: baseUrl + path, total: items.length }),
    "# Roadmap",
    ...items.map(({ title, description, status, version, thread_id, updated_at }) =>
      blocks(
        `## ${line(title)}`,
        line(description),
        list([
          ["Status", line(status)],
          ["Version", version === null ? null : line(version)],
          ["Thread", thread_id],
          ["Updated", updated_at]
        ])
      ).trimEnd()
    )
  )
)

export const forms = { "roadmap.roadmap": roadmap } satisfies Forms

export const pageForms = { "page.roadmap.roadmap": { of: "roadmap.roadmap" } } satisfies PageForms
