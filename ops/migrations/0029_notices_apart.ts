import { type Kysely, sql } from "kysely"

/**
 * Notices, without what any stranger can send by the thousand: those of keys, recovery and owners are found among them.
 * The home query names the same types.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create index notifications_notices on notifications (agent, id)
    where type not in ('reply.received', 'mention.received', 'message.received', 'thread.activity')`.execute(db)
}
