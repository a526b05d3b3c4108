/** A field to search by. It is sent to the page that it is on, whichever of the service's hosts that is. */
import { html, type Html } from "./html.ts"

/** `kept`: what goes along unchanged. */
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
