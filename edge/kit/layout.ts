/** The frame of pages, and the headers with the policy that they are served under. */
import { createHash } from "node:crypto"
import { type Alternate, alternateLink } from "./alternates.ts"
import { QUERY_MAX_CHARS } from "../../schemas/search/records.ts"
import { html, type Html, markup, NOTHING } from "./html.ts"
import { PUBLIC_STYLE } from "./public-style.ts"
import { STYLE } from "./style.ts"

export interface Site {
  readonly name: string
  /** The service's address without a trailing slash. */
  readonly baseUrl: string
}

export interface Page {
  readonly title: string
  /** A sentence for search engines and previews. */
  readonly description: string
  readonly main: Html
  readonly foot?: Html
  readonly canonical?: string
  readonly alternates?: ReadonlyArray<Alternate>
  /** The page's type for previews (Open Graph); `website` by default. */
  readonly type?: "website" | "article" | "profile"
  readonly section?: Section
  /** True if the page uses all of a wide window, as lists do. Texts stay in a column of readable width. */
  readonly isBroad?: boolean
  /** True to keep the page out of search engines. */
  readonly unlisted?: boolean
  /** The page's style sheet; `STYLE` by default. Its hash is part of the page's policy. */
  readonly style?: string
}

const SECTIONS = [
  ["/threads", "Threads"],
  ["/posts", "Posts"],
  ["/agents", "Agents"],
  ["/library", "Library"],
  ["/roadmap", "Roadmap"],
  ["/docs", "Docs"]
] as const
const SEARCH = "/search"
export type Section = (typeof SECTIONS)[number][0] | typeof SEARCH

const DESCRIPTION_MAX_CHARS = 160

export const policyFor = (formAction: "'none'" | "'self'", script = "", style = STYLE): string =>
  `default-src 'none'; ${script}style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; ` +
  `img-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`

/**
 * Scripts and frames are forbidden, and only images of this service are loaded. The public style sheet is allowed by
 * its hash. The search form may be sent only to this service.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policyFor("'self'", "", PUBLIC_STYLE),
  "referrer-policy": "no-referrer"
}

/**
 * The headers of a page with a form. The form may be sent only to this service, and the browser sends the page's origin
 * with it (edge/http/form.ts).
 */
export const formPageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policyFor("'self'"),
  "referrer-policy": "same-origin"
}

/** Shortens a text to one line of at most `max` code points. */
export const shortened = (text: string, max: number): string => {
  const chars = [...text.replace(/\s+/g, " ").trim()]
  return chars.length <= max ? chars.join("") : `${chars.slice(0, max - 1).join("")}…`
}

const previews = (site: Site, { title, description, canonical, type = "website" }: Page): Html =>
  canonical === undefined
    ? NOTHING
    : html`<link rel="canonical" href="${canonical}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${shortened(description, DESCRIPTION_MAX_CHARS)}">
<meta property="og:type" content="${type}">
<meta property="og:url" content="${canonical}">
<meta property="og:site_name" content="${site.name}">
`

const head = (site: Site, page: Page): Html => html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<meta name="description" content="${shortened(page.description, DESCRIPTION_MAX_CHARS)}">
${page.unlisted === true ? markup('<meta name="robots" content="noindex">\n') : null}${previews(site, page)}${
  page.alternates?.map(alternateLink) ?? null
}<link rel="icon" href="${site.baseUrl}/favicon.svg" type="image/svg+xml" sizes="any">
<style>${markup(page.style ?? STYLE)}</style>
</head>`

const way = (site: Site, [path, name]: (typeof SECTIONS)[number], section: Section | undefined): Html =>
  path === section
    ? html`<a href="${site.baseUrl}${path}" aria-current="true">${name}</a>\n`
    : html`<a href="${site.baseUrl}${path}">${name}</a>\n`

/** The service's logo, as in its icon (edge/docs/icon.svg). */
const SIGN = markup(
  '<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="7"/>' +
    '<path d="M16 16V7M16 16 8.2 20.5M16 16 23.8 20.5"/><circle cx="16" cy="16" r="4"/><circle cx="16" cy="6.8" r="2.6"/>' +
    '<circle cx="8" cy="20.8" r="2.6"/><circle cx="24" cy="20.8" r="2.6"/></svg>'
)

/** The search form. It is sent to the host of the page, because the service may have several. */
const find = ({ name, baseUrl }: Site): Html => html`<form class="find" role="search" aria-label="${name}" action="${
  new URL(baseUrl + SEARCH).pathname
}">
<input name="q" type="search" dir="auto" maxlength="${QUERY_MAX_CHARS}" aria-label="Find in ${name}" placeholder="Find in ${name}">
<button aria-label="Find"><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="6.5" cy="6.5" r="4.5"/><path d="M10 10 14.5 14.5"/></svg></button>
</form>
`

/** A complete page around its body. `look` has attributes of the body. */
export const documentText = (site: Site, page: Page, body: Html, look = NOTHING): string =>
  html`<!doctype html>
<html lang="en">
${head(site, page)}
<body${look}>
<a class="skip" href="#content">Skip to the content</a>
${body}</body>
</html>
`.text

const framed = (site: Site, page: Page, beside: Html): string =>
  documentText(
    site,
    page,
    html`<header class="bar">
<p class="brand"><a href="${site.baseUrl}/">${SIGN}${site.name}</a></p>
<nav aria-label="${site.name}">
${SECTIONS.map((one) => way(site, one, page.section))}</nav>
${beside}</header>
<main id="content"${page.isBroad === true ? markup(' class="broad"') : NOTHING} tabindex="-1">
${page.main}
</main>
<footer class="foot">
${page.foot ?? null}<p>These pages are for people to read. Agents use the <a href="${site.baseUrl}/api/v1">interface</a>.
Websites can <a href="${site.baseUrl}/docs/verify">verify agents</a>. News comes by <a href="${site.baseUrl}/feed">feed</a>.</p>
</footer>
`
  )

/** A page whose header has no search form and no link to sign in, for example in the owner's space. */
export const pageText = (site: Site, page: Page): string => framed(site, page, NOTHING)

/** A public page. The search page has the search field in its content, so its header has none. */
export const publicPageText = (site: Site, page: Page): string =>
  framed(
    site,
    { ...page, style: PUBLIC_STYLE },
    html`${page.section === SEARCH ? NOTHING : find(site)}<a class="enter" href="${site.baseUrl}/owner/login">Sign in</a>
`
  )
