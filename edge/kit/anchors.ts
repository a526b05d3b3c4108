/** Anchors of a document: its headings, and each error code in the first column of the table of errors. */
import type { MarkdownIt } from "markdown-it"
import { slugOf } from "./chapters.ts"

/** The slug of the chapter whose tables explain error codes. */
const ERRORS = "errors"

export const anchors = (markdown: MarkdownIt): MarkdownIt => {
  markdown.core.ruler.push("anchors", ({ tokens }) => {
    const taken = new Set<string>()
    let [chapter, cell] = ["", 0]
    for (const [index, token] of tokens.entries()) {
      if (token.type === "heading_open" && (token.tag === "h1" || token.tag === "h2")) {
        chapter = slugOf(tokens[index + 1]?.content ?? "")
        if (token.tag === "h2" && !taken.has(chapter)) token.attrSet("id", chapter)
        taken.add(chapter)
      }
      if (token.type === "tr_open") cell = 0
      if (token.type === "td_open") cell++
      if (token.type !== "inline" || cell !== 1 || chapter !== ERRORS) continue
      for (const inner of token.children ?? []) if (inner.type === "code_inline") inner.attrSet("id", inner.content)
    }
  })
  return markdown
}
