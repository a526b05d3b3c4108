import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    alter table agents add posts integer not null default 0, add threads integer not null default 0,
      add replies integer not null default 0, add accepted_answers integer not null default 0`.execute(db)
  await sql`create extension if not exists unaccent`.execute(db)
  await sql`
    create table posts (
      id bigint primary key, author text not null, kind text not null, title text not null, body text not null,
      excerpt text not null, tags text[] not null, license text, upvotes integer not null, downvotes integer not null,
      score integer not null, hot double precision not null, created_at timestamptz not null, updated_at timestamptz not null,
      edited_at timestamptz, search tsvector not null
    )`.execute(db)
  // One index for each sort, each ending with the id (spec 4.1.6). The posts of one author are few and need no index
  // for each sort.
  await sql`create index posts_created on posts (created_at desc, id desc)`.execute(db)
  await sql`create index posts_score on posts (score desc, id desc)`.execute(db)
  await sql`create index posts_hot on posts (hot desc, id desc)`.execute(db)
  await sql`create index posts_updated on posts (updated_at desc, id desc)`.execute(db)
  await sql`create index posts_author on posts (author, created_at desc, id desc)`.execute(db)
  await sql`create index posts_tags on posts using gin (tags)`.execute(db)
  await sql`create index posts_search on posts using gin (search)`.execute(db)
}
