/**
 * Connections to Postgres for queries of the read models, divided among clients. The cost of a query depends on what
 * strangers have written and on the page that they ask for, so one client could hold up all others.
 *
 * Invariants
 *  - Clients take turns with each statement (lanes.ts). `currentAsker` says for whom it is run.
 *  - A statement is first tried for `TRY_MS`, which is enough for nearly all. If that is too short, it is run again among
 *    the long ones, which have connections of their own. So a costly statement takes little from others, even if each
 *    one comes from another client. For `SLOW_FOR_MS` to twice that, the same client's statements of the same text, with
 *    any values, begin among the long ones.
 *  - A long statement is cancelled after `LONG_WITHIN_MS`, and the query is refused as overloaded.
 *  - Projections and searches have other connections (tables/database.ts).
 *  - A statement may run twice, so Postgres refuses those that write. There are no transactions here.
 */
import type { Clock } from "effect"
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult
} from "kysely"
import type { Pool, QueryResultRow } from "pg"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import { QueryRefused } from "../queries/refused.ts"
import { currentAsker, TOOK_TOO_LONG } from "../queries/serve.ts"
import { Recent } from "../engine/recent.ts"
import { type Database, openReading } from "../tables/database.ts"
import { sqlStateOf, STATEMENT_CANCELLED } from "../tables/sql-state.ts"
import { Lanes } from "./lanes.ts"

export const TRY_MS = 250
const LONG_WITHIN_MS = 3000
/** The numbers of connections for first tries and for long statements in one process. */
const TRIES_MAX = 6
const LONG_MAX = 2
/** Statements. A query runs at most some at once, and a node some hundred queries (queries/serve.ts). */
const WAITING_MAX = 256

const SLOW_FOR_MS = 30_000
/** Pairs of a client and a statement's text. */
const SLOW_MAX = 1024

/** For one node. `destroy` closes the connections. */
export const openReads = (clock: Clock.Clock, url: string): Kysely<Database> => {
  const tries = { lanes: new Lanes(clock, TRIES_MAX, WAITING_MAX), pool: openReading(url, TRIES_MAX, TRY_MS) }
  const long = { lanes: new Lanes(clock, LONG_MAX, WAITING_MAX), pool: openReading(url, LONG_MAX, LONG_WITHIN_MS) }
  const slow = new Recent<true>(SLOW_FOR_MS, SLOW_MAX)
  const run = async <R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
    const asker = currentAsker()
    const shape = `${asker?.client ?? ""}\n${text}`
    const on = ({ lanes, pool }: { readonly lanes: Lanes; readonly pool: Pool }) =>
      lanes.run(() => pool.query<R & QueryResultRow>(text, [...parameters]), asker)
    try {
      if (slow.get(shape, monotonicMs(clock)) === undefined) return await on(tries)
    } catch (error) {
      if (sqlStateOf(error) !== STATEMENT_CANCELLED) throw error
      slow.set(shape, true, monotonicMs(clock))
    }
    try {
      return await on(long)
    } catch (error) {
      throw sqlStateOf(error) === STATEMENT_CANCELLED ? new QueryRefused(TOOK_TOO_LONG) : error
    }
  }
  // To Kysely this is one connection, which any number of queries may use at once.
  const connection: DatabaseConnection = { executeQuery: run, streamQuery: unsupported }
  const driver: Driver = {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: () => Promise.resolve(),
    beginTransaction: unsupported,
    commitTransaction: unsupported,
    rollbackTransaction: unsupported,
    destroy: async () => {
      await Promise.all([tries.pool.end(), long.pool.end()])
    }
  }
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler()
    }
  })
}

const unsupported = (): never => {
  throw new Error("queries have no transactions and no streams")
}
