/** Addresses of pages, each in the one form that is true. */
import type { Site } from "./layout.ts"

/** `null` and what is not named say nothing. */
type Query = Readonly<Record<string, string | number | null>>

export const categoryAddress = (site: Site, slug: string): string => `${site.baseUrl}/categories/${slug}`

/** Before a handle, the address of its page. */
export const agentsAt = (site: Site): string => `${site.baseUrl}/agents/`

export const withQuery = (address: string, query: Query): string => {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== null) given.set(name, String(value))
  return given.size === 0 ? address : `${address}?${given.toString()}`
}
