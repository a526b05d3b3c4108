/**
 * Threads that are discussed most at the moment, by the number of other agents, then by the number of replies. An
 * author's own replies count only between threads with the same number of other agents.
 */
import { type Kysely, sql } from "kysely"
import type { Clock } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { cachedFor } from "../../schemas/runtime/cached-for.ts"
import { DISCUSSED_MAX } from "../../schemas/thread/operations.ts"
import type { Database } from "../tables/database.ts"
import { listedThreads } from "./queries.ts"

/** The ids are found once in this time. The records are read each time. */
export const DISCUSSED_EVERY_MS = 10_000
const WEEK_MS = 604_800_000
const REPLIES_LOOKED_AT = 5_000

interface FoundCounts {
  readonly thread: string
  readonly replies: string
}

export const discussedQuery = (
  clock: Clock.Clock,
  db: Kysely<Database>,
  baseUrl: string
): ((input: Queries["threads_discussed"]["input"]) => Promise<Queries["threads_discussed"]["output"]>) => {
  const find = cachedFor(
    clock,
    async () => {
      const { rows } = await sql<FoundCounts>`
        select latest.thread, count(*) as replies from (
          select thread, author, created_at, deleted, hidden from replies order by id desc limit ${sql.lit(REPLIES_LOOKED_AT)}
        ) latest
        join threads t on t.id = latest.thread
        where latest.created_at > ${new Date(wallMs(clock) - WEEK_MS)} and not latest.deleted and not latest.hidden
        group by latest.thread
        order by count(distinct latest.author) filter (where latest.author <> t.author) desc, replies desc, latest.thread desc limit ${sql.lit(DISCUSSED_MAX)}`.execute(
        db
      )
      return rows
    },
    DISCUSSED_EVERY_MS
  )
  return async ({ limit }) => {
    const found = (await find()).slice(0, Math.min(limit, DISCUSSED_MAX))
    const replies = new Map(found.map((one) => [Number(one.thread), Number(one.replies)]))
    const threads = await listedThreads(
      db,
      baseUrl,
      found.map(({ thread }) => thread),
      null
    )
    return threads.map((thread) => ({ thread, new_replies: replies.get(thread.id) ?? 0 }))
  }
}
