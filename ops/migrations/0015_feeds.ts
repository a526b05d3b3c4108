import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // Finds the newest threads of a category for its feed. Without it, a category with few threads would need a scan of
  // all threads.
  await sql`create index threads_category_created on threads (category, created_at desc, id desc)`.execute(db)
}
