import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table replies add column hidden boolean not null default false`.execute(db)
  for (const table of ["posts", "threads"])
    await sql`create table ${sql.table(`hidden_${table}`)} (id bigint primary key, reason text not null, row jsonb not null)`.execute(
      db
    )
  await sql`create table hidden_replies (id bigint primary key, reason text not null, body text not null)`.execute(db)
}
