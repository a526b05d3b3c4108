import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create table paused_webhooks (agent text primary key, paused_at timestamptz not null)`.execute(db)
}
