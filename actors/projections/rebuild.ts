/**
 * Makes a projection's tables anew from the log, beside those that are served, and lets them take their place.
 *
 * Invariants
 *  - The served tables stay as they are, and go on being projected, until the new ones replace them in one transaction:
 *    no read sees fewer rows than before.
 *  - At that moment the new tables stand exactly at the served watermark (or ahead of it, where nobody had moved it).
 *    The projector is held at its watermark's row meanwhile, and goes on from there as if nothing had happened.
 *  - Readers are waited for, never ended, and never made to wait longer than LOCK_TIMEOUT_MS a try: the lock on the
 *    tables is given up and tried for again.
 *  - One at a time in a database, by an advisory lock that its holder's death releases. What a dead one left is dropped
 *    by the next. Whoever has lost the lock fails at the watermark of its own tables.
 */
import { setTimeout as delay } from "node:timers/promises"
import { type Kysely, sql, type Transaction } from "kysely"
import { type Database, LIVE_SCHEMA, openBulkDatabase } from "../database.ts"
import { Filling, type FillingParts } from "./filling.ts"
import type { Projection } from "./projection.ts"
import { createShadow, dropShadow, finishShadow, takePlace } from "./shadow.ts"

/** Rounds of catching up with a log that grows, before it is held. */
const ROUNDS_MAX = 20
/** So far behind the served watermark the projector may be held for the rest. */
const CLOSE = 500
const SWAP_TRIES = 50
const SWAP_RETRY_MS = 100
const LOCK_TIMEOUT_MS = 250
/** The projector holds its watermark's row for as long as a batch takes. */
const ROW_TIMEOUT_MS = 5000

export interface RebuildParts extends FillingParts {
  readonly databaseUrl: string
}

export interface Rebuilt {
  readonly messages: number
  /** The watermark at which the new tables took over. */
  readonly seq: number
  readonly seconds: number
}

/** Another rebuild, or a verification, is under way in this database. */
export class Busy extends Error {}

/** The schema that a rebuild of this projection works in. */
export const rebuildSchema = (projection: Pick<Projection, "name">): string => `rebuild_${projection.name}`

/**
 * Runs while nobody else in this database makes tables anew. Throws `Busy`. What may only be done under the lock is
 * done over the connection that holds it: with that lost, it fails.
 */
export const exclusively = <T>(db: Kysely<Database>, act: (held: Kysely<Database>) => Promise<T>): Promise<T> =>
  db.connection().execute(async (held) => {
    const { rows } = await sql<{
      taken: boolean
    }>`select pg_try_advisory_lock(hashtext('read models made anew')) as taken`.execute(held)
    if (rows[0]?.taken !== true) throw new Busy("another rebuild or verification of the read models is under way")
    try {
      return await act(held)
    } finally {
      await sql`select pg_advisory_unlock(hashtext('read models made anew'))`.execute(held).catch(() => undefined)
    }
  })

export const rebuild = async (parts: RebuildParts): Promise<Rebuilt> => {
  const began = performance.now()
  const schema = rebuildSchema(parts.projection)
  const db = openBulkDatabase(parts.databaseUrl, schema)
  try {
    return await exclusively(db, async (held) => {
      try {
        const { messages, seq } = await buildAndSwap(db, schema, parts)
        return { messages, seq, seconds: (performance.now() - began) / 1000 }
      } finally {
        await dropShadow(held, schema).catch(() => undefined)
      }
    })
  } finally {
    await db.destroy()
  }
}

const buildAndSwap = async (
  db: Kysely<Database>,
  schema: string,
  parts: RebuildParts
): Promise<{ messages: number; seq: number }> => {
  const { projection, signal } = parts
  await createShadow(db, schema, projection)
  const filling = new Filling(db, parts)
  await filling.everything()
  await db.transaction().execute(projection.settle)
  await finishShadow(db, schema, projection)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const served = await servedWatermark(db, projection)
    if (served - filling.seq <= CLOSE) break
    await filling.upTo(served)
  }
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    try {
      const seq = await db.transaction().execute((trx) => swap(trx, schema, projection, filling))
      return { messages: filling.messages, seq }
    } catch (error) {
      if (tries >= SWAP_TRIES || !isContention(error)) throw error
      await delay(SWAP_RETRY_MS)
    }
  }
}

const servedWatermark = async (db: Kysely<Database>, projection: Projection): Promise<number> => {
  const { rows } = await sql<{
    seq: string
  }>`select seq from ${sql.table(`${LIVE_SCHEMA}.projections`)} where name = ${projection.name}`.execute(db)
  return Number(rows[0]?.seq ?? 0)
}

const swap = async (
  trx: Transaction<Database>,
  schema: string,
  projection: Projection,
  filling: Filling
): Promise<number> => {
  await sql.raw(`set local lock_timeout = ${ROW_TIMEOUT_MS}`).execute(trx)
  // Every projector stands still from here on, before it has touched a table.
  await sql`select name from ${sql.table(`${LIVE_SCHEMA}.projections`)} order by name for update`.execute(trx)
  const served = await servedWatermark(trx, projection)
  await filling.upTo(served)
  for (const name of projection.besides) await sql`drop table ${sql.table(`${schema}.${name}`)}`.execute(trx)
  await projection.settle(trx)
  await sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`).execute(trx)
  await takePlace(trx, schema, projection)
  const seq = Math.max(served, filling.seq)
  await sql`
    insert into ${sql.table(`${LIVE_SCHEMA}.projections`)} (name, version, seq) values (${projection.name}, ${projection.version}, ${String(seq)})
    on conflict (name) do update set version = excluded.version, seq = excluded.seq`.execute(trx)
  return seq
}

/** A lock that was not had in time, or a deadlock that Postgres has ended. */
const isContention = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "55P03" || error.code === "40P01")
