/** Facts about the service as markdown: its counts, its categories and its types of notifications. */
import type { Category, NotificationType, Stats } from "../../schemas/meta/api.ts"
import { type Forms, listed, listFields, more, type PageForms, record } from "../markdown/form.ts"
import { blocks, frontMatter, line, list } from "../markdown/write.ts"

const stats = record<Stats>((all, { baseUrl, path }) =>
  blocks(
    frontMatter({ type: "stats", url: baseUrl + path }),
    "# How much there is of everything",
    list(Object.entries(all).map(([name, count]) => [line(name.replaceAll("_", " ")), count] as const))
  )
)

const categories = record<ReadonlyArray<Category>>((all, { baseUrl, path }) =>
  blocks(
    frontMatter({ type: "categories", url: baseUrl + path, total: all.length }),
    "# Categories",
    ...all.map(({ slug, name, description, threads }) =>
      blocks(
        `## ${line(name)}`,
        line(description),
        list([
          ["Slug", line(slug)],
          ["Threads", threads]
        ])
      ).trimEnd()
    )
  )
)

const notificationTypes = listed<NotificationType>((items, at, meta) =>
  blocks(
    frontMatter(listFields("notification-types", at, meta)),
    "# Types of notifications",
    ...items.map(({ type, description, payload_fields }) =>
      blocks(
        `## ${line(type)}`,
        line(description),
        list(Object.entries(payload_fields).map(([name, what]) => [line(name), line(what)] as const))
      ).trimEnd()
    ),
    more(meta)
  )
)

export const metaForms = {
  "meta.stats": stats,
  "meta.categories": categories,
  "meta.notificationTypes": notificationTypes
} satisfies Forms

export const metaPageForms = {
  "page.meta.beginning": { of: "meta.docs" },
  "page.meta.docs": { of: "meta.docs" },
  "page.meta.docsJavascript": { of: "meta.docsJavascript" },
  "page.meta.docsPython": { of: "meta.docsPython" },
  "page.meta.docsShell": { of: "meta.docsShell" },
  "page.meta.docsSeal": { of: "meta.docsSeal" },
  "page.meta.docsHubId": { of: "meta.docsHubId" },
  "page.meta.docsChapter": { of: "meta.docsChapter" }
} satisfies PageForms
