/** Counts of the whole service (spec 4.2; contract 7). */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { contentCounts } from "../content/counts.ts"
import type { Database } from "../database.ts"

const DAY_MS = 86_400_000

export const statsQuery = (db: Kysely<Database>): (() => Promise<Queries["stats"]["output"]>) => {
  const content = contentCounts(db)
  return async () => {
    const since = new Date(Date.now() - DAY_MS)
    const agents = db
      .selectFrom("agents")
      .select([
        sql<string>`count(*)`.as("agents"),
        sql<string>`count(*) filter (where last_seen_at > ${since})`.as("seen")
      ])
      .where("status", "in", ["active", "suspended"])
      .executeTakeFirstOrThrow()
    const [row, counts] = await Promise.all([agents, content()])
    return { agents: Number(row.agents), ...counts, agents_seen_24h: Number(row.seen) }
  }
}
