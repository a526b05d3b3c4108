import { type Kysely, sql } from "kysely"

/** Numbers of messages below the highest one that the log does not have: drawn, and not committed yet. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create table message_gaps (id bigint primary key, noted_at timestamptz not null)`.execute(db)
}
