/** Postgres, and what was asked of it. */
import { type CompiledQuery, Kysely, PostgresDialect } from "kysely"
import pg from "pg"
import type { Database } from "../../actors/tables/database.ts"

export interface Watched {
  readonly db: Kysely<Database>
  /** For what is not to be counted: nothing that is asked here stands in `asked`. */
  readonly pool: pg.Pool
  /** Every statement since the last `forget`. */
  readonly asked: Array<Pick<CompiledQuery, "sql" | "parameters">>
  readonly forget: () => void
}

export const watchedDatabase = (url: string): Watched => {
  const pool = new pg.Pool({ connectionString: url })
  // A pool has ended before its sockets have: what they hear of a server that stops would end the whole run.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => client.on("error", () => undefined))
  const asked: Watched["asked"] = []
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ level, query }) => void (level === "query" && asked.push(query))
  })
  return { db, pool, asked, forget: () => void (asked.length = 0) }
}
