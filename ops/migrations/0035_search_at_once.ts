import { type Kysely, sql } from "kysely"

const INDEXES = [
  "posts_search",
  "posts_tags",
  "threads_search",
  "threads_tags",
  "agents_alike",
  "owner_messages_asking",
  "captchas_pending",
  "mails_by_words"
]

/**
 * Writes entries into the GIN indexes at once. By default Postgres gathers them in a list that each search reads whole.
 * It estimates that so high that a list of 140 KB, which two posts can fill, made it read all rows instead.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  // Emptying a list takes a while and stops nobody. The locks of the changes do, until the migration ends.
  for (const index of INDEXES) await sql`select gin_clean_pending_list(${index}::regclass)`.execute(db)
  for (const index of INDEXES) await sql`alter index ${sql.id(index)} set (fastupdate = off)`.execute(db)
}
