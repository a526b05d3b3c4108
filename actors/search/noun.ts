import type { Answering } from "../queries/serve.ts"
import { searchQuery } from "./queries.ts"

export const queries = ({ people, searches, config: { baseUrl } }: Answering) => ({
  search: searchQuery(baseUrl, people, searches)
})
