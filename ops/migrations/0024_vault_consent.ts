import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table vault_log add column asks_until timestamptz`.execute(db)
  await sql`create index vault_log_asks on vault_log (asks_until) where asks_until is not null`.execute(db)
  await sql`
    create index vault_log_standing on vault_log (agent, id desc) where event in ('key_generated', 'revoked')`.execute(
    db
  )
}
