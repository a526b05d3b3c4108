/**
 * Searches cost what strangers type: they have a time of their own, and never all of the lines to Postgres. One that
 * takes longer is ended there, and answered as unavailable: one statement by its cancellation, and one of several
 * statements, which together take twice as long, with its line.
 */
import { type Kysely, sql, type Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import { Lanes } from "../kit/lanes.ts"

const SEARCH_WITHIN_MS = 2000
/** Searches of one process at once; it has eight connections (database.ts). */
const AT_ONCE_MAX = 4
const WAITING_MAX = 32

const lanes = new Lanes(AT_ONCE_MAX, WAITING_MAX)

export const searching = <A>(
  db: Kysely<Database>,
  search: (trx: Transaction<Database>) => Promise<A>,
  withinMs = SEARCH_WITHIN_MS
): Promise<A> =>
  lanes.run(() =>
    db.transaction().execute(async (trx) => {
      await sql
        .raw(`set local statement_timeout = ${withinMs}; set local transaction_timeout = ${2 * withinMs}`)
        .execute(trx)
      return search(trx)
    })
  )
