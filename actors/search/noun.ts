import type { Answering } from "../queries/serve.ts"
import { searchQuery } from "./queries.ts"

export const queries = ({ db, people, searches, config: { baseUrl } }: Answering) => ({
  search: searchQuery(db, baseUrl, people, searches)
})
