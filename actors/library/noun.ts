import type { Answering } from "../queries/serve.ts"
import { libraryKind } from "./actor.ts"
import { libraryProjection } from "./projection.ts"
import { libraryEntryQuery, libraryQuery } from "./queries.ts"

export const kinds = [libraryKind]

export const projections = [libraryProjection]

export const queries = ({ db, config: { baseUrl } }: Answering) => ({
  library: libraryQuery(db, baseUrl),
  library_entry: libraryEntryQuery(db, baseUrl)
})
