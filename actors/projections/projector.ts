/**
 * Runs one projection. It reads its part of a stream in order from the watermark, applies the messages in batches
 * (applier.ts), and announces how far the tables are.
 *
 * Invariants
 *  - Two projectors at the same time (two nodes believe in one lease) never apply a message twice: the transaction of
 *    one of them fails, and it starts over.
 *  - Without Postgres nothing is applied and nothing is lost. The buffer is bounded (reading.ts). Reading starts again
 *    from the watermark when Postgres is back, with growing pauses between the tries.
 *  - There is one run at a time. When it ends, its transaction is finished and everything that it waits for is ended.
 *    Only then does the next run begin.
 *  - The projector stops before an event that this release does not know. A newer release continues there.
 *  - Tables of an older version are served and projected as they are, while new ones are made beside them and then
 *    replace them (rebuild.ts). A migration after which they cannot be served deletes their watermark.
 *  - Tables that are ahead of their stream (it lost its end, or is an older copy) are emptied and filled from the
 *    beginning. Snapshots that are ahead of the log are deleted.
 *  - Tables without a watermark are emptied and filled from the beginning, because nothing is known about them.
 *  - Tables of a newer version are left alone: in a rolling deployment the older release must not undo the newer one's
 *    work.
 */
import { Effect, FiberHandle, Schedule, Semaphore } from "effect"
import { sql } from "kysely"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { streams } from "../../schemas/subjects.ts"
import { attempt } from "../log/attempt.ts"
import { Applier } from "./applier.ts"
import type { Projection } from "./projection.ts"
import { Reading, type ReadingParts, type Row, rowOf } from "./reading.ts"
import { toItsEnd } from "./steps.ts"
import { takeOver } from "./succession.ts"

const RETRY_MS = 250
const RETRY_MAX_MS = 8000
const RETRY = Schedule.min([Schedule.exponential(RETRY_MS), Schedule.spaced(RETRY_MAX_MS)])
/**
 * Milliseconds between two checks whether tables of a newer release are still there, and between two tries to rebuild
 * older ones.
 */
const RELEASE_CHECK_MS = 5000

class Newer extends Error {}

export interface ProjectorParts extends ReadingParts {
  readonly renew: Effect.Effect<void, unknown>
}

export class Projector {
  /** Failed runs since the start. */
  failures = 0
  readonly run: Effect.Effect<never>
  private readonly parts: ProjectorParts
  private readonly applier: Applier
  private current: Reading | null = null

  constructor(parts: ProjectorParts) {
    this.parts = parts
    this.applier = new Applier(parts.db, parts.projection)
    this.run = Semaphore.withPermit(Semaphore.makeUnsafe(1), Effect.scoped(Effect.gen(() => this.running())))
  }

  get projection(): Projection {
    return this.parts.projection
  }

  /** The watermark while this projector maintains the tables; `null` while another node does, or none can. */
  get watermark(): number | null {
    return this.current?.seq ?? null
  }

  /** The number of messages that the tables do not have yet; `null` if unknown. */
  async pending(): Promise<number | null> {
    return (await this.current?.pending()) ?? null
  }

  get counts(): Applier["counts"] {
    return this.applier.counts
  }

  private *running() {
    const renewal = yield* FiberHandle.make()
    const attempt = Effect.suspend(() => this.attempt(renewal))
    return yield* Effect.forever(Effect.ignore(Effect.retry(attempt, RETRY)))
  }

  /** One run. It fails if it made no progress, and the next pause is then longer. */
  private attempt(renewal: FiberHandle.FiberHandle): Effect.Effect<void, unknown> {
    const before = this.counts.messages
    const failed = (error: unknown): Effect.Effect<void, unknown> => {
      this.failures++
      if (error instanceof Newer) return Effect.sleep(RELEASE_CHECK_MS)
      return this.counts.messages > before ? Effect.sleep(RETRY_MS) : Effect.fail(error)
    }
    return Effect.scoped(Effect.gen(() => this.reading(renewal))).pipe(
      Effect.tapError((error) => this.told(error)),
      Effect.catch(failed)
    )
  }

  private *reading(renewal: FiberHandle.FiberHandle) {
    const { seq, version } = yield* toItsEnd(() => this.position())
    const end = yield* this.parts.feed.lostAt(seq)
    if (end !== null) return yield* toItsEnd(() => this.startOver(seq, end))
    if (version < this.projection.version) yield* FiberHandle.run(renewal, this.renewing, { onlyIfMissing: true })
    const reading = yield* Reading.begin(this.parts, this.applier, seq)
    yield* Effect.acquireRelease(
      Effect.sync(() => (this.current = reading)),
      () => Effect.sync(() => (this.current = null))
    )
    yield* Effect.gen(() => reading.toItsEnd())
  }

  private told(error: unknown): Effect.Effect<void> {
    return Effect.annotateLogs(Effect.logWarning(error), { at: "projector", projection: this.projection.name })
  }

  private async position(): Promise<Row> {
    const { name, version } = this.projection
    await takeOver(this.parts.db)
    const row = await rowOf(this.parts.db, name)
    if (row === undefined) return this.begin()
    if (row.version > version)
      throw new Newer(`the read models are of version ${row.version}, newer than ${version}: they are left alone`)
    return row
  }

  /** Deletes the watermark, and snapshots ahead of the log. The next run then fills the tables anew. */
  private async startOver(seq: number, end: number): Promise<void> {
    const { name, stream } = this.projection
    const error = `${stream} ends before what these tables are made of: they are made anew`
    logNow("error", "projector", { projection: name, seq, log: end, error })
    if (stream === streams.events) await this.parts.db.deleteFrom("snapshots").where("seq", ">", String(end)).execute()
    await this.parts.db.deleteFrom("projections").where("name", "=", name).where("seq", "=", String(seq)).execute()
  }

  private async begin(): Promise<Row> {
    const { name, version, tables } = this.projection
    await this.parts.db.transaction().execute(async (trx) => {
      await sql`truncate ${sql.join(tables.map((table) => sql.table(table.name)))}`.execute(trx)
      await trx.deleteFrom("projection_faults").where("projection", "=", name).execute()
      await trx.insertInto("projections").values({ name, version, seq: 0 }).execute()
    })
    return { seq: 0, version }
  }

  /** Rebuilds until the tables are of this version. A rebuild by an operator or another node also counts. */
  private get renewing(): Effect.Effect<unknown> {
    const { renew, db } = this.parts
    const { name, version } = this.projection
    const renewed = unwaited(renew).pipe(
      Effect.tapError((error) => this.told(error)),
      Effect.ignore,
      Effect.andThen(attempt(() => rowOf(db, name)))
    )
    return Effect.ignore(
      Effect.retry(
        Effect.filterOrFail(renewed, (row) => row !== undefined && row.version >= version),
        Schedule.spaced(RELEASE_CHECK_MS)
      )
    )
  }
}

/** An interruption does not wait for the end of this effect, because Postgres may take long to build an index. */
const unwaited = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.callback((resume) => {
    const fiber = Effect.runFork(effect)
    fiber.addObserver(resume)
    return Effect.sync(() => fiber.interruptUnsafe())
  })
