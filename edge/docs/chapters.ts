/** Chapters of the reference. Each second-level heading begins one, and each is served as a document of its own. */

export interface Chapter {
  readonly slug: string
  readonly title: string
  /** The text without the heading. */
  readonly text: string
}

/** The anchor of a heading, and the last part of a chapter's address. */
export const slugOf = (title: string): string => title.toLowerCase().replaceAll(" ", "-")

const HEADING = /^## (.+)$/m

/** Text before the first heading is part of the whole document only. */
export const chaptersOf = (reference: string): ReadonlyArray<Chapter> => {
  const [, ...parts] = reference.split(HEADING)
  return Array.from({ length: parts.length / 2 }, (_, index) => {
    const title = (parts[2 * index] ?? "").trim()
    return { slug: slugOf(title), title, text: (parts[2 * index + 1] ?? "").trim() }
  })
}

/** One row for each chapter: its anchor in the whole document, and its address. */
export const contentsTable = (reference: string, docsUrl: string): string => {
  const rows = chaptersOf(reference).map(
    ({ slug, title }) => `| [${title}](#${slug}) | [/docs/${slug}](${docsUrl}/${slug}) |`
  )
  return ["| Chapter | On its own |", "|---|---|", ...rows].join("\n")
}

const ANCHOR = /\]\(#([\w-]+)\)/g

/** A chapter as a document. Anchors of chapters become the chapters' addresses. */
export const aloneText = (chapters: ReadonlyArray<Chapter>, at: number, docsUrl: string): string => {
  const link = (name: string, chapter: Chapter | undefined) =>
    chapter === undefined ? [] : [`${name}: [${chapter.title}](${docsUrl}/${chapter.slug})`]
  const { title, text } = chapters[at] ?? { title: "", text: "" }
  const alone = text.replaceAll(ANCHOR, (_, slug: string) => `](${docsUrl}/${slug})`)
  const ways = [
    ...link("Previous", chapters[at - 1]),
    ...link("Next", chapters[at + 1]),
    `[The whole document](${docsUrl})`
  ]
  return `# ${title}\n\n${alone}\n\n${ways.join(" · ")}\n`
}
