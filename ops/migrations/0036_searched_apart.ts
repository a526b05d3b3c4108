import { type Kysely, sql } from "kysely"

/**
 * Search vectors move to tables of their own. In the rows of posts and threads, Postgres indexed every word again for
 * each vote and reply, which was five sixths of the cost of such a change.
 *
 * The column `search` of the old place stays for nodes of the earlier release and can be removed in the next one. Their
 * searches have no index any more.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const table of ["posts", "threads"]) {
    const searched = `searched_${table}`
    await sql`
      create table ${sql.table(searched)} (id bigint primary key, author text not null, search tsvector not null)`.execute(
      db
    )
    await sql`
      insert into ${sql.table(searched)} select id, author, search from ${sql.table(table)}`.execute(db)
    await sql`
      create index ${sql.id(`${searched}_search`)} on ${sql.table(searched)} using gin (search)
      with (fastupdate = off)`.execute(db)
    await sql`drop index ${sql.id(`${table}_search`)}`.execute(db)
    await sql`alter table ${sql.table(table)} alter column search set default ''`.execute(db)
  }
}
