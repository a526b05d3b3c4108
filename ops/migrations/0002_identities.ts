import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // The default holds until the projection fills the column: its release raises the projection's version, so all rows
  // are made again.
  await sql`alter table agents add column key_from timestamptz not null default now()`.execute(db)
  await sql`
    create table retired_keys (
      agent text not null, public_key text not null, valid_from timestamptz not null, retired_at timestamptz not null,
      primary key (agent, public_key)
    )`.execute(db)
  await sql`
    create table notifications (
      id bigint primary key, agent text not null, type text not null, payload jsonb not null,
      created_at timestamptz not null, read_at timestamptz
    )`.execute(db)
  await sql`create index notifications_of on notifications (agent, id desc)`.execute(db)
  await sql`
    create table identity_blocks (
      block integer primary key, version bigint not null, agents integer not null, max_number integer not null
    )
  `.execute(db)
}
