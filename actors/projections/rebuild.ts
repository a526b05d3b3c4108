/**
 * Makes new tables of a projection from the log, beside those that are served, and then replaces these.
 *
 * Invariants
 *  - The served tables stay, and are still projected, until the new ones replace them in one transaction. So no read
 *    sees fewer rows than before.
 *  - At that moment the new tables are exactly at the served watermark (or ahead of it, if no projector had moved it).
 *    Meanwhile the projector waits for the lock on its watermark's row, and then continues from there.
 *  - The rebuild waits for readers and never ends them. Readers never wait longer than LOCK_TIMEOUT_MS for it: then it
 *    gives up the lock on the tables and tries again.
 *  - A projection has one rebuild at a time, and a database has PLACES (steps.ts). Both are advisory locks, released if
 *    their holder dies. The next rebuild drops the remains of a dead one. A rebuild that has lost its locks fails at
 *    the watermark of its own tables.
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

/** Rounds of catching up with a log that grows, before the projector is made to wait. */
const ROUNDS_MAX = 20
/** When at most this many messages are missing, the projector may have to wait for the rest. */
const CLOSE = 500
/** The longest time for which every projection waits. */
const SWAP_WITHIN_MS = 3000
const SWAP_TRIES = 50
const SWAP_RETRY_MS = 100
const LOCK_TIMEOUT_MS = 250
/** Long enough for a batch, during which the projector locks its watermark's row. */
const ROW_TIMEOUT_MS = 5000

export interface RebuildParts extends FillingParts {
  readonly databaseUrl: string
  readonly limits: Limits
}

export interface Rebuilt {
  readonly messages: number
  /** The watermark at the time when the new tables replaced the old ones. */
  readonly seq: number
  readonly seconds: number
}

/** The schema that a rebuild of this projection works in. */
export const rebuildSchema = (projection: Pick<Projection, "name">): string => `rebuild_${projection.name}`

/** Fails with `Busy` if another rebuild of it is under way, or as many as may be. An interruption leaves everything as it was. */
export const rebuild = (parts: RebuildParts): Effect.Effect<Rebuilt, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const began = monotonicMs(clock)
      const schema = rebuildSchema(parts.projection)
      const db = yield* workshop(parts.databaseUrl, schema, parts.projection)
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
      // From here on every projector waits, before it has touched a table.
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

/** The rest of the log was not applied in time while the projectors waited. */
class Late extends Error {}

/** True if a lock or the rest of the log did not come in time, or if Postgres has ended a deadlock. */
const isContention = (error: unknown): boolean =>
  error instanceof Late ||
  (error instanceof Error && "code" in error && (error.code === "55P03" || error.code === "40P01"))
