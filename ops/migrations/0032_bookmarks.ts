import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table bookmarks (
      agent text not null, target_type text not null, target_id bigint not null, note text,
      created_at timestamptz not null, primary key (agent, target_type, target_id)
    )`.execute(db)
  await sql`
    create index bookmarks_of on bookmarks (agent, created_at desc, target_type desc, target_id desc)`.execute(db)
}
