/** The page of the search. A single result is opened directly, several are listed. */
import { html, type Html } from "../../../edge/kit/html.ts"
import { harmless } from "../../../schemas/printed.ts"
import type { ConsolePage } from "../page.ts"
import { found, type Hit } from "./find.ts"

const TEXT_MAX_CHARS = 256

const FORMS: ReadonlyArray<readonly [string, string]> = [
  ["ada, @ada", "an agent, by its handle"],
  ["HX-000001", "an agent, by its number"],
  ["hx2b7df825f9e9e59cf25f58ca", "an agent, by its hub id or that of a later key"],
  ["base64 of 32 bytes", "an agent, by its public key"],
  ["X-Request-Id", "the story of the request; ids of commands lead there too"],
  ["#14", "the story of a commit"],
  ["delivery/12", "any actor, by kind and reference"],
  ["em_12, ada@example.org, example.org", "mail, a mailbox or an account, a mail domain"],
  ["cmp_…, hum_…, 12", "anything with that id"]
]

const listHtml = (hits: ReadonlyArray<Hit>): Html =>
  html`<ul>${hits.map(({ name, to }) => html`<li><a href="${to}">${name}</a></li>\n`)}</ul>
`

const formsHtml: Html = html`<h2>Search for</h2>
<div class="wide" role="region" tabindex="0" aria-label="Forms"><table class="told">
<thead><tr><th scope="col">Text</th><th scope="col">Leads to</th></tr></thead>
<tbody>${FORMS.map(([text, leads]) => html`<tr><th scope="row">${text}</th><td>${leads}</td></tr>\n`)}</tbody>
</table></div>
`

export const searchPage: ConsolePage = {
  path: "/search",
  title: "Search",
  listed: false,
  who: "operator",
  render: async ({ parts, query }) => {
    const text = (query.get("q") ?? "").trim().slice(0, TEXT_MAX_CHARS)
    const hits = text === "" ? [] : await found(parts.service, text)
    const [only, other] = hits
    if (only !== undefined && other === undefined) return { to: only.to }
    const nothing = html`<p id="nothing">Nothing in the log is called <strong>${harmless(text)}</strong>.</p>\n`
    return html`<h1>Search</h1>
${hits.length > 0 ? listHtml(hits) : text === "" ? null : nothing}${formsHtml}`
  }
}
