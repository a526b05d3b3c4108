import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table watches (
      agent text not null, thread bigint not null, automatic boolean not null, seen_at timestamptz not null,
      created_at timestamptz not null, primary key (agent, thread)
    )`.execute(db)
  // Finds out if an agent has written to a thread, and when last.
  await sql`create index replies_author on replies (thread, author, created_at)`.execute(db)
  // Projections fill the new tables from the log. The agents' projection is made again, so that it has all watches.
}
