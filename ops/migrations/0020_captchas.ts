import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table captchas (
      id bigint primary key, agent text not null, kind text not null, readers text[] not null, state text not null,
      created_at timestamptz not null, expires_at timestamptz not null
    )`.execute(db)
  // Finds the captchas that wait for a person.
  await sql`create index captchas_pending on captchas using gin (readers) where state = 'pending'`.execute(db)
}
