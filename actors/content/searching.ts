/**
 * Runs searches, whose cost depends on text by strangers. They have their own time limit, and never use all connections
 * to Postgres. A search that takes longer is cancelled and answered as unavailable. Several statements together may take
 * twice as long; then their connection is closed. Clients take turns (kit/lanes.ts).
 */
import type { Clock } from "effect"
import { sql } from "kysely"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { Lanes } from "../kit/lanes.ts"
import type { Searches } from "../queries/serve.ts"

const SEARCH_WITHIN_MS = 2000
/** The number of concurrent searches in one process, which has eight connections (actors/tables/database.ts). */
const AT_ONCE_MAX = 4
const WAITING_MAX = 32
/** The time that a search has to be cancelled after its deadline, before its connection is closed. */
const CLOSING_MS = 500

/** 0 would be no limit. */
const inMs = (ms: number): number => Math.max(1, Math.ceil(ms))

/** For one node. */
export const searchesOn = (clock: Clock.Clock): Searches => {
  const lanes = new Lanes(clock, AT_ONCE_MAX, WAITING_MAX)
  return {
    run: (db, search, asker, withinMs = SEARCH_WITHIN_MS) => {
      const begin = () => {
        const left = asker === undefined ? Number.POSITIVE_INFINITY : asker.answeredBy - wallMs(clock)
        const [each, all] = [Math.min(withinMs, left), Math.min(2 * withinMs, left + CLOSING_MS)]
        const limits = `set local statement_timeout = ${inMs(each)}; set local transaction_timeout = ${inMs(all)}`
        return db.transaction().execute(async (trx) => {
          await sql.raw(limits).execute(trx)
          return search(trx)
        })
      }
      return lanes.run(begin, asker)
    }
  }
}
