import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create table archive_segments (last bigint primary key, first bigint not null, sha256 text not null)`.execute(
    db
  )
  await sql`
    create table archive_actors (
      kind text not null,
      id text not null,
      seq bigint not null,
      expires_at timestamptz,
      primary key (kind, id)
    )`.execute(db)
  await sql`create index archive_actors_expired on archive_actors (expires_at) where expires_at is not null`.execute(db)
}
