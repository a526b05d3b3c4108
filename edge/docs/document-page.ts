/** A document of the service as a page. */
import Markdown, { type MarkdownIt } from "markdown-it"
import { HTML_TYPE } from "../../schemas/page.ts"
import { type Document, documentOf } from "../http/documents.ts"
import { markup } from "../kit/html.ts"
import { pageHeaders, publicPageText, type Site } from "../kit/layout.ts"
import { wideTables } from "../kit/tables.ts"
import { slugOf } from "./chapters.ts"

const ERRORS = "errors"

const anchors = (markdown: MarkdownIt): MarkdownIt => {
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

/** Raw HTML in the source is shown as text. */
const markdown = anchors(wideTables(new Markdown({ html: false, linkify: false, typographer: false })))

/** Scrolling parts must be reachable by keyboard. */
const accessible = (text: string): string => text.replaceAll("<pre>", '<pre tabindex="0">')

export const pageOfMarkdown = (site: Site, title: string, description: string, source: string): Document =>
  documentOf(
    publicPageText(site, { title, description, section: "/docs", main: markup(accessible(markdown.render(source))) }),
    HTML_TYPE,
    pageHeaders
  )
