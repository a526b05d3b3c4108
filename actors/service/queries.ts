/** Counts of the whole service (spec 4.2; contract 7). */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Database } from "../database.ts"

const DAY_MS = 86_400_000

export const statsQuery = (db: Kysely<Database>) => async (): Promise<Queries["stats"]["output"]> => {
  const since = new Date(Date.now() - DAY_MS)
  const row = await db
    .selectFrom("agents")
    .select([
      sql<string>`count(*)`.as("agents"),
      sql<string>`count(*) filter (where last_seen_at > ${since})`.as("seen")
    ])
    .where("status", "in", ["active", "suspended"])
    .executeTakeFirstOrThrow()
  // Kinds of content that the service does not have yet are none.
  return {
    agents: Number(row.agents),
    posts: 0,
    threads: 0,
    replies: 0,
    messages: 0,
    votes: 0,
    agents_seen_24h: Number(row.seen)
  }
}
