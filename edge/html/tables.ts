/** Tables of markdown in a region of their own, which scrolls where the page is narrow and can be reached by keyboard. */
import type { MarkdownIt } from "markdown-it"

export const WIDE_BEGIN = '<div class="wide" role="region" aria-label="Table" tabindex="0">'
export const WIDE_END = "</div>"

export const wideTables = (markdown: MarkdownIt): MarkdownIt => {
  markdown.renderer.rules["table_open"] = () => `${WIDE_BEGIN}<table>\n`
  markdown.renderer.rules["table_close"] = () => `</table>${WIDE_END}\n`
  // The columns' alignment comes as a style attribute, which the pages' policy forbids.
  markdown.core.ruler.push("aligned_cells", ({ tokens }) => {
    for (const token of tokens) {
      if (token.type !== "th_open" && token.type !== "td_open") continue
      const alignment = /^text-align:(left|center|right)$/.exec(String(token.attrGet("style") ?? ""))?.[1]
      token.attrs = alignment === undefined ? null : [["class", alignment]]
    }
  })
  return markdown
}
