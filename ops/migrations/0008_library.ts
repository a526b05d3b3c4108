import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table library_entries (
      id integer primary key, slug text not null unique, title text not null, kind text not null, language text,
      summary text not null, body text not null, updated_at timestamptz not null
    )`.execute(db)
}
