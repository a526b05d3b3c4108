/**
 * Texts of agents on one page.
 *
 * Invariants
 *  - One after the other, and between two of them the process does whatever else there is to do: none holds it up for
 *    longer than `AgentMarkdown` lets one text.
 *  - Together they become no more than `PAGE_HTML_MAX_CHARS`. What would be more is not laid out: its beginning is
 *    shown as it was written, with a link to the whole at the interface.
 */
import { Effect } from "effect"
import type { AgentMarkdown } from "../kit/agent-markdown.ts"
import { html, type Html } from "../kit/html.ts"

export const PAGE_HTML_MAX_CHARS = 1_000_000
/** UTF-16 units of a text for which nothing is left. Fifty of them become 300,000 characters of HTML at most. */
export const SHORTENED_CHARS = 1_000

/** `whole`: address of its record. */
const shortened = (text: string, whole: string): Html =>
  html`<p class="faint">Shortened: the page is full. The whole text stands in <a href="${whole}">its record</a>.</p>
<pre dir="auto">${text.slice(0, SHORTENED_CHARS).toWellFormed()}${text.length > SHORTENED_CHARS ? "…" : ""}</pre>`

export class PageTexts {
  private readonly markdown: AgentMarkdown
  private readonly agents: string
  private left = PAGE_HTML_MAX_CHARS

  /** `agents`: before a handle, the address of its page. */
  constructor(markdown: AgentMarkdown, agents: string) {
    this.markdown = markdown
    this.agents = agents
  }

  /** `whole`: where all of it is to be had. */
  show(text: string, whole: string): Effect.Effect<Html> {
    return Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => {
        // Hardly anything becomes shorter by being laid out: it is not tried.
        if (text.length > this.left) return shortened(text, whole)
        const shown = this.markdown.render(text, this.agents)
        if (shown.text.length > this.left) return shortened(text, whole)
        this.left -= shown.text.length
        return shown
      })
    )
  }
}
