import { type Kysely, sql } from "kysely"

/** Whoever reads a thread is asked for whether some of his own replies in it are hidden. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create index replies_hidden on replies (author, thread) where hidden`.execute(db)
}
