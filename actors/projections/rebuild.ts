/**
 * Makes new tables of projections from the log, beside those that are served, and then replaces these.
 *
 * Invariants
 *  - The served tables stay in use and are updated until the new ones replace them in one transaction. So no reader
 *    sees fewer rows than before.
 *  - At that moment the new tables are exactly at the served watermark (or ahead of it, if no projector had moved it).
 *    Meanwhile the projector waits for the lock on its watermark's row, and then continues from there.
 *  - The rebuild waits for readers and never ends them. It waits for the lock on the tables for LOCK_TIMEOUT_MS at
 *    most, because new readers wait behind it. Then it gives up and tries again.
 *  - A projection has one rebuild at a time, and a database has PLACES (steps.ts). Both are advisory locks, released if
 *    their holder dies. The next rebuild drops the remains of a dead one. A rebuild that has lost its locks finds
 *    another watermark in its own tables before it replaces any, and fails.
 */
import { Clock, Effect, Schedule } from "effect"
import { type Kysely, sql, type Transaction } from "kysely"
import type { Limits } from "../../schemas/limits.ts"
import { type Database, LIVE_SCHEMA } from "../tables/database.ts"
import { DEADLOCK, LOCK_NOT_AVAILABLE, sqlStateOf } from "../tables/sql-state.ts"
import { fillAll, Filling, type FillingParts, ProjectionFault } from "./filling.ts"
import type { Projection } from "./projection.ts"
import { pruneAll } from "./pruning.ts"
import { inTransaction, PLACES, toItsEnd } from "./steps.ts"
import { createShadow, finishShadow, takePlace, workshops } from "./shadow.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import { secondsSince } from "../../schemas/runtime/metrics/calls.ts"

/** The most rounds of catching up with a growing log before the projectors are made to wait. */
const ROUNDS_MAX = 20
/** If at most this many messages are missing, the projectors may be made to wait for the rest. */
const CLOSE = 500
/** The longest time that the rest of the log may take during a replacement, while all projectors wait. */
const SWAP_WITHIN_MS = 3000
const SWAP_TRIES = 50
const SWAP_RETRY_MS = 100
const LOCK_TIMEOUT_MS = 250
/**
 * The timeout of the lock on the watermarks' rows. It is longer than a projector needs for a batch, during which it
 * holds that lock.
 */
const ROW_TIMEOUT_MS = 5000

export interface RebuildAllParts extends Omit<FillingParts, "projection" | "progress"> {
  readonly databaseUrl: string
  readonly limits: Limits
  readonly projections: ReadonlyArray<Projection>
  readonly progress: (projection: Projection) => FillingParts["progress"]
  /** Called for each projection when its new tables have replaced the old ones. */
  readonly replaced: (rebuilt: Rebuilt) => void
}

export interface RebuildParts extends Omit<RebuildAllParts, "projections" | "progress" | "replaced"> {
  readonly projection: Projection
  readonly progress: FillingParts["progress"]
}

export interface Rebuilt {
  readonly projection: Projection
  readonly messages: number
  readonly seq: number
  readonly seconds: number
}

export const rebuildSchema = (projection: Pick<Projection, "name">): string => `rebuild_${projection.name}`

/**
 * Reads the log once for all projections, and then replaces their tables one after the other. Fails with `Busy` if
 * another process works on them, and with `ProjectionFault` at the first that fails. Tables that were replaced before
 * that stay.
 */
export const rebuildAll = (parts: RebuildAllParts): Effect.Effect<void, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { projections, progress, databaseUrl } = parts
      const clock = yield* Clock.Clock
      const began = monotonicMs(clock)
      const opened = yield* workshops(databaseUrl, projections, rebuildSchema)
      const works = opened.flatMap((db, place): ReadonlyArray<Work> => {
        const projection = projections[place]
        if (projection === undefined) return []
        const filling = new Filling(db, { ...parts, projection, progress: progress(projection) })
        return [{ db, projection, schema: rebuildSchema(projection), filling }]
      })
      const each = <A>(act: (work: Work) => Effect.Effect<A, unknown>) =>
        Effect.forEach(
          works,
          (work) => Effect.mapError(act(work), (cause) => new ProjectionFault(work.projection.name, cause)),
          { concurrency: PLACES }
        )
      yield* each(({ db, schema, projection }) => toItsEnd(() => createShadow(db, schema, projection)))
      yield* fillAll(works.map(({ filling }) => filling))
      yield* each((work) =>
        Effect.map(finishAndSwap(work, parts.limits), (seq) =>
          parts.replaced({
            projection: work.projection,
            messages: work.filling.messages,
            seq,
            seconds: secondsSince(clock, began)
          })
        )
      )
    })
  )

export const rebuild = ({ projection, progress, ...parts }: RebuildParts): Effect.Effect<Rebuilt, unknown> => {
  const done: Array<Rebuilt> = []
  const replaced = (one: Rebuilt): void => void done.push(one)
  const all = rebuildAll({ ...parts, projections: [projection], progress: () => progress, replaced })
  return Effect.flatMap(all, () => {
    const [rebuilt] = done
    return rebuilt === undefined ? Effect.die(new Error("nothing was rebuilt")) : Effect.succeed(rebuilt)
  })
}

interface Work {
  readonly db: Kysely<Database>
  readonly projection: Projection
  readonly schema: string
  readonly filling: Filling
}

/** Succeeds with the watermark at which the new tables took over. */
const finishAndSwap = ({ db, projection, schema, filling }: Work, limits: Limits): Effect.Effect<number, unknown> =>
  Effect.gen(function* () {
    yield* toItsEnd(() => db.transaction().execute(projection.settle))
    yield* toItsEnd(() => finishShadow(db, schema, projection))
    yield* pruneAll(db, projection, limits)
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const served = yield* toItsEnd(() => servedWatermark(db, projection))
      if (served - filling.seq <= CLOSE) break
      yield* filling.upTo(served)
    }
    const swapping = inTransaction(db, (trx) => swap(trx, schema, projection, filling))
    const patience = { schedule: Schedule.spaced(SWAP_RETRY_MS), times: SWAP_TRIES - 1, while: isContention }
    return yield* Effect.retry(swapping, patience)
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
      // This read locks the watermarks' table until the transaction ends, so nobody can drop the new schema.
      const { rows } = await sql<{
        seq: string
      }>`select seq from ${sql.table(`${schema}.projections`)} where name = ${projection.name}`.execute(trx)
      if (Number(rows[0]?.seq ?? -1) !== filling.kept) throw new Error("another rebuild has begun these tables anew")
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

class Late extends Error {}

/** True if a lock or the rest of the log took too long, or if Postgres ended a deadlock. */
const isContention = (error: unknown): boolean =>
  error instanceof Late || [LOCK_NOT_AVAILABLE, DEADLOCK].includes(sqlStateOf(error))
