import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table votes (
      id text primary key, voter text not null, target_type text not null, target_id bigint not null,
      value integer not null, created_at timestamptz not null
    )`.execute(db)
  await sql`create index votes_of on votes (voter, created_at desc, id desc) where value <> 0`.execute(db)
  await sql`create unique index votes_on on votes (voter, target_type, target_id) include (value)`.execute(db)
}
