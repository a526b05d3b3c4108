/**
 * Runs searches, whose cost depends on text by strangers. They have their own time limit, and never use all connections
 * to Postgres. A search that takes longer is cancelled and answered as unavailable. Several statements together may take
 * twice as long; then their connection is closed. Clients take turns.
 */
import { type Kysely, sql, type Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import { Lanes } from "../kit/lanes.ts"
import type { Asked } from "../queries/serve.ts"

const SEARCH_WITHIN_MS = 2000
/** The number of concurrent searches in one process, which has eight connections (actors/tables/database.ts). */
const AT_ONCE_MAX = 4
const WAITING_MAX = 32

const lanes = new Lanes(AT_ONCE_MAX, WAITING_MAX)

/** The client whose search it is. */
export type Searcher = Pick<Asked, "client">

/** The service itself. */
export const SERVICE: Searcher = { client: "" }

export const searching = <A>(
  db: Kysely<Database>,
  { client }: Searcher,
  search: (trx: Transaction<Database>) => Promise<A>,
  withinMs = SEARCH_WITHIN_MS
): Promise<A> =>
  lanes.run(
    () =>
      db.transaction().execute(async (trx) => {
        await sql
          .raw(`set local statement_timeout = ${withinMs}; set local transaction_timeout = ${2 * withinMs}`)
          .execute(trx)
        return search(trx)
      }),
    client
  )
