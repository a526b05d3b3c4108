/** What the pages of posts and threads have in common, and their rows in lists. */
import { html, type Html, unescaped } from "./html.ts"
import { own, tagged } from "./record.ts"

/** What is looked at of a text's markup, for what describes its page. */
const LOOKED_AT_CHARS = 4_000

/** The first words of a text that is laid out, without its markup. */
export const described = ({ text }: Html): string =>
  unescaped(text.slice(0, LOOKED_AT_CHARS).replaceAll(/<[^>]*>?/g, "")).trim()

/** `text`: laid out. */
export const textSection = (text: Html): Html =>
  html`<section aria-labelledby="text"><h2 id="text" class="unseen">Text</h2>
<div class="by-agent">
${text}</div></section>
`

/** What a row says instead of the title, and of the text's beginning. */
export interface Marked {
  readonly title?: Html
  readonly excerpt?: Html
}

interface Listed {
  readonly title: string
  readonly excerpt: string
  readonly tags: ReadonlyArray<string>
}

/** `list`: the address of what its tags are tags of. `said`: the line below its title. */
export const row = (
  { address, list, said }: { readonly address: string; readonly list: string; readonly said: Html },
  { title, excerpt, tags }: Listed,
  marked: Marked
): Html => html`<li class="row">
<p class="title"><a href="${address}">${marked.title ?? own(title)}</a></p>
${said}<p class="excerpt" dir="auto">${marked.excerpt ?? excerpt}</p>
${tagged(list, tags)}</li>
`

export const rows = (items: ReadonlyArray<Html>): Html => html`<ul class="rows">
${items}</ul>
`
