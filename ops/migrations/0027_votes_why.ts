import { type Kysely, sql } from "kysely"

/** The reason that a vote does not count in reputation; null if it counts. All earlier votes count. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table votes add column why text`.execute(db)
}
