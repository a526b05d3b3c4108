/** The tables of Postgres: snapshots and read models. All of them can be made again from the log. */
import { Kysely, PostgresDialect } from "kysely"
import pg from "pg"
import { namedSocket } from "../../schemas/runtime/names.ts"
import type { Database } from "./columns.ts"

export type { Database }

/**
 * Connections of one process for projections, snapshots, searches and feeds. Queries have eight others (kit/reads.ts).
 * Postgres itself accepts 100.
 */
const POOL_MAX = 8
const CONNECT_TIMEOUT_MS = 2000
/** The timeout for operators' commands and at the start. No client waits for them, so the machine may be slow. */
export const PATIENT_CONNECT_MS = 60_000
const STATEMENT_TIMEOUT_MS = 10_000
/** Shorter than the statement timeout, so that waiting for a lock fails with a distinct error code. */
const LOCK_TIMEOUT_MS = 8000
const ANSWER_MS = 2000
/**
 * A process that is frozen within a transaction keeps its locks, and stops its successor and a restore. So Postgres ends
 * a transaction that waits this long for its next statement. Shorter than the lock timeout: who waits for the locks gets
 * them.
 */
const IDLE_TIMEOUT_MS = 5000
/** The same while Postgres waits for a process to read rows, which is no idle time. */
const TRANSACTION_TIMEOUT_MS = 60_000

/** One connection for the work, one that holds the exclusive lock, and one to read the served tables. */
const BULK_POOL_MAX = 3
const BULK_STATEMENT_TIMEOUT_MS = 600_000
/** The transaction in which new tables take over waits for the rest of the log, with all projectors stopped. */
const BULK_IDLE_TIMEOUT_MS = 60_000
const BULK_SETTINGS = "-c work_mem=64MB -c maintenance_work_mem=128MB"

interface Pool {
  readonly max: number
  readonly timeoutMs: number
  readonly idleMs: number
  readonly options: string
  readonly connectWithinMs: number
}

const open = (url: string, { max, timeoutMs, idleMs, options, connectWithinMs }: Pool): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: url,
    stream: () => namedSocket(),
    max,
    // Everything here is made from the log, and rows and watermark are one transaction. So what a crash loses is
    // applied again.
    options: `-c synchronous_commit=off ${options}`,
    connectionTimeoutMillis: connectWithinMs,
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: idleMs,
    // A query on a dead connection must not hang until TCP gives up. A server that lives has ended it before that.
    query_timeout: timeoutMs + ANSWER_MS
  })
  // A dead connection, idle or in use, is replaced at the next query. Without a listener its error would end the
  // process.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => {
    client.on("error", () => undefined)
  })
  return pool
}

const database = (pool: pg.Pool): Kysely<Database> => new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })

export const openDatabase = (url: string, connectWithinMs = CONNECT_TIMEOUT_MS): Kysely<Database> =>
  database(
    open(url, {
      max: POOL_MAX,
      timeoutMs: STATEMENT_TIMEOUT_MS,
      idleMs: IDLE_TIMEOUT_MS,
      options: `-c lock_timeout=${LOCK_TIMEOUT_MS} -c transaction_timeout=${TRANSACTION_TIMEOUT_MS}`,
      connectWithinMs
    })
  )

/** At most `max` connections that only read, on which a statement is cancelled after `timeoutMs`. */
export const openReading = (url: string, max: number, timeoutMs: number): pg.Pool =>
  open(url, {
    max,
    timeoutMs,
    idleMs: IDLE_TIMEOUT_MS,
    options: "-c default_transaction_read_only=on",
    connectWithinMs: CONNECT_TIMEOUT_MS
  })

export const LIVE_SCHEMA = "public"

const bulk = (url: string, options: string): Kysely<Database> =>
  database(
    open(url, {
      max: BULK_POOL_MAX,
      timeoutMs: BULK_STATEMENT_TIMEOUT_MS,
      idleMs: BULK_IDLE_TIMEOUT_MS,
      connectWithinMs: PATIENT_CONNECT_MS,
      options: `${BULK_SETTINGS} ${options}`
    })
  )

/**
 * A connection pool for changes of served tables. Copying and indexing may take long. A wait for a lock may not, because
 * it makes all later readers of the table wait.
 */
export const openMigratingDatabase = (url: string): Kysely<Database> => bulk(url, `-c lock_timeout=${LOCK_TIMEOUT_MS}`)

/**
 * A connection pool for work on whole tables. A table name means the table in `schema` if it exists there, otherwise
 * the served one.
 */
export const openBulkDatabase = (url: string, schema: string): Kysely<Database> =>
  bulk(url, `-c search_path=${schema},${LIVE_SCHEMA}`)
