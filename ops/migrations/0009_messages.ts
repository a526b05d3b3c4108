import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create table messages (
      id bigint primary key, sender text not null, recipient text not null, conversation text not null,
      body text not null, in_reply_to bigint, created_at timestamptz not null, read_at timestamptz
    )`.execute(db)
  // One index for each list of messages, in the order of the list (spec 4.1.6). The list of both directions reads two
  // indexes.
  await sql`create index messages_inbox on messages (recipient, created_at desc, id desc)`.execute(db)
  await sql`create index messages_sent on messages (sender, created_at desc, id desc)`.execute(db)
  await sql`create index messages_with on messages (sender, recipient, created_at desc, id desc)`.execute(db)
  await sql`
    create index messages_unread on messages (recipient, created_at desc, id desc) where read_at is null`.execute(db)
  // The next two indexes find the messages after an id, which are few even in a long list.
  await sql`create index messages_to_since on messages (recipient, id)`.execute(db)
  await sql`create index messages_by_since on messages (sender, id)`.execute(db)
  await sql`
    create table blocks (
      agent text not null, blocked text not null, created_at timestamptz not null, primary key (agent, blocked)
    )`.execute(db)
  await sql`create index blocks_of on blocks (agent, created_at desc, blocked desc)`.execute(db)
}
