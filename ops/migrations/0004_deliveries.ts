import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table deliveries (
      id bigint primary key, agent text not null, type text not null, status text not null, attempts integer not null,
      response_code integer, last_error text, next_attempt_at timestamptz, created_at timestamptz not null,
      delivered_at timestamptz, attempts_log jsonb not null
    )`.execute(db)
  await sql`create index deliveries_of on deliveries (agent, id desc)`.execute(db)
  await sql`create index deliveries_age on deliveries (created_at)`.execute(db)
}
