import type { Answering } from "../queries/serve.ts"
import { threadKind } from "./actor.ts"
import { discussedQuery } from "./discussed.ts"
import { threadProjection } from "./projection.ts"
import { threadQuery, threadsQuery } from "./queries.ts"
import { ratedThreads, threadNotifications } from "./reactions.ts"

export const kinds = [threadKind]

export const projections = [threadProjection]

export const reactions = [ratedThreads, threadNotifications]

export const queries = ({ clock, db, searches, config: { baseUrl } }: Answering) => ({
  threads: threadsQuery(clock, db, baseUrl, searches),
  thread: threadQuery(db, baseUrl),
  threads_discussed: discussedQuery(clock, db, baseUrl)
})

export { listedThreads } from "./queries.ts"
export { ThreadEvent } from "./state.ts"
