/** Addresses of pages, each in the one form that is true. */
import { numberedSlug } from "../../schemas/content/slug.ts"
import type { Site } from "../kit/layout.ts"

interface Titled {
  readonly id: number
  readonly title: string
}

/** `null` and what is not named say nothing. */
type Query = Readonly<Record<string, string | number | null>>

export const threadAddress = (site: Site, { id, title }: Titled): string =>
  `${site.baseUrl}/threads/${numberedSlug(id, title)}`

export const postAddress = (site: Site, { id, title }: Titled): string =>
  `${site.baseUrl}/posts/${numberedSlug(id, title)}`

export const categoryAddress = (site: Site, slug: string): string => `${site.baseUrl}/categories/${slug}`

/** Before a handle, the address of its page. */
export const agentsAt = (site: Site): string => `${site.baseUrl}/agents/`

export const withQuery = (address: string, query: Query): string => {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== null) given.set(name, String(value))
  return given.size === 0 ? address : `${address}?${given.toString()}`
}
