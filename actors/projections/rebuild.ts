/**
 * Rebuilds the tables of a projection from the log. The new tables are filled beside the served ones, and then replace
 * them.
 *
 * Invariants
 *  - The served tables stay in use and are updated until the new ones replace them in one transaction. So no reader
 *    sees fewer rows than before.
 *  - At the replacement, the new tables are exactly at the served watermark. (They may be ahead of it if no projector
 *    has moved it.) The projector waits for the lock on its watermark's row, and then continues from there.
 *  - A rebuild waits for readers and never cancels their queries. Readers wait at most LOCK_TIMEOUT_MS for a rebuild.
 *    After that time it releases the lock on the tables and tries again.
 *  - A projection has at most one rebuild, and a database has at most PLACES (steps.ts). Both limits are advisory
 *    locks, which are released if their holder fails. The next rebuild drops the remains of a failed one. A rebuild
 *    that has lost its locks fails when it writes its watermark.
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

/** The most rounds of catching up with a growing log before the projectors are made to wait. */
const ROUNDS_MAX = 20
/** If at most this many messages are missing, the projectors may be made to wait for the rest. */
const CLOSE = 500
/** The longest time for which all projectors wait during a replacement. */
const SWAP_WITHIN_MS = 3000
const SWAP_TRIES = 50
const SWAP_RETRY_MS = 100
const LOCK_TIMEOUT_MS = 250
/**
 * The timeout of the lock on the watermarks' rows. It is longer than a projector needs for a batch, during which it
 * holds that lock.
 */
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

/** The database schema in which the new tables of a projection are filled. */
export const rebuildSchema = (projection: Pick<Projection, "name">): string => `rebuild_${projection.name}`

/**
 * Rebuilds a projection. Fails with `Busy` if it is rebuilt already or too many rebuilds run. An interruption changes
 * nothing.
 */
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
      // From here on all projectors wait, before they have touched a table.
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

/** Fails a replacement if the rest of the log was not applied in time. */
class Late extends Error {}

/** True if a lock or the rest of the log took too long, or if Postgres ended a deadlock. */
const isContention = (error: unknown): boolean =>
  error instanceof Late ||
  (error instanceof Error && "code" in error && (error.code === "55P03" || error.code === "40P01"))
