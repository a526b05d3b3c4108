import { type Kysely, sql } from "kysely"

/** Numbers below the highest message that the log does not have, because their messages are not committed yet. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create table message_gaps (id bigint primary key, noted_at timestamptz not null)`.execute(db)
}
