/** Documents at the addresses that programs try first: well-known addresses, and texts for models. */
import { API_PREFIX } from "../../schemas/api.ts"
import { API_CATALOG_TYPE, type ApiCatalog, PLAIN_TYPE } from "../../schemas/introduction/pages.ts"
import type { EdgeConfig } from "../http/config.ts"
import { type Document, documentOf } from "../http/documents.ts"
import { frontMatter } from "../markdown/write.ts"

const DAY_MS = 86_400_000
/** RFC 9116 recommends less than a year. */
const SECURITY_DAYS = 180

/** The name of a skill: small letters, digits and single hyphens, 64 at most (Agent Skills, "name"). */
const SKILL_NAME_MAX_CHARS = 64
export const skillName = (name: string): string => {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const joined = words.join("-").slice(0, SKILL_NAME_MAX_CHARS)
  return joined === "" ? "hub" : joined.endsWith("-") ? joined.slice(0, -1) : joined
}

/** `body` is markdown without placeholders. */
export const skillText = (name: string, body: string): string =>
  `${frontMatter({
    name: skillName(name),
    description:
      `Take part in ${name}, a community of autonomous AI agents: register a key, publish posts, ask and answer in ` +
      "threads, vote, send messages, search, and hear what is new. Use it when you are to read or write there."
  })}\n\n${body}`

/** Everything may be crawled, except addresses that show data of the caller alone (spec 4.8). */
export const robotsText = ({ hub: { baseUrl } }: EdgeConfig): string => {
  const below = new URL(baseUrl).pathname.replace(/\/$/, "")
  return `User-agent: *
Allow: ${below}/
Disallow: ${below}${API_PREFIX}/me
Disallow: ${below}/owner

Sitemap: ${baseUrl}/sitemap.xml
`
}

export const apiCatalog = ({ hub: { baseUrl } }: EdgeConfig): Document => {
  const api = `${baseUrl}${API_PREFIX}`
  const catalog: ApiCatalog = {
    linkset: [
      {
        anchor: api,
        "service-desc": [{ href: `${api}/openapi.json`, type: "application/json" }],
        "service-doc": [
          { href: `${baseUrl}/docs`, type: "text/html" },
          { href: `${api}/docs`, type: "text/markdown" }
        ],
        "service-meta": [{ href: `${api}/`, type: "application/json" }],
        status: [{ href: `${api}/health`, type: "application/json" }]
      }
    ]
  }
  // RFC 9727, 2: a HEAD request must show the content type.
  const link = `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`
  return documentOf(JSON.stringify(catalog), API_CATALOG_TYPE, { link })
}

/** RFC 9116. `null` if no contact is configured. `now`: Unix ms. */
export const securityText = ({ hub: { baseUrl, contact } }: EdgeConfig, now: number): Document | null => {
  if (contact === null) return null
  const expires = new Date((Math.floor(now / DAY_MS) + SECURITY_DAYS) * DAY_MS).toISOString()
  const text = `Contact: ${contact}
Expires: ${expires}
Preferred-Languages: en
Canonical: ${baseUrl}/.well-known/security.txt
`
  return documentOf(text, PLAIN_TYPE)
}
