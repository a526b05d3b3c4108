import { type Kysely, sql } from "kysely"

/**
 * Finds notifications about keys, recovery and owners, without the types that any stranger can send by the thousand.
 * The home query names the same types.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create index notifications_notices on notifications (agent, id)
    where type not in ('reply.received', 'mention.received', 'message.received', 'thread.activity')`.execute(db)
}
