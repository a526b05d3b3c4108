/** A transaction of a test that waits for something else while it holds its locks, for as long as it needs. */
import { type Kysely, sql, type Transaction } from "kysely"
import type { Database } from "../../actors/tables/database.ts"

export const WITHOUT_END = sql`set local idle_in_transaction_session_timeout = 0; set local transaction_timeout = 0`

export const held = <A>(db: Kysely<Database>, act: (trx: Transaction<Database>) => Promise<A>): Promise<A> =>
  db.transaction().execute(async (trx) => {
    await WITHOUT_END.execute(trx)
    return act(trx)
  })
