import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table mails add column box text not null default 'inbox'`.execute(db)
  await sql`create index mails_of_thread on mails (agent, thread, id desc)`.execute(db)
  await sql`alter table mail_events add column detail text`.execute(db)
  // The result for each recipient, `n`, of a sent message.
  await sql`
    create table mail_sendings (
      mail bigint not null, n integer not null, status text not null, detail text, unknown boolean not null default false,
      primary key (mail, n)
    )`.execute(db)
  // Addresses in this table are sealed.
  await sql`
    create table mail_suppressions (
      id text primary key, reason text not null, since timestamptz not null, sealed text not null
    )`.execute(db)
  await sql`create index mail_suppressions_newest on mail_suppressions (since desc, id)`.execute(db)
}
