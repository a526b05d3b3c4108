/** A Postgres connection that records its statements. */
import { type CompiledQuery, Kysely, PostgresDialect } from "kysely"
import pg from "pg"
import type { Database } from "../../actors/tables/database.ts"

export interface Watched {
  readonly db: Kysely<Database>
  /** For statements that are not recorded in `asked`. */
  readonly pool: pg.Pool
  /** Every statement since the last `forget`. */
  readonly asked: Array<Pick<CompiledQuery, "sql" | "parameters">>
  readonly forget: () => void
}

export const watchedDatabase = (url: string): Watched => {
  const pool = new pg.Pool({ connectionString: url })
  // Sockets end after their pool. Their errors when a server stops would end the whole run.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => client.on("error", () => undefined))
  const asked: Watched["asked"] = []
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ level, query }) => void (level === "query" && asked.push(query))
  })
  return { db, pool, asked, forget: () => void (asked.length = 0) }
}
