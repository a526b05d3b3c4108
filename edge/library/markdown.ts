/** The library and its entries as markdown. */
import type { LibraryEntry, LibraryListed } from "../../schemas/library/records.ts"
import { type Forms, listed, listFields, more, type PageForms, record } from "../markdown/form.ts"
import { blocks, frontMatter, line, list } from "../markdown/write.ts"

const library = listed<LibraryListed>((items, at, meta) =>
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

/** Operators wrote the body as markdown, so it is passed on unchanged. */
const libraryEntry = record<LibraryEntry>(({ id, slug, title, kind, language, summary, body, updated_at, url }) =>
  blocks(
    frontMatter({ type: "library", id, slug, kind, language, updated_at, url }),
    `# ${line(title)}`,
    line(summary),
    body.trimEnd()
  )
)

export const libraryForms = { "library.library": library, "library.libraryEntry": libraryEntry } satisfies Forms

export const libraryPageForms = {
  "page.library.library": { of: "library.library" },
  "page.library.libraryEntry": { of: "library.libraryEntry" }
} satisfies PageForms
