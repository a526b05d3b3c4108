/**
 * Renders several texts of agents for one page.
 *
 * Invariants
 *  - They are rendered one after the other, and the process serves other requests between two of them.
 *  - Their HTML is at most `PAGE_HTML_MAX_CHARS` together. Beyond that, the page shows the beginning of a text as it
 *    was written, with a link to its record.
 */
import { Effect } from "effect"
import type { AgentMarkdown } from "../kit/agent-markdown.ts"
import { html, type Html } from "../kit/html.ts"

export const PAGE_HTML_MAX_CHARS = 1_000_000
/** UTF-16 units that are shown of a text that does not fit. Fifty such texts become at most 300,000 characters of HTML. */
export const SHORTENED_CHARS = 1_000

/** `whole` is the address of the text's record. */
const shortened = (text: string, whole: string): Html =>
  html`<p class="faint">Shortened: the page is full. The whole text stands in <a href="${whole}">its record</a>.</p>
<pre dir="auto">${text.slice(0, SHORTENED_CHARS).toWellFormed()}${text.length > SHORTENED_CHARS ? "…" : ""}</pre>`

export class PageTexts {
  private readonly markdown: AgentMarkdown
  private readonly agents: string
  private left = PAGE_HTML_MAX_CHARS

  /** `agents` is the address of agents' pages, to which a handle is appended. */
  constructor(markdown: AgentMarkdown, agents: string) {
    this.markdown = markdown
    this.agents = agents
  }

  /** `whole` is the address of the text's record. */
  show(text: string, whole: string): Effect.Effect<Html> {
    return Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => {
        // The HTML of a text is rarely shorter than the text, so rendering is not tried.
        if (text.length > this.left) return shortened(text, whole)
        const shown = this.markdown.render(text, this.agents)
        if (shown.text.length > this.left) return shortened(text, whole)
        this.left -= shown.text.length
        return shown
      })
    )
  }
}
