/**
 * Renders the markdown of the library's entries, which operators wrote.
 *
 * Invariants
 *  - It is passive. HTML in it is text, images become their description, and links cannot run scripts.
 *  - Its headings are below the page's own. The size of its tables is bounded.
 *  - Each version of an entry is rendered once while it is in use, because a long one takes a tenth of a second.
 */
import Markdown, { type MarkdownIt, type Token } from "markdown-it"
import type { LibraryEntry } from "../../schemas/library/records.ts"
import { GenerationCache } from "../http/generation-cache.ts"
import { placedHeadings } from "../kit/headings.ts"
import { highlighted } from "./highlight.ts"
import { escape, html, type Html, markup, NOTHING } from "../kit/html.ts"
import { boundedTables, cellsOfText, wideTables } from "../kit/tables.ts"

/** The number of cached entries. Up to twice as many may be held. */
const KEPT_MAX = 32
const NESTING_MAX = 40
const TABLE_CELLS_MAX = 2_000
const EMPTY = { info: "", content: "" }
/** The page's own heading is of level 1. */
const FIRST_LEVEL = 2

/** A code block such as ```` ```ts signed.mts ````: the language, and a file name to save it. */
const code = ({ info, content }: Pick<Token, "info" | "content">): Html => {
  const [language = "", name] = info.trim().split(/\s+/)
  const named = name === undefined ? NOTHING : html`<p class="faint">${name}</p>\n`
  // Scrolling parts must be reachable by keyboard.
  return html`${named}<pre tabindex="0"><code>${highlighted(content, language)}</code></pre>\n`
}

const renderer = (): MarkdownIt => {
  const markdown = new Markdown({ html: false, linkify: false, typographer: false, maxNesting: NESTING_MAX })
  placedHeadings(boundedTables(wideTables(markdown)), FIRST_LEVEL)
  const { rules } = markdown.renderer
  rules["image"] = (tokens, index) => escape(tokens[index]?.content ?? "")
  rules["fence"] = (tokens, index) => code(tokens[index] ?? EMPTY).text
  rules["code_block"] = rules["fence"]
  return markdown
}

export class LibraryMarkdown {
  private readonly markdown = renderer()
  private readonly kept = new GenerationCache<string, Html>(KEPT_MAX)

  render({ id, updated_at, body }: Pick<LibraryEntry, "id" | "updated_at" | "body">): Html {
    const key = `${id} ${updated_at}`
    const known = this.kept.get(key)
    if (known !== undefined) return known
    const shown = markup(this.markdown.render(body, cellsOfText(TABLE_CELLS_MAX)))
    this.kept.set(key, shown)
    return shown
  }
}
