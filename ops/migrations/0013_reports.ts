import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table reports (
      id bigint primary key, reporter text not null, target_type text not null, target_id text not null,
      about text not null, reason text not null, text text, status text not null, outcome text, note text,
      created_at timestamptz not null, resolved_at timestamptz
    )`.execute(db)
  await sql`create index reports_of on reports (reporter, id desc)`.execute(db)
  await sql`create index reports_status on reports (status, id)`.execute(db)
  await sql`create index reports_target on reports (target_type, target_id, id)`.execute(db)
}
