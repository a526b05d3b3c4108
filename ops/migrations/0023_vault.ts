import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table vault_log (
      id bigint primary key, agent text not null, at timestamptz not null, event text not null, actor text not null,
      entry integer, kind text, origin text, amount text, currency text, status text, code text, fill integer
    )`.execute(db)
  await sql`create index vault_log_of_agent on vault_log (agent, id desc)`.execute(db)
  await sql`create index vault_log_fills on vault_log (agent, fill) where fill is not null`.execute(db)
}
