/** The frame of the console's pages, and the headers of all its answers. */
import { html, type Html, NOTHING } from "../../edge/kit/html.ts"
import { documentText, policyFor } from "../../edge/kit/layout.ts"
import type { Response } from "../../edge/http/respond.ts"
import { HTML_TYPE } from "../../schemas/page.ts"
import { harmless } from "../../schemas/printed.ts"
import type { ConsolePage, Operator } from "./page.ts"
import { scriptPath } from "./scripts.ts"
import { CONSOLE_STYLE } from "./style.ts"

const policyOf = (scripts: string): string =>
  policyFor("'self'", `script-src ${scripts}; connect-src 'self'; `, CONSOLE_STYLE)

/**
 * Nothing is loaded from another host, no script runs inline, and no page can be framed. A page with `inline` gets a
 * policy of its own.
 */
export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": policyOf("'self'"),
  // With `no-referrer` forms would not send their origin.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex"
}

export interface Framed {
  readonly title: string
  readonly main: Html
  readonly status?: number
  /** Shown once above the page. */
  readonly notice?: string | null
  readonly script?: string
  /**
   * The hash of the page's one inline script, as in a Content-Security-Policy: `'sha256-…'`. No other script may run.
   */
  readonly inline?: string
}

/** A logged-in operator, with the form that logs out. */
export interface Inside {
  readonly operator: Operator
  readonly path: string
  readonly logOut: Html
}

export interface Frame {
  readonly name: string
  readonly url: string
  readonly pages: ReadonlyArray<ConsolePage>
}

const way = ({ path, title }: ConsolePage, shown: string): Html =>
  html`<a href="${path}"${path === shown ? html` aria-current="page"` : null}>${title}</a>\n`

const find: Html = html`<form class="find" role="search" action="/search">
<input name="q" type="search" required maxlength="256" autocomplete="off" spellcheck="false" aria-label="Search the log" placeholder="ada, #14">
<button>Find</button>
</form>
`

const nameOf = ({ name, by }: Operator): string => (by === "link" ? `${name}, by a one-time link` : name)

const beside = ({ pages }: Frame, { operator, path, logOut }: Inside): Html =>
  html`${find}<nav class="own" aria-label="Console">
${pages.filter(({ listed }) => listed).map((page) => way(page, path))}</nav>
<p class="faint">You are ${nameOf(operator)}.</p>
${logOut}`

export const framed = (
  frame: Frame,
  { title, main, status = 200, notice = null, script, inline }: Framed,
  inside: Inside | null
): Response => {
  const page = {
    title: `${title} · ${frame.name} console`,
    description: "For the operators of this service.",
    unlisted: true,
    style: CONSOLE_STYLE,
    main
  }
  const body = html`<header class="side">
<p class="brand"><a href="/"><img src="/favicon.svg" width="26" height="26" alt=""> ${frame.name} console</a></p>
${inside === null ? NOTHING : beside(frame, inside)}</header>
<main id="content" tabindex="-1">
${notice === null ? null : html`<p class="notice" role="status">${notice}</p>\n`}${main}
</main>
${script === undefined ? null : html`<script type="module" src="${scriptPath(script)}"></script>\n`}`
  // Strangers wrote much of this text, and an operator relies on what is visible, so control characters are made
  // visible.
  const text = harmless(documentText({ name: frame.name, baseUrl: frame.url }, page, body, html` class="app"`))
  return {
    status,
    headers: {
      ...CONSOLE_HEADERS,
      ...(inline === undefined ? {} : { "content-security-policy": policyOf(inline) }),
      "content-type": HTML_TYPE,
      "content-length": String(Buffer.byteLength(text)),
      "cache-control": "no-store"
    },
    body: text
  }
}
