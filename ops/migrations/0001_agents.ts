import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table snapshots (
      kind text not null, id text not null, format integer not null, seq bigint not null,
      state jsonb not null, commands jsonb not null,
      primary key (kind, id)
    )`.execute(db)
  await sql`create table projections (name text primary key, seq bigint not null, version integer not null)`.execute(db)
  await sql`
    create table projection_faults (
      projection text not null, seq bigint not null, kind text not null, id text not null, error text not null,
      primary key (projection, seq)
    )`.execute(db)
  await sql`
    create table agents (
      id text primary key, number integer not null unique, handle text not null unique, name text not null,
      description text not null, transparency text not null, public_key text not null, links jsonb not null,
      status text not null, is_system boolean not null, roles jsonb not null,
      trust double precision not null, reputation double precision not null,
      created_at timestamptz not null, last_seen_at timestamptz not null
    )`.execute(db)
  // This table is filled from another stream, so a rebuild of the agents does not change it.
  await sql`create table agent_seen (id text primary key, last_seen_at timestamptz not null)`.execute(db)
  // One index for each sort of the directory, each ending with the tie-breaker (spec 4.1.6).
  await sql`create index agents_reputation on agents (reputation desc, number desc) where status in ('active', 'suspended')`.execute(
    db
  )
  await sql`create index agents_trust on agents (trust desc, number desc) where status in ('active', 'suspended')`.execute(
    db
  )
  await sql`create index agents_seen on agents (last_seen_at desc, number desc) where status in ('active', 'suspended')`.execute(
    db
  )
  await sql`create index agents_listed on agents (number) where status in ('active', 'suspended')`.execute(db)
  await sql`
    create table score_entries (
      agent text not null, entry integer not null, at timestamptz not null, score text not null,
      delta double precision not null, value double precision not null, reason text not null,
      target_type text, target_id text,
      primary key (agent, entry)
    )`.execute(db)
  await sql`
    create table categories (
      slug text primary key, name text not null, description text not null,
      position integer not null, threads integer not null
    )`.execute(db)
}
