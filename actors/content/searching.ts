/**
 * Runs searches, whose cost depends on text by strangers.
 *
 * Invariants
 *  - Searches never use all connections to Postgres, and clients take turns (kit/lanes.ts).
 *  - A search is first tried for `TRY_MS`, which is enough for nearly all. If that is too short, it is run again among
 *    the long ones, which have places of their own. So a costly search takes little from others, even if each comes
 *    from another client.
 *  - A long search that takes longer than `LONG_WITHIN_MS` is cancelled and refused as overloaded.
 *  - Several statements together may take twice as long, in the first try too. Then their connection is closed.
 */
import type { Clock } from "effect"
import { type Kysely, sql, type Transaction } from "kysely"
import { monotonicMs, wallMs } from "../../schemas/runtime/clock.ts"
import { Lanes } from "../kit/lanes.ts"
import { TRY_MS } from "../kit/reads.ts"
import { QueryRefused } from "../queries/refused.ts"
import { type Asker, currentAsker, TOOK_TOO_LONG, type Searches } from "../queries/serve.ts"
import type { Database } from "../tables/database.ts"
import { sqlStateOf, STATEMENT_CANCELLED } from "../tables/sql-state.ts"

const LONG_WITHIN_MS = 2000
/**
 * The numbers of concurrent first tries and of concurrent long searches in one process, of the eight connections that
 * they share with projections (actors/tables/database.ts).
 */
const TRIES_MAX = 2
const LONG_MAX = 2
const WAITING_MAX = 32
/** The time that a search has to be cancelled after its deadline, before its connection is closed. */
const CLOSING_MS = 500

type Search<A> = (trx: Transaction<Database>) => Promise<A>

class TooLong extends Error {}

export const searchLanes = (clock: Clock.Clock) => ({
  tries: new Lanes(clock, TRIES_MAX, WAITING_MAX),
  long: new Lanes(clock, LONG_MAX, WAITING_MAX)
})

/** For one node. `db`: connections that no query of another kind uses (kit/reads.ts). */
export const searchesOn = (
  clock: Clock.Clock,
  db: Kysely<Database>,
  { tries, long } = searchLanes(clock)
): Searches => {
  /** Fails with `TooLong` if a statement takes longer than `ms`, or all together take twice as long. */
  const within = async <A>(ms: number, search: Search<A>, asker: Asker | undefined): Promise<A> => {
    const began = monotonicMs(clock)
    const left = asker === undefined ? Number.POSITIVE_INFINITY : asker.answeredBy - wallMs(clock)
    const [each, all] = [Math.min(ms, left), Math.min(2 * ms, left + CLOSING_MS)]
    const timeouts = `set local statement_timeout = ${inMs(each)}; set local transaction_timeout = ${inMs(all)}`
    try {
      return await db.transaction().execute(async (trx) => {
        await sql.raw(timeouts).execute(trx)
        return search(trx)
      })
    } catch (error) {
      // The error of a closed connection does not say why it was closed.
      const isOver = sqlStateOf(error) === STATEMENT_CANCELLED || monotonicMs(clock) - began >= all
      throw isOver ? new TooLong() : error
    }
  }
  return {
    run: async (search, withinMs = LONG_WITHIN_MS) => {
      const asker = currentAsker()
      try {
        return await tries.run(() => within(Math.min(TRY_MS, withinMs), search, asker), asker)
      } catch (error) {
        if (!(error instanceof TooLong)) throw error
      }
      try {
        return await long.run(() => within(withinMs, search, asker), asker)
      } catch (error) {
        throw error instanceof TooLong ? new QueryRefused(TOOK_TOO_LONG) : error
      }
    }
  }
}

/** 0 would be no limit. */
const inMs = (ms: number): number => Math.max(1, Math.ceil(ms))
