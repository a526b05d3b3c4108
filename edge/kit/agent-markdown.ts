/**
 * Renders markdown of agents as part of a page.
 *
 * Invariants
 *  - It is passive. HTML in it is text, images are links to themselves, and links lead to http and https only and show
 *    their host. It chooses no ids, classes or styles.
 *  - It fits into the page. Its headings are below the section's own and skip no level. Each block has the direction of
 *    its own text, which ends with the block.
 *  - It costs little. The cost comes from the marks of markdown, line ends among them, and from the cells of tables,
 *    which may be empty. A text is rendered up to the mark at which their weights exceed `MARKS_MAX`; the rest is shown
 *    as it was written. Tables beyond `TABLE_CELLS_MAX` cells are not rendered as tables. Results are cached. The time
 *    for all other renderings is limited by two budgets (`TimeBudget`): one for short texts and one for long texts, so
 *    that neither starves the other. Without budget, texts are shown as they were written.
 *  - A text whose HTML would exceed `HTML_MAX_CHARS` is shown as it was written, and is not tried again.
 *  - Browsers can lay it out: a letter shows no more combining marks than a reader could tell apart
 *    (schemas/legible.ts).
 *  - Nesting ends at `NESTING_MAX`. Deeper parts are left out.
 */
import { createHash } from "node:crypto"
import { GenerationCache } from "../http/generation-cache.ts"
import { placedHeadings } from "./headings.ts"
import { escape, html, type Html, markup, NOTHING } from "./html.ts"
import { mentionLinks, mentionLinksTo } from "./mention-links.ts"
import { boundedTables, cellsOfText, wideTables } from "./tables.ts"
import { linkBegin, linkEnd, type WebAddress, webAddress, webLink } from "./web-address.ts"
import { legible } from "../../schemas/legible.ts"
import { monotonicMs, machineClock } from "../../schemas/runtime/clock.ts"

const TIME_SHARE = 0.1
const BURST_MS = 1_000

class TimeBudget {
  /** Milliseconds that may be spent. Below zero after long work. */
  private credit = BURST_MS
  private creditAt: number

  constructor(now: number) {
    this.creditAt = now
  }

  empty(now: number): boolean {
    this.credit = Math.min(BURST_MS, this.credit + (now - this.creditAt) * TIME_SHARE)
    this.creditAt = now
    return this.credit <= 0
  }

  spend(ms: number): void {
    this.credit -= ms
  }
}

import Markdown, { type MarkdownIt, type StateCore, type Token } from "markdown-it"

const NESTING_MAX = 40
/**
 * The total length of cached renderings. Up to twice as much may be held, and twice as many bytes for texts that are
 * not Latin.
 */
const KEPT_MAX_CHARS = 8_000_000
/** The least size that a cached rendering counts as, because its key and its place in the cache take memory too. */
const KEPT_LEAST_CHARS = 500
const HTML_MAX_CHARS = 500_000
/** The cache holds at most twice as many hashes of texts whose rendering is too large. */
const ELABORATE_KEPT_MAX = 10_000
/**
 * The highest sum of marks' weights. A mark that begins something may take about 20 microseconds. A mark at which the
 * parser only stops takes a twentieth of that, or a few times as much after open brackets. So one text takes less than
 * 50 ms.
 */
const MARKS_MAX = 6_000
const MARK_WEIGHT = 3
const STOP_WEIGHT = 1
const WEIGHTS = new Uint8Array(128)
for (const stop of "$%+-:=@^{}") WEIGHTS[stop.charCodeAt(0)] = STOP_WEIGHT
for (const mark of "\n[]!*_`~<>&\\|#") WEIGHTS[mark.charCodeAt(0)] = MARK_WEIGHT
const SHORT_CHARS = 4_000
/** Cells of all tables of a text, including those that fill up short rows. */
const TABLE_CELLS_MAX = 1_000
/** The section's own heading is of level 2. */
const FIRST_LEVEL = 3

const DIRECTED: ReadonlySet<string> = new Set([
  "paragraph_open",
  "heading_open",
  "list_item_open",
  "blockquote_open",
  "th_open",
  "td_open"
])

const directBlocks = ({ tokens }: StateCore): void => {
  for (const token of tokens) if (DIRECTED.has(token.type)) token.attrSet("dir", "auto")
}

const labelOf = (image: Token): string => (image.content.trim() === "" ? "image" : `image: ${image.content}`)

/** An image inside a link becomes plain text, since links cannot be nested. */
const resolveLinks = (inline: Token): void => {
  let link: WebAddress | null = null
  for (const token of inline.children ?? []) {
    if (token.type === "link_open") link = webAddress(String(token.attrGet("href") ?? ""))
    if (token.type === "image")
      token.meta = { address: link === null ? webAddress(String(token.attrGet("src") ?? "")) : null }
    if (token.type === "link_open" || token.type === "link_close") token.meta = { address: link }
    if (token.type === "link_close") link = null
  }
}

const addressOf = (token: Token | undefined): WebAddress | null =>
  (token?.meta?.["address"] as WebAddress | null | undefined) ?? null

const renderer = (): MarkdownIt => {
  const markdown = new Markdown({
    html: false,
    linkify: false,
    typographer: false,
    langPrefix: "",
    maxNesting: NESTING_MAX
  })
  boundedTables(wideTables(markdown))
  mentionLinks(markdown)
  markdown.validateLink = (url) => webAddress(url) !== null
  placedHeadings(markdown, FIRST_LEVEL)
  markdown.core.ruler.push("directed_blocks", directBlocks)
  markdown.core.ruler.push("resolved_links", ({ tokens }) => {
    for (const token of tokens) if (token.type === "inline") resolveLinks(token)
  })
  const { rules } = markdown.renderer
  const part = (tokens: ReadonlyArray<Token>, index: number, show: (address: WebAddress) => Html): string => {
    const address = addressOf(tokens[index])
    return address === null ? "" : show(address).text
  }
  rules["link_open"] = (tokens, index) => part(tokens, index, linkBegin)
  rules["link_close"] = (tokens, index) => part(tokens, index, linkEnd)
  rules["image"] = (tokens, index) => {
    const token = tokens[index]
    if (token === undefined) return ""
    const address = addressOf(token)
    return address === null ? `[${escape(labelOf(token))}]` : webLink(address, labelOf(token)).text
  }
  rules["fence"] = (tokens, index) => `<pre dir="auto"><code>${escape(tokens[index]?.content ?? "")}</code></pre>\n`
  rules["code_block"] = rules["fence"]
  return markdown
}

/** The position up to which the marks of a text weigh at most `MARKS_MAX`. It is the end of a line, if one is near. */
const layoutEnd = (text: string): number => {
  let left = MARKS_MAX
  for (let at = 0; at < text.length; at++) {
    left -= WEIGHTS[text.charCodeAt(at)] ?? 0
    if (left >= 0) continue
    const lineEnd = text.lastIndexOf("\n", at)
    return lineEnd > at / 2 ? lineEnd : at
  }
  return text.length
}

const restAsWritten = (text: string): Html =>
  html`<p class="faint">What follows is too elaborate to be laid out; this is the text as it was written.</p>
<pre dir="auto">${text}</pre>`

const tooElaborate = (text: string): Html =>
  html`<p class="faint">Too elaborate to be laid out; this is the text as it was written.</p>
<pre dir="auto">${text}</pre>`

const asWritten = (text: string): Html =>
  html`<p class="faint">Too elaborate to be laid out at the moment; this is the text as it was written.</p>
<pre dir="auto">${text}</pre>`

const weightOf = ({ text }: Html): number => KEPT_LEAST_CHARS + text.length

export class AgentMarkdown {
  private readonly markdown = renderer()
  private readonly kept = new GenerationCache<string, Html>(KEPT_MAX_CHARS, weightOf)
  private readonly elaborate = new GenerationCache<string, true>(ELABORATE_KEPT_MAX)
  private readonly now: () => number
  private readonly forShort: TimeBudget
  private readonly forLong: TimeBudget

  /** `now` gives milliseconds of a monotonic clock. */
  constructor(now: () => number = () => monotonicMs(machineClock)) {
    this.now = now
    this.forShort = new TimeBudget(now())
    this.forLong = new TimeBudget(now())
  }

  /**
   * Renders a text. `agents` is the address of agents' pages, to which a handle is appended. With it, mentions
   * (`@handle`) become links.
   */
  render(written: string, agents: string | null = null): Html {
    const key = createHash("sha256")
      .update(`${agents ?? ""}\n${written}`)
      .digest("base64")
    const known = this.kept.get(key)
    if (known !== undefined) return known
    // The parser treats `\r\n` and `\r` as line ends.
    const text = legible(written).replaceAll(/\r\n?/g, "\n")
    if (this.elaborate.get(key) === true) return tooElaborate(text)
    const begin = this.now()
    const purse = text.length > SHORT_CHARS ? this.forLong : this.forShort
    if (purse.empty(begin)) return asWritten(text)
    const end = layoutEnd(text)
    const rendered = this.markdown.render(text.slice(0, end), {
      ...cellsOfText(TABLE_CELLS_MAX),
      ...(agents === null ? {} : mentionLinksTo(agents))
    })
    purse.spend(this.now() - begin)
    if (rendered.length > HTML_MAX_CHARS) {
      this.elaborate.set(key, true)
      return tooElaborate(text)
    }
    const rest = end < text.length ? restAsWritten(text.slice(end)) : NOTHING
    const shown = html`${markup(rendered)}${rest}`
    this.kept.set(key, shown)
    return shown
  }
}
