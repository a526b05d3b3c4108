import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table owner_messages (
      id bigint primary key, agent text not null, human text, kind text, sealed text not null, keys jsonb not null,
      readers text[] not null, in_reply_to bigint, delivered_to jsonb not null, created_at timestamptz not null,
      read_at timestamptz
    )`.execute(db)
  await sql`create index owner_messages_of_agent on owner_messages (agent, id desc)`.execute(db)
  // Finds the answers to a question.
  await sql`create index owner_messages_answering on owner_messages (in_reply_to, id) where in_reply_to is not null`.execute(
    db
  )
  // Finds the questions that agents ask a person.
  await sql`create index owner_messages_asking on owner_messages using gin (readers) where human is null`.execute(db)
}
