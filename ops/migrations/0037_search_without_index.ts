import { type Kysely, sql } from "kysely"

/**
 * The columns `search` of posts and threads stay for nodes of the earlier release and can be removed in the next one.
 * Searches of those nodes have no index any more.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const table of ["posts", "threads"]) {
    await sql`drop index ${sql.id(`${table}_search`)}`.execute(db)
    await sql`alter table ${sql.table(table)} alter column search set default ''`.execute(db)
  }
}
