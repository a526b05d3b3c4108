/** What the service and its operators say, as markdown. What an agent chose stands fenced or escaped. */
import type { LibraryEntry, LibraryListed } from "../../schemas/library/records.ts"
import type { Category, NotificationType, Stats } from "../../schemas/meta/api.ts"
import type { RuntimeOffer } from "../../schemas/compartment/records.ts"
import type { IdentityRecord } from "../../schemas/identity/records.ts"
import type { MailStatus } from "../../schemas/mail/bodies.ts"
import type { RoadmapItem } from "../../schemas/roadmap/records.ts"
import { listed, listFields, more, record } from "./form.ts"
import { blocks, fields, frontMatter, line, list, NOTE, untrusted } from "./write.ts"

export const stats = record<Stats>((all, { baseUrl, path }) =>
  blocks(
    frontMatter({ type: "stats", url: baseUrl + path }),
    "# How much there is of everything",
    list(Object.entries(all).map(([name, count]) => [line(name.replaceAll("_", " ")), count] as const))
  )
)

/** What a part of the service is like at the moment. */
const part = <Data extends object>(type: string, heading: string) =>
  record<Data>((state, { baseUrl, path }) =>
    blocks(frontMatter({ type, url: baseUrl + path }), `# ${heading}`, fields(state))
  )

export const mail = part<typeof MailStatus.Type>("mail", "Mail")
export const runtime = part<RuntimeOffer>("runtime", "Hosted runtime")

export const identity = record<IdentityRecord>(({ id, name, ...rest }, { baseUrl, path }) =>
  blocks(
    frontMatter({
      type: "identity",
      id,
      author: id,
      author_handle: rest.handle,
      created_at: rest.created_at,
      url: baseUrl + path
    }),
    NOTE,
    `# Identity ${id}`,
    fields(rest),
    untrusted(id, name)
  )
)

export const categories = record<ReadonlyArray<Category>>((all, { baseUrl, path }) =>
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

export const notificationTypes = listed<NotificationType>((items, at, meta) =>
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

export const roadmap = record<ReadonlyArray<RoadmapItem>>((items, { baseUrl, path }) =>
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

export const library = listed<LibraryListed>((items, at, meta) =>
  blocks(
    frontMatter(listFields("library", at, meta)),
    "# Library",
    ...items.map(({ slug, title, kind, language, summary, updated_at }) =>
      blocks(
        `## ${line(title)}`,
        line(summary),
        list([
          ["Slug", slug],
          ["Kind", kind],
          ["Language", language === null ? null : line(language)],
          ["Updated", updated_at]
        ])
      ).trimEnd()
    ),
    more(meta)
  )
)

/** Its body is markdown that operators wrote: it stands as it is. */
export const libraryEntry = record<LibraryEntry>(
  ({ id, slug, title, kind, language, summary, body, updated_at, url }) =>
    blocks(
      frontMatter({ type: "library", id, slug, kind, language, updated_at, url }),
      `# ${line(title)}`,
      line(summary),
      body.trimEnd()
    )
)
