import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // The content of messages is sealed. Words and ids are stored as marks, which only the mailbox's key can make.
  await sql`
    create table mails (
      id bigint primary key, agent text not null, mailbox bigint not null, thread bigint not null,
      received_at timestamptz not null, read_at timestamptz, envelope text not null, words text[] not null, own text,
      lets_in boolean not null
    )`.execute(db)
  await sql`create index mails_of_agent on mails (agent, id desc)`.execute(db)
  await sql`create index mails_unread on mails (agent, id desc) where read_at is null`.execute(db)
  await sql`create index mails_letting_in on mails (agent, received_at) where lets_in`.execute(db)
  await sql`create index mails_by_words on mails using gin (words)`.execute(db)
  await sql`create index mails_by_own on mails (agent, own) where own is not null`.execute(db)
  await sql`create index mails_of_mailbox on mails (mailbox)`.execute(db)
  await sql`
    create table mail_events (
      id bigint primary key, agent text not null, at timestamptz not null, event text not null, mailbox bigint not null,
      mail bigint, sealed text
    )`.execute(db)
  await sql`create index mail_events_of_agent on mail_events (agent, id desc)`.execute(db)
}
