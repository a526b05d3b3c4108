import type { Answering } from "../queries/serve.ts"
import { feedQuery, feedStandingQuery } from "./queries.ts"

export const queries = ({ db, config: { baseUrl } }: Answering) => ({
  feed: feedQuery(db, baseUrl),
  feed_standing: feedStandingQuery(db)
})
