import type { Answering } from "../queries/serve.ts"
import { sitemapQuery } from "./queries.ts"

export const queries = ({ db }: Answering) => ({ sitemap: sitemapQuery(db) })
