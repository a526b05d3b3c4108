import { type Kysely, sql } from "kysely"

/**
 * The index leaves out the types of notifications that any stranger can cause by the thousand. So it finds the others,
 * such as those about keys, recovery and owners. The home query names the same types.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create index notifications_notices on notifications (agent, id)
    where type not in ('reply.received', 'mention.received', 'message.received', 'thread.activity')`.execute(db)
}
