/** Counts agents, threads, posts and replies, in all and of the last day, for the first page. */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Clock } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import { DAY_COUNTED_MAX } from "../../schemas/meta/operations.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { counted } from "../content/counts.ts"
import type { Database } from "../database.ts"

/** A count in all looks at every row of an index. */
export const OVERVIEW_EVERY_MS = 10_000
const DAY_MS = 86_400_000

type Overview = Queries["overview"]["output"]

/** `newest`: by which the newest come first in an index. */
const PARTS: Readonly<Record<keyof Overview, { readonly rows: RawBuilder<unknown>; readonly newest: string }>> = {
  agents: { rows: sql`agents where status in ('active', 'suspended')`, newest: "number" },
  threads: { rows: sql`threads`, newest: "created_at" },
  posts: { rows: sql`posts`, newest: "created_at" },
  replies: { rows: sql`replies where not deleted`, newest: "id" }
}

const amountOf = async (db: Kysely<Database>, part: keyof Overview, since: Date): Promise<Overview["posts"]> => {
  const { rows, newest } = PARTS[part]
  const found = await sql<{ total: string; day: string }>`
    select (select count(*) from ${rows}) as total, (
      select count(*) from (
        select created_at from ${rows} order by ${sql.ref(newest)} desc limit ${sql.lit(DAY_COUNTED_MAX)}
      ) latest where created_at > ${since}
    ) as day`.execute(db)
  return { total: Number(found.rows[0]?.total ?? 0), day: Number(found.rows[0]?.day ?? 0) }
}

export const overviewQuery = (clock: Clock.Clock, db: Kysely<Database>): (() => Promise<Overview>) =>
  counted(
    clock,
    async () => {
      const since = new Date(wallMs(clock) - DAY_MS)
      const [agents, threads, posts, replies] = await Promise.all([
        amountOf(db, "agents", since),
        amountOf(db, "threads", since),
        amountOf(db, "posts", since),
        amountOf(db, "replies", since)
      ])
      return { agents, threads, posts, replies }
    },
    OVERVIEW_EVERY_MS
  )
