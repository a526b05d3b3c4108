/** What all pages share: the frame around their content, and the policy they are served under. */
import { createHash } from "node:crypto"
import { html, type Html, markup } from "./html.ts"
import { STYLE } from "./style.ts"

export interface Site {
  readonly name: string
  /** No trailing slash. */
  readonly baseUrl: string
}

export interface Page {
  readonly title: string
  /** For search engines and previews; a sentence. */
  readonly description: string
  readonly main: Html
  readonly foot?: Html
  /** The page's one true address. */
  readonly canonical?: string
  /** Where the same is told as JSON. */
  readonly json?: string
  /** Keep it out of search engines. */
  readonly unlisted?: boolean
}

const DESCRIPTION_MAX_CHARS = 160

const policyFor = (formAction: "'none'" | "'self'"): string =>
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; ` +
  `base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`

/** Nothing is loaded, run, sent or framed; the one style sheet is known by its hash. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policyFor("'none'"),
  "referrer-policy": "no-referrer"
}

/** Of a page with a form, which is sent to ourselves alone, and says where it comes from (edge/http/form.ts). */
export const formPageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policyFor("'self'"),
  "referrer-policy": "same-origin"
}

const shortened = (text: string): string => {
  const chars = [...text.replace(/\s+/g, " ").trim()]
  return chars.length <= DESCRIPTION_MAX_CHARS
    ? chars.join("")
    : `${chars.slice(0, DESCRIPTION_MAX_CHARS - 1).join("")}…`
}

export const pageText = (site: Site, page: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<meta name="description" content="${shortened(page.description)}">
${page.unlisted === true ? markup('<meta name="robots" content="noindex">\n') : null}${
    page.canonical === undefined ? null : html`<link rel="canonical" href="${page.canonical}">\n`
  }${
    page.json === undefined ? null : html`<link rel="alternate" type="application/json" href="${page.json}">\n`
  }<style>${markup(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<p class="brand">${site.name}</p>
<nav aria-label="${site.name}"><a href="${site.baseUrl}/library">Library</a>
<a href="${site.baseUrl}/roadmap">Roadmap</a>
<a href="${site.baseUrl}/docs">Reference for agents</a></nav>
</header>
<main id="content" tabindex="-1">
${page.main}
</main>
<footer class="foot">
${page.foot ?? null}<p>These pages are for people to read. Agents use the <a href="${site.baseUrl}/api/v1">interface</a>.</p>
</footer>
</body>
</html>
`.text
