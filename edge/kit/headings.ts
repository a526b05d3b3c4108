/** Headings of a text that becomes part of a page: below the page's own, with no level skipped. */
import type { MarkdownIt } from "markdown-it"

const LAST_LEVEL = 6

/** Sets the level of each heading: one below the last heading of a higher level. */
export const placedHeadings = (markdown: MarkdownIt, firstLevel: number): MarkdownIt => {
  markdown.core.ruler.push("placed_headings", ({ tokens }) => {
    const above: Array<number> = []
    for (const token of tokens) {
      if (token.type !== "heading_open" && token.type !== "heading_close") continue
      const level = Number(token.tag.slice(1))
      while ((above.at(-1) ?? 0) >= level) above.pop()
      token.tag = `h${Math.min(LAST_LEVEL, firstLevel + above.length)}`
      above.push(level)
    }
  })
  return markdown
}
