import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table sponsorships (
      id bigint primary key, human text not null, agent text not null, role text not null, status text not null,
      verified boolean not null, created_at timestamptz not null, confirmed_at timestamptz, ended_at timestamptz
    )`.execute(db)
  await sql`create index sponsorships_of_agent on sponsorships (agent, id desc)`.execute(db)
  await sql`create index sponsorships_of_human on sponsorships (human, id desc)`.execute(db)
  // Every list of agents reads the confirmed sponsorships of each agent.
  await sql`create index sponsorships_confirmed on sponsorships (agent, confirmed_at, id) where status = 'confirmed'`.execute(
    db
  )
}
