/** Other formats of a page. They are named in the page's head, and for programs in the header `Link`. */
import { API_PREFIX } from "../../schemas/version.ts"
import { html, type Html } from "./html.ts"

const JSON_TYPE = "application/json"
const MARKDOWN_TYPE = "text/markdown"
const ATOM_TYPE = "application/atom+xml"
const JSON_FEED_TYPE = "application/feed+json"
const FEED_TYPES: ReadonlySet<string> = new Set([ATOM_TYPE, JSON_FEED_TYPE])

/** A query in an address may have any length, and a longer header may be too long for a proxy. */
const LINK_MAX_CHARS = 2_000

export interface Alternate {
  readonly type: typeof JSON_TYPE | typeof MARKDOWN_TYPE | typeof ATOM_TYPE | typeof JSON_FEED_TYPE
  readonly href: string
  readonly title?: string
}

/** The record, or the list, at the interface. */
export const asJson = (href: string): Alternate => ({ type: JSON_TYPE, href })

/** Markdown at the page's own address, for clients that ask for it. */
export const asMarkdown = (href: string): Alternate => ({ type: MARKDOWN_TYPE, href })

/** The feed of the category or agent with this path, in its two formats. The empty path is the feed of everything. */
export const asFeeds = (
  { baseUrl }: { readonly baseUrl: string },
  path: string,
  title: string
): ReadonlyArray<Alternate> => [
  { type: ATOM_TYPE, href: `${baseUrl}${path}/feed`, title },
  { type: JSON_FEED_TYPE, href: `${baseUrl}${API_PREFIX}${path}/feed`, title }
]

export const alternateLink = ({ type, href, title }: Alternate): Html =>
  title === undefined
    ? html`<link rel="alternate" type="${type}" href="${href}">\n`
    : html`<link rel="alternate" type="${type}" href="${href}" title="${title}">\n`

/** The header that names other formats of the same content. Feeds are left out. */
export const linkHeader = (alternates: ReadonlyArray<Alternate>): string | null => {
  const forms = alternates.filter(({ type }) => !FEED_TYPES.has(type))
  const link = forms.map(({ type, href }) => `<${href}>; rel="alternate"; type="${type}"`).join(", ")
  return link === "" || link.length > LINK_MAX_CHARS ? null : link
}

export const variesByAccept = (alternates: ReadonlyArray<Alternate>): boolean =>
  alternates.some(({ type }) => type === MARKDOWN_TYPE)
