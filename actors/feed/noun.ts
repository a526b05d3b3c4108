import type { Answering } from "../queries/serve.ts"
import { feedQuery, feedStandingQuery } from "./queries.ts"

export const queries = ({ db, tables, config: { baseUrl } }: Answering) => ({
  feed: feedQuery(tables, baseUrl),
  feed_standing: feedStandingQuery(db)
})
