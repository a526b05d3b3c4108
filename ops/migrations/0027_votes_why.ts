import { type Kysely, sql } from "kysely"

/** Why a vote does not count in its author's reputation; null where it does, as all earlier ones do. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table votes add column why text`.execute(db)
}
