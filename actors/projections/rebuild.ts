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
 *  - One at a time in a database, by an advisory lock that its holder's death releases. The next one drops what a dead
 *    one left. A rebuild that has lost the lock fails at the watermark of its own tables.
 */
import { Clock, Effect, Schedule } from "effect"
import { type Kysely, sql, type Transaction } from "kysely"
import type { Limits } from "../../schemas/limits.ts"
import { type Database, LIVE_SCHEMA } from "../tables/database.ts"
import { Filling, type FillingParts } from "./filling.ts"
import type { Projection } from "./projection.ts"
import { pruneAll } from "./pruning.ts"
import { inTransaction, toItsEnd } from "./steps.ts"
import { createShadow, finishShadow, takePlace, workshop } from "./shadow.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import { secondsSince } from "../../schemas/runtime/metrics/calls.ts"

/** Rounds of catching up with a log that grows, before it is held. */
const ROUNDS_MAX = 20
/** So far behind the served watermark the projector may be held for the rest. */
const CLOSE = 500
/** Every projection stands still for so long at most. */
const SWAP_WITHIN_MS = 3000
const SWAP_TRIES = 50
const SWAP_RETRY_MS = 100
const LOCK_TIMEOUT_MS = 250
/** The projector holds its watermark's row for as long as a batch takes. */
const ROW_TIMEOUT_MS = 5000

export interface RebuildParts extends FillingParts {
  readonly databaseUrl: string
  readonly limits: Limits
}

export interface Rebuilt {
  readonly messages: number
  /** The watermark at which the new tables took over. */
  readonly seq: number
  readonly seconds: number
}

/** The schema that a rebuild of this projection works in. */
export const rebuildSchema = (projection: Pick<Projection, "name">): string => `rebuild_${projection.name}`

/** Fails with `Busy` if another is under way. Interrupted, it leaves everything as it was. */
export const rebuild = (parts: RebuildParts): Effect.Effect<Rebuilt, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const began = monotonicMs(clock)
      const schema = rebuildSchema(parts.projection)
      const db = yield* workshop(parts.databaseUrl, schema)
      const { messages, seq } = yield* buildAndSwap(db, schema, parts)
      return { messages, seq, seconds: secondsSince(clock, began) }
    })
  )

const buildAndSwap = (
  db: Kysely<Database>,
  schema: string,
  parts: RebuildParts
): Effect.Effect<{ readonly messages: number; readonly seq: number }, unknown> =>
  Effect.gen(function* () {
    const { projection } = parts
    yield* toItsEnd(() => createShadow(db, schema, projection))
    const filling = new Filling(db, parts)
    yield* filling.everything
    yield* toItsEnd(() => db.transaction().execute(projection.settle))
    yield* toItsEnd(() => finishShadow(db, schema, projection))
    yield* pruneAll(db, projection, parts.limits)
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const served = yield* toItsEnd(() => servedWatermark(db, projection))
      if (served - filling.seq <= CLOSE) break
      yield* filling.upTo(served)
    }
    const swapping = inTransaction(db, (trx) => swap(trx, schema, projection, filling))
    const patience = { schedule: Schedule.spaced(SWAP_RETRY_MS), times: SWAP_TRIES - 1, while: isContention }
    const seq = yield* Effect.retry(swapping, patience)
    return { messages: filling.messages, seq }
  })

const servedWatermark = async (db: Kysely<Database>, projection: Projection): Promise<number> => {
  const { rows } = await sql<{
    seq: string
  }>`select seq from ${sql.table(`${LIVE_SCHEMA}.projections`)} where name = ${projection.name}`.execute(db)
  return Number(rows[0]?.seq ?? 0)
}

const swap = (
  trx: Transaction<Database>,
  schema: string,
  projection: Projection,
  filling: Filling
): Effect.Effect<number, unknown> =>
  Effect.gen(function* () {
    const served = yield* toItsEnd(async () => {
      await sql.raw(`set local lock_timeout = ${ROW_TIMEOUT_MS}`).execute(trx)
      // Every projector stands still from here on, before it has touched a table.
      await sql`select name from ${sql.table(`${LIVE_SCHEMA}.projections`)} order by name for update`.execute(trx)
      return servedWatermark(trx, projection)
    })
    yield* Effect.timeoutOrElse(filling.upTo(served), {
      duration: SWAP_WITHIN_MS,
      orElse: () => Effect.fail(new Late("the rest of the log did not come in time"))
    })
    const seq = Math.max(served, filling.seq)
    yield* toItsEnd(async () => {
      for (const name of projection.besides) await sql`drop table ${sql.table(`${schema}.${name}`)}`.execute(trx)
      await projection.settle(trx)
      await sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`).execute(trx)
      await takePlace(trx, schema, projection)
      await sql`
        insert into ${sql.table(`${LIVE_SCHEMA}.projections`)} (name, version, seq)
        values (${projection.name}, ${projection.version}, ${String(seq)})
        on conflict (name) do update set version = excluded.version, seq = excluded.seq`.execute(trx)
    })
    return seq
  })

/** While the projectors stand still. */
class Late extends Error {}

/** A lock, or the rest of the log, that was not had in time; or a deadlock that Postgres has ended. */
const isContention = (error: unknown): boolean =>
  error instanceof Late ||
  (error instanceof Error && "code" in error && (error.code === "55P03" || error.code === "40P01"))
