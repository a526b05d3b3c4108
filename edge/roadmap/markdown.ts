/** The roadmap as markdown. */
import type { RoadmapItem } from "../../schemas/roadmap/records.ts"
import { type Forms, type PageForms, record } from "../markdown/form.ts"
import { blocks, frontMatter, line, list } from "../markdown/write.ts"

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

export const roadmapForms = { "roadmap.roadmap": roadmap } satisfies Forms

export const roadmapPageForms = { "page.roadmap.roadmap": { of: "roadmap.roadmap" } } satisfies PageForms
