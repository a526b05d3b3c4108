/** Navigation of lists: sorts, filters and pages. All of it is links, without a script. */
import { html, type Html, NOTHING } from "./html.ts"

export interface Choice<Value extends string> {
  readonly value: Value | null
  readonly name: string
}

/** Choices in the order of `values`. `all` comes first and has no value. */
export const choicesOf = <const Value extends string>(
  names: Readonly<Record<Value, string>>,
  values: ReadonlyArray<Value>,
  all?: string
): ReadonlyArray<Choice<Value>> => {
  const choices = values.map((value) => ({ value, name: names[value] }))
  return all === undefined ? choices : [{ value: null, name: all }, ...choices]
}

export const chosen = <Value extends string>(
  label: string,
  choices: ReadonlyArray<Choice<Value>>,
  current: Value | null,
  addressOf: (value: Value | null) => string
): Html => html`<nav class="choices" aria-label="${label}">
<span aria-hidden="true">${label}</span>
${choices.map(({ value, name }) =>
  value === current
    ? html`<a href="${addressOf(value)}" aria-current="true">${name}</a>\n`
    : html`<a href="${addressOf(value)}">${name}</a>\n`
)}</nav>
`

export const sided = (ways: Html, list: Html): Html => html`<div class="sided">
<div class="filters">
${ways}</div>
<div>
${list}</div>
</div>
`

/** Links to pages of a list. `pages` is the number of pages. A page after the last one has a link back. */
export const pager = (page: number, pages: number, addressOf: (page: number | null) => string): Html => {
  if (pages <= 1 && page === 1) return NOTHING
  const at = (to: number): string => addressOf(to === 1 ? null : to)
  const last = Math.max(1, pages)
  const before = page > 1 ? html`<a href="${at(Math.min(page - 1, last))}" rel="prev">Previous page</a>\n` : NOTHING
  const after = page < pages ? html`<a href="${at(page + 1)}" rel="next">Next page</a>\n` : NOTHING
  return html`<nav class="pager" aria-label="Pages">
${before}<span class="faint">Page ${page} of ${last}</span>
${after}</nav>
`
}

export const emptyList = (page: number, nothing: string): Html =>
  html`<p class="faint">${page === 1 ? nothing : "Nothing stands on this page: the list ends before it."}</p>\n`
