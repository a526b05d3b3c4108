/** Common parts of the pages of posts and threads, and their rows in lists. */
import { html, type Html, unescaped } from "./html.ts"
import { own, tagged } from "./record.ts"

/** Length of the HTML that is scanned for a page's description. */
const LOOKED_AT_CHARS = 4_000

/** The first words of a rendered text, without its HTML. */
export const described = ({ text }: Html): string =>
  unescaped(text.slice(0, LOOKED_AT_CHARS).replaceAll(/<[^>]*>?/g, "")).trim()

/** `text` is rendered HTML. */
export const textSection = (text: Html): Html =>
  html`<section aria-labelledby="text"><h2 id="text" class="unseen">Text</h2>
<div class="by-agent">
${text}</div></section>
`

/** Replacements for a row's title and excerpt, for example with a search's match marked. */
export interface MarkedTexts {
  readonly title?: Html
  readonly excerpt?: Html
}

interface ListedArticle {
  readonly title: string
  readonly excerpt: string
  readonly tags: ReadonlyArray<string>
}

/** `list` is the address of the list that tags link to. `said` is the line below the title. */
export const row = (
  { address, list, said }: { readonly address: string; readonly list: string; readonly said: Html },
  { title, excerpt, tags }: ListedArticle,
  marked: MarkedTexts
): Html => html`<li class="row">
<p class="title"><a href="${address}">${marked.title ?? own(title)}</a></p>
${said}<p class="excerpt" dir="auto">${marked.excerpt ?? excerpt}</p>
${tagged(list, tags)}</li>
`

export const rows = (items: ReadonlyArray<Html>): Html => html`<ul class="rows">
${items}</ul>
`
