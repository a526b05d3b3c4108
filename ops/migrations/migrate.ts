/**
 * Brings Postgres and JetStream up to date: tables by Kysely's migrator, which takes a lock in the database, and
 * streams by their wanted configuration. Several processes may call it at once. It needs the operator's user: no other
 * user of the bus may make, change or empty a stream.
 */
import { readdir } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { connect } from "@nats-io/transport-node"
import { HalfRestored } from "../../actors/log/restore-mark.ts"
import { ensureStreams } from "../../actors/log/streams.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { readConfig } from "../../schemas/config.ts"
import { type Migration, Migrator } from "kysely/migration"
import { type Kysely, sql } from "kysely"
import { type Database, openMigratingDatabase, PATIENT_CONNECT_MS } from "../../actors/tables/database.ts"
import { Fault } from "../cli/fault.ts"

const MIGRATION = /^(\d{4}_\w+)\.ts$/

/** Every file of this folder whose name begins with four digits, sorted. */
export const migrations = async (): Promise<Record<string, Migration>> => {
  const names = (await readdir(import.meta.dirname)).flatMap((file) => MIGRATION.exec(file)?.[1] ?? [])
  const loaded = names
    .toSorted()
    .map(async (name) => [name, (await import(new URL(`${name}.ts`, import.meta.url).href)) as Migration] as const)
  return Object.fromEntries(await Promise.all(loaded))
}

/**
 * Migrations of the database that this release does not have. A newer release or another program has made its tables
 * then.
 */
const unknownTo = async (
  known: Readonly<Record<string, Migration>>,
  db: Kysely<Database>
): Promise<ReadonlyArray<string>> => {
  const made = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there`.execute(db)
  if (made.rows[0]?.there !== true) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name).filter((name) => !Object.hasOwn(known, name))
}

/**
 * Throws the cause of a failure. A migration that fails changes nothing. Those before it stay, unless the database had
 * none. Tables of a newer release are not changed.
 */
export const migrate = async (databaseUrl: string): Promise<void> => {
  const db = openMigratingDatabase(databaseUrl)
  try {
    const known = await migrations()
    const unknown = await unknownTo(known, db)
    if (unknown.length > 0)
      throw new Fault(
        `a newer release has made them, this one does not know the migrations ${unknown.join(", ")}; ` +
          "start the newer release, or name an empty database, which is filled from the log"
      )
    const migrator = new Migrator({ db, provider: { getMigrations: async () => known } })
    const isEmpty = (await migrator.getMigrations()).every(({ executedAt }) => executedAt === undefined)
    for (;;) {
      // Locks that a migration takes end with it, before the next one begins. An empty database has nobody to stop.
      const { error, results } = await (isEmpty ? migrator.migrateToLatest() : migrator.migrateUp())
      if (error !== undefined) throw error instanceof Error ? error : new Error(String(error))
      if (results === undefined || results.length === 0) return
    }
  } finally {
    await db.destroy()
  }
}

/** The time that JetStream needs to choose leaders after its servers have started. */
const STREAMS_WITHIN_MS = 60_000
const STREAMS_RETRY_MS = 250

/**
 * Makes and configures the streams. `env` is a node's environment with the operator's address of the bus. Throws the
 * cause of a failure.
 */
export const migrateStreams = async (env: NodeJS.ProcessEnv): Promise<void> => {
  const read = readConfig(env)
  if (!read.ok) throw new Error(read.problem)
  const { natsUrl, limits, streamReplicas } = read.config
  const nats = await connect({
    ...(busServers(natsUrl, "operator") ?? { servers: [] }),
    name: "hub-migrate",
    timeout: PATIENT_CONNECT_MS
  })
  try {
    const end = performance.now() + STREAMS_WITHIN_MS
    for (;;) {
      try {
        await ensureStreams(nats, limits, streamReplicas)
        return
      } catch (cause) {
        if (cause instanceof HalfRestored) throw new Fault(cause.message)
        if (performance.now() >= end) throw cause
        await delay(STREAMS_RETRY_MS)
      }
    }
  } finally {
    await nats.close()
  }
}
