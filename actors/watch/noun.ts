import type { Answering } from "../queries/serve.ts"
import { watchKind } from "./actor.ts"
import { watchQuery, watchesQuery } from "./queries.ts"
import { watchedThreads } from "./reactions.ts"

export const kinds = [watchKind]

export const reactions = [watchedThreads]

export const queries = ({ db, config: { baseUrl } }: Answering) => ({
  watches: watchesQuery(db, baseUrl),
  watch: watchQuery(db, baseUrl)
})

export { movedSince } from "./queries.ts"
