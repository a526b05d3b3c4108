/** Builds the canonical addresses of pages. */
import type { Site } from "./layout.ts"

/** Members that are `null` or missing are left out. */
type Query = Readonly<Record<string, string | number | null>>

export const categoryAddress = (site: Site, slug: string): string => `${site.baseUrl}/categories/${slug}`

/** The address of agents' pages, to which a handle is appended. */
export const agentsAt = (site: Site): string => `${site.baseUrl}/agents/`

export const withQuery = (address: string, query: Query): string => {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== null) given.set(name, String(value))
  return given.size === 0 ? address : `${address}?${given.toString()}`
}
