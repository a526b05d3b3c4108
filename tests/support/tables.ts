/** Reads the tables of the read models directly. */
import { type Kysely, sql } from "kysely"
import type { Database } from "../../actors/tables/database.ts"
import { breath } from "./breath.ts"

/** The version of the agents' read model. */
export const versionOf = async (db: Kysely<Database>): Promise<number> =>
  (await db.selectFrom("projections").select("version").where("name", "=", "agent").executeTakeFirstOrThrow()).version

/** Schemas in which tables were rebuilt. */
export const leftOver = async (db: Kysely<Database>): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<{
    name: string
  }>`select nspname as name from pg_namespace where nspname ~ '^(rebuild|verify)_'`.execute(db)
  return rows.map((row) => row.name)
}

/** Counts the agents repeatedly until the returned function is called, which returns the least count. */
export const watchCount = (db: Kysely<Database>): (() => Promise<number>) => {
  let fewest = Number.POSITIVE_INFINITY
  const over = new AbortController()
  const watched = (async () => {
    while (!over.signal.aborted) {
      const { count } = await db
        .selectFrom("agents")
        .select((select) => select.fn.countAll<string>().as("count"))
        .executeTakeFirstOrThrow()
      fewest = Math.min(fewest, Number(count))
      await breath()
    }
  })()
  return async () => {
    over.abort()
    await watched
    return fewest
  }
}
