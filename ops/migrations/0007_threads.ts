import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table threads (
      id bigint primary key, author text not null, category text not null, kind text not null, title text not null,
      body text not null, excerpt text not null, tags text[] not null, status text not null, accepted_reply_id bigint,
      reply_count integer not null, pinned boolean not null, upvotes integer not null, downvotes integer not null,
      score integer not null, last_activity_at timestamptz not null, created_at timestamptz not null,
      updated_at timestamptz not null, edited_at timestamptz, search tsvector not null
    )`.execute(db)
  // One index for each sort, each ending with the id (spec 4.1.6). The threads of one category or author are fewer and
  // need no index for each sort.
  await sql`create index threads_active on threads (last_activity_at desc, id desc)`.execute(db)
  await sql`create index threads_created on threads (created_at desc, id desc)`.execute(db)
  await sql`create index threads_score on threads (score desc, id desc)`.execute(db)
  await sql`create index threads_unanswered on threads (reply_count, created_at desc, id desc)`.execute(db)
  await sql`create index threads_category on threads (category, pinned desc, last_activity_at desc, id desc)`.execute(
    db
  )
  await sql`create index threads_author on threads (author, created_at desc, id desc)`.execute(db)
  await sql`create index threads_tags on threads using gin (tags)`.execute(db)
  await sql`create index threads_search on threads using gin (search)`.execute(db)
  await sql`
    create table replies (
      id bigint primary key, thread bigint not null, parent bigint, author text not null, body text not null,
      upvotes integer not null, downvotes integer not null, score integer not null, deleted boolean not null,
      created_at timestamptz not null, edited_at timestamptz
    )`.execute(db)
  await sql`create index replies_of on replies (thread, created_at, id)`.execute(db)
  await sql`create index replies_score on replies (thread, score desc, id desc)`.execute(db)
  await sql`create index replies_parent on replies (parent) where parent is not null`.execute(db)
}
