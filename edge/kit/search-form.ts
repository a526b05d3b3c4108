/** A search field. It submits to the current page on the current host. */
import { html, type Html } from "./html.ts"

/** `kept` are hidden fields that are sent too. */
export const searchForm = (
  label: string,
  q: string,
  maxChars: number,
  kept: Readonly<Record<string, string | null>>
): Html => html`<form class="search" role="search">
<label for="q">${label}</label>
<div><input id="q" name="q" type="search" dir="auto" maxlength="${maxChars}" value="${q}">
${Object.entries(kept).map(([name, value]) =>
  value === null ? null : html`<input type="hidden" name="${name}" value="${value}">\n`
)}<button>Search</button></div>
</form>
`
