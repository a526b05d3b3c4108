import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // Whoever reads a thread is asked for whether some of his own replies in it are hidden.
  await sql`create index replies_hidden on replies (author, thread) where hidden`.execute(db)
  await sql`alter table threads add column status_reason text`.execute(db)
}
