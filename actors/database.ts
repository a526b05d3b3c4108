/** The tables of Postgres: snapshots and read models. All of it can be made again from the log. */
import { type ColumnType, Kysely, PostgresDialect } from "kysely"
import pg from "pg"

type Json = ColumnType<unknown, string, string>
/** bigint: text on the way out. */
type Big = ColumnType<string, string | number, string | number>
type Time = ColumnType<Date, Date | string, Date | string>
type NullableTime = ColumnType<Date | null, Date | string | null, Date | string | null>

export interface Database {
  snapshots: { kind: string; id: string; format: number; seq: Big; state: Json; commands: Json }
  projections: { name: string; seq: Big; version: number }
  /** Messages of the log that could not be brought into a read model. */
  projection_faults: { projection: string; seq: Big; kind: string; id: string; error: string }
  agents: {
    id: string
    number: number
    handle: string
    name: string
    description: string
    transparency: string
    public_key: string
    links: Json
    status: string
    is_system: boolean
    roles: Json
    trust: number
    reputation: number
    created_at: Time
    last_seen_at: Time
    key_from: Time
  }
  retired_keys: { agent: string; public_key: string; valid_from: Time; retired_at: Time }
  notifications: {
    id: Big
    agent: string
    type: string
    payload: Json
    created_at: Time
    read_at: ColumnType<Date | null, Date | string | null, Date | string | null>
  }
  deliveries: {
    /** The notification's. */
    id: Big
    agent: string
    type: string
    status: string
    attempts: number
    response_code: number | null
    last_error: string | null
    next_attempt_at: NullableTime
    created_at: Time
    delivered_at: NullableTime
    attempts_log: Json
  }
  identity_blocks: { block: number; version: Big; agents: number; max_number: number }
  agent_seen: { id: string; last_seen_at: Time }
  score_entries: {
    agent: string
    entry: number
    at: Time
    score: string
    delta: number
    value: number
    reason: string
    target_type: string | null
    target_id: string | null
  }
  categories: { slug: string; name: string; description: string; position: number; threads: number }
}

/** Connections of one process; Postgres itself takes 100. */
const POOL_MAX = 8
const CONNECT_TIMEOUT_MS = 2000
/** For commands of the operator and for the start, which have nobody waiting: a machine may be as slow as it likes. */
export const PATIENT_CONNECT_MS = 60_000
const STATEMENT_TIMEOUT_MS = 10_000

/** One at work, one that holds what excludes others, one to look at the served tables with. */
const BULK_POOL_MAX = 3
const BULK_STATEMENT_TIMEOUT_MS = 600_000
const BULK_SETTINGS = "-c work_mem=64MB -c maintenance_work_mem=128MB"

interface Pool {
  readonly max: number
  readonly timeoutMs: number
  readonly options: string
  readonly connectWithinMs: number
}

const open = (url: string, { max, timeoutMs, options, connectWithinMs }: Pool): Kysely<Database> => {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    // Everything here is made from the log, rows and watermark in one transaction: what a crash takes away is applied
    // again.
    options: `-c synchronous_commit=off ${options}`,
    connectionTimeoutMillis: connectWithinMs,
    statement_timeout: timeoutMs,
    // A query sent into a dead connection must not hang for as long as TCP would let it.
    query_timeout: timeoutMs
  })
  // A connection that dies, idle or in use, is replaced at the next query; without a listener it would end the process.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => {
    client.on("error", () => undefined)
  })
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
}

export const openDatabase = (url: string, connectWithinMs = CONNECT_TIMEOUT_MS): Kysely<Database> =>
  open(url, { max: POOL_MAX, timeoutMs: STATEMENT_TIMEOUT_MS, options: "", connectWithinMs })

/** The schema of the tables that are served. */
export const LIVE_SCHEMA = "public"

/**
 * For work on whole tables. A table's name means the one in `schema` where there is one, else the one that is served.
 */
export const openBulkDatabase = (url: string, schema: string): Kysely<Database> =>
  open(url, {
    max: BULK_POOL_MAX,
    timeoutMs: BULK_STATEMENT_TIMEOUT_MS,
    connectWithinMs: PATIENT_CONNECT_MS,
    options: `${BULK_SETTINGS} -c search_path=${schema},${LIVE_SCHEMA}`
  })
