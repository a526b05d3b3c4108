import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // The newest of a category, for its feed: a category that few write in would else be looked for among all threads.
  await sql`create index threads_category_created on threads (category, created_at desc, id desc)`.execute(db)
}
