/**
 * The page on which the holder of a source's token seals an entry in the browser.
 *
 * Invariants
 *  - It is the same for everybody and contains no personal data.
 *  - Only its own script runs, which is allowed by its hash. The script may send requests only to its own origin and
 *    cannot write HTML (Trusted Types). `wasm-unsafe-eval` allows libsodium to run; it does not allow text to run as a
 *    script.
 *  - Its form is never submitted: without the script it does nothing.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { HTML_TYPE } from "../../schemas/page.ts"
import { VaultPages } from "../../schemas/vault/pages.ts"
import { pagesOf } from "../http/handlers.ts"
import { plain } from "../http/respond.ts"
import { html, type Html, markup } from "../kit/html.ts"
import { pageText, policyFor, type Site } from "../kit/layout.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { IDS, inputId, problemId, type SealField, type SealKind, SEAL_KINDS } from "./seal-fields.ts"

/** Written by `npm run contracts` from seal-script.ts, and committed. */
const SCRIPT = readFileSync(new URL("seal-script.bundle.js", import.meta.url), "utf8")

const HASH = createHash("sha256").update(SCRIPT).digest("base64")

const sealPageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    policyFor("'none'", `script-src 'sha256-${HASH}' 'wasm-unsafe-eval'; connect-src 'self'; `) +
    "; require-trusted-types-for 'script'; trusted-types 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
  "x-robots-tag": "noindex"
}

const hinted = (id: string, hint: string | undefined): Html | null =>
  hint === undefined ? null : html`<p class="faint" id="${id}-hint">${hint}</p>\n`

const describedBy = (id: string, hint: string | undefined): string =>
  hint === undefined ? problemId(id) : `${id}-hint ${problemId(id)}`

const problem = (id: string): Html => html`<p class="problem" id="${problemId(id)}" hidden></p>`

const field = ({ kind }: SealKind, { name, label, isSecret, isOptional, isNumber, hint }: SealField): Html => {
  const id = inputId(kind, name)
  const type = isSecret === true ? "password" : "text"
  const autocomplete = isSecret === true ? "new-password" : "off"
  const mode = isNumber === true ? html` inputmode="numeric"` : null
  return html`<div class="field">
<label for="${id}">${label}${isOptional === true ? " (may be left out)" : null}</label>
${hinted(id, hint)}<input id="${id}" type="${type}" autocomplete="${autocomplete}" autocapitalize="off" spellcheck="false"${mode} aria-describedby="${describedBy(id, hint)}">
${problem(id)}</div>
`
}

const besides = ({ kind, websites }: SealKind): Html | null => {
  if (websites === null) return null
  const [origins, label, consent] = [inputId(kind, "origins"), inputId(kind, "label"), inputId(kind, "consent")]
  const hint = "Kept readable, so that the agent and its owner know what it is: no secret belongs here."
  return html`<div class="field">
<label for="${origins}">Websites</label>
${hinted(origins, websites)}<textarea id="${origins}" rows="2" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="${describedBy(origins, websites)}"></textarea>
${problem(origins)}</div>
<div class="field">
<label for="${label}">Label (may be left out)</label>
${hinted(label, hint)}<input id="${label}" type="text" autocomplete="off" aria-describedby="${describedBy(label, hint)}">
${problem(label)}</div>
<p><label><input id="${consent}" type="checkbox"> The agent's owner is asked before each use</label></p>
`
}

const kindChoice = ({ kind, title }: SealKind): Html =>
  html`<p><label><input type="radio" name="kind" value="${kind}" id="${inputId(kind, "chosen")}"> ${title}</label></p>
`

const fieldsOf = (one: SealKind): Html => html`<fieldset class="field" id="${inputId(one.kind, "fields")}" hidden>
<legend>${one.title}</legend>
${one.fields.map((each) => field(one, each))}${besides(one)}</fieldset>
`

const main = (name: string): Html => html`<h1>Seal an entry</h1>
<p>Somebody gave you a token, so that you can put a login, a card or another secret into an agent's vault. What you type is
sealed here, in your browser, with the vault's public key. Only the sealed box leaves this page. Beside it, for everybody
to read who may see the vault, go what it is, its websites, its label, its limits and whether its owner is asked. ${name} keeps the box and cannot open it. The agent's fill service opens it, and types
what is in it into those websites: whoever runs that service can read it.</p>
<p>Once your token is known, this page tells which agent the vault belongs to. A link to this page may come from anybody, and lead to
anybody's vault: compare the agent's number with the one that its owner told you, before you type anything.</p>
<p>Nobody can show you afterwards what you sealed, and you cannot change it: seal it anew, or ask the agent to delete it.</p>
<noscript><p class="problem">This page seals by a script of its own, and your browser runs none.</p></noscript>
<form class="form" id="${IDS.open}" hidden>
<div class="field">
<label for="${IDS.token}">Token</label>
${hinted(IDS.token, "It begins with hxs_. It lets you write, and read nothing.")}<input id="${IDS.token}" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="${describedBy(IDS.token, "")}">
${problem(IDS.token)}</div>
<button class="main">Go on</button>
</form>
<form class="form" id="${IDS.form}" hidden>
<p id="${IDS.whose}"></p>
<fieldset class="field" id="${IDS.kinds}"><legend>What is it?</legend>
${SEAL_KINDS.map(kindChoice)}</fieldset>
${SEAL_KINDS.map(fieldsOf)}<button class="main">Seal and send</button>
</form>
<p id="${IDS.told}" role="status" tabindex="-1"></p>
<script>${markup(SCRIPT)}</script>`

const sealPage = (site: Site): string =>
  pageText(site, {
    title: "Seal an entry",
    description: "Puts a secret into an agent's vault, sealed in your browser.",
    main: main(site.name),
    unlisted: true
  })

export const vaultPages = ({ config: { hub } }: EdgeParts) => {
  const page = sealPage(hub)
  return pagesOf(VaultPages, {
    seal: (call) =>
      Effect.sync(() => {
        Object.assign(call.headers, sealPageHeaders)
        return plain(page, HTML_TYPE)
      })
  })
}
