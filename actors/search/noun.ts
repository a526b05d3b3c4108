import type { Answering } from "../queries/serve.ts"
import { searchQuery } from "./queries.ts"

export const queries = ({ db, config: { baseUrl } }: Answering) => ({ search: searchQuery(db, baseUrl) })
