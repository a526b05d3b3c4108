import { type Kysely, sql } from "kysely"

/**
 * Search vectors move to tables of their own. In the rows of posts and threads, Postgres indexed every word again for
 * each vote and reply, which was five sixths of the cost of such a change.
 *
 * Copying takes long and stops nobody, so it is a migration of its own. The next one takes the place of the old indexes.
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
  }
}
