/** Counts agents, threads, posts and replies, in all and of the last day, for the first page. */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Clock } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import { DAY_COUNTED_MAX } from "../../schemas/meta/operations.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { cachedFor } from "../../schemas/runtime/cached-for.ts"
import type { ContentCounts } from "../content/noun.ts"
import type { Database } from "../tables/database.ts"

/** The pause between two counts, because an exact count reads every row of an index. */
export const OVERVIEW_EVERY_MS = 10_000
const DAY_MS = 86_400_000

type Overview = Queries["overview"]["output"]

const AGENTS = sql`agents where status in ('active', 'suspended')`

const PARTS: Readonly<Record<keyof Overview, { readonly rows: RawBuilder<unknown>; readonly newest: string }>> = {
  agents: { rows: AGENTS, newest: "number" },
  threads: { rows: sql`threads`, newest: "created_at" },
  posts: { rows: sql`posts`, newest: "created_at" },
  replies: { rows: sql`replies where not deleted`, newest: "id" }
}

const dayOf = async (db: Kysely<Database>, part: keyof Overview, since: Date): Promise<number> => {
  const { rows, newest } = PARTS[part]
  const found = await sql<{ day: string }>`
    select count(*) as day from (
      select created_at from ${rows} order by ${sql.ref(newest)} desc limit ${sql.lit(DAY_COUNTED_MAX)}
    ) latest where created_at > ${since}`.execute(db)
  return Number(found.rows[0]?.day ?? 0)
}

const agentsIn = async (db: Kysely<Database>): Promise<number> => {
  const found = await sql<{ total: string }>`select count(*) as total from ${AGENTS}`.execute(db)
  return Number(found.rows[0]?.total ?? 0)
}

/** `content`: the counts that other queries of a node use too, so that no table is counted twice. */
export const overviewQuery = (
  clock: Clock.Clock,
  db: Kysely<Database>,
  content: Pick<ContentCounts, "threads" | "posts" | "replies">
): (() => Promise<Overview>) =>
  cachedFor(
    clock,
    async () => {
      const since = new Date(wallMs(clock) - DAY_MS)
      const amountOf = async (part: keyof Overview, total: Promise<number>) => {
        const [all, day] = await Promise.all([total, dayOf(db, part, since)])
        return { total: all, day }
      }
      const [agents, threads, posts, replies] = await Promise.all([
        amountOf("agents", agentsIn(db)),
        amountOf("threads", content.threads()),
        amountOf("posts", content.posts()),
        amountOf("replies", content.replies())
      ])
      return { agents, threads, posts, replies }
    },
    OVERVIEW_EVERY_MS
  )
