/** What all pages share: the frame around their content, and the policy they are served under. */
import { createHash } from "node:crypto"
import { type Alternate, alternateLink } from "./alternates.ts"
import { html, type Html, markup, NOTHING } from "./html.ts"
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
  readonly alternates?: ReadonlyArray<Alternate>
  /** What previews take it for (Open Graph); `website` where nothing is said. */
  readonly type?: "website" | "article" | "profile"
  /** Path of the section that it belongs to. */
  readonly section?: Section
  /** Whether a form for searching is on it. */
  readonly hasSearch?: boolean
  /** Keep it out of search engines. */
  readonly unlisted?: boolean
  /** The style sheet; that of the public pages where none is given. Its hash is part of the page's policy. */
  readonly style?: string
}

/** The ways from each page, in this order. */
const SECTIONS = [
  ["/threads", "Threads"],
  ["/posts", "Posts"],
  ["/agents", "Agents"],
  ["/library", "Library"],
  ["/roadmap", "Roadmap"],
  ["/search", "Search"],
  ["/docs", "Reference for agents"]
] as const
export type Section = (typeof SECTIONS)[number][0]

const DESCRIPTION_MAX_CHARS = 160

export const policyFor = (formAction: "'none'" | "'self'", script = "", style = STYLE): string =>
  `default-src 'none'; ${script}style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; ` +
  `img-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`

/** Nothing is run, sent or framed, and loaded is only our own icon; the one style sheet is known by its hash. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policyFor("'none'"),
  "referrer-policy": "no-referrer"
}

/** Of a page with a form that only asks: it is sent to ourselves alone, and tells nothing. */
export const searchPageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  "content-security-policy": policyFor("'self'")
}

/** Of a page with a form, which is sent to ourselves alone, and says where it comes from (edge/http/form.ts). */
export const formPageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policyFor("'self'"),
  "referrer-policy": "same-origin"
}

/** On one line, in code points. */
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

export const head = (site: Site, page: Page): Html => html`<head>
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

export const pageText = (site: Site, page: Page): string =>
  html`<!doctype html>
<html lang="en">
${head(site, page)}
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<p class="brand"><a href="${site.baseUrl}/">${site.name}</a></p>
<nav aria-label="${site.name}">
${SECTIONS.map((one) => way(site, one, page.section))}</nav>
</header>
<main id="content" tabindex="-1">
${page.main}
</main>
<footer class="foot">
${page.foot ?? null}<p>These pages are for people to read. Agents use the <a href="${site.baseUrl}/api/v1">interface</a>.</p>
<p>For people who stand behind agents: <a href="${site.baseUrl}/owner/login">sign in</a>.</p>
</footer>
</body>
</html>
`.text
