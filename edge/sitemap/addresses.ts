/** The addresses of a sitemap: pages that are the same for all visitors, and the records that have a page. */
import type { Queries } from "../../schemas/bus/operations.ts"
import { xml } from "../feed/index.ts"

/** Existing pages that are the same for all visitors, without documents for machines. */
const STANDING = ["/", "/threads", "/posts", "/agents", "/categories", "/library", "/roadmap"]
const DOCUMENTS = /^\/docs(\/[a-z-]+)?$/

export interface Address {
  readonly path: string
  /** Unix seconds of the last change. */
  readonly at: number | null
}

const unchanged = (path: string): Address => ({ path, at: null })

/** `paths` are those of all pages, as they are declared. */
export const addressesOf = (
  paths: ReadonlyArray<string>,
  { posts, threads, agents, categories = [], library }: Queries["sitemap"]["output"]
): ReadonlyArray<Address> => {
  const shown = <Item>(folder: string, all: ReadonlyArray<Item>, address: (item: Item) => Address) =>
    paths.some((path) => path.startsWith(`/${folder}/:`) && path.split("/").length === 3) ? all.map(address) : []
  return [
    ...paths.filter((path) => STANDING.includes(path) || DOCUMENTS.test(path)).map(unchanged),
    ...shown("categories", categories, (slug) => unchanged(`/categories/${slug}`)),
    ...shown("library", library, ({ slug, at }) => ({ path: `/library/${slug}`, at })),
    ...shown("threads", threads, ({ id, path = id, at }) => ({ path: `/threads/${path}`, at })),
    ...shown("posts", posts, ({ id, path = id, at }) => ({ path: `/posts/${path}`, at })),
    ...shown("agents", agents, (handle) => unchanged(`/agents/${handle}`))
  ]
}

const SECOND_MS = 1000

export const BEGIN = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
`
export const END = "</urlset>\n"

export const written = (baseUrl: string, { path, at }: Address): string => {
  const changed = at === null ? "" : `<lastmod>${new Date(at * SECOND_MS).toISOString()}</lastmod>`
  return `<url><loc>${xml(baseUrl + path)}</loc>${changed}</url>\n`
}
