import type { Answering } from "../queries/serve.ts"
import { searchQuery } from "./queries.ts"

export const queries = ({ db, people, config: { baseUrl } }: Answering) => ({
  search: searchQuery(db, baseUrl, people)
})
