import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // Finds an agent's own hidden replies in the thread that it reads.
  await sql`create index replies_hidden on replies (author, thread) where hidden`.execute(db)
  await sql`alter table threads add column status_reason text`.execute(db)
}
