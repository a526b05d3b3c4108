/**
 * Runs one projection: reads its part of a stream in order from the watermark, applies what has gathered (applier.ts),
 * announces how far the tables are.
 *
 * Invariants
 *  - Two projectors at once (a lease that was believed in twice) never apply a message twice: one of them loses its
 *    transaction and starts over.
 *  - Postgres gone: nothing is applied, nothing is lost, the buffer is bounded (BUFFER_MAX); reading starts again from
 *    the watermark when it is back, tried for at ever longer distances.
 *  - One run at a time, and what a run waits for ends with it: one that was stopped does nothing more, however soon the
 *    next is started. The next begins when it has ended.
 *  - An event that this release does not know is not read past: a newer release goes on there.
 *  - Tables of an older version are served and projected as they are, while new ones are made beside them and then take
 *    their place (rebuild.ts). A migration that leaves them unfit to be served deletes their watermark.
 *  - Without a watermark nothing is known of the tables: they are emptied and filled from the beginning.
 *  - Tables of a newer version are left alone: in a rolling deployment the older release must not undo the newer one's
 *    work.
 */
import type { JsMsg } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { type Kysely, sql } from "kysely"
import { nowMs } from "../../schemas/runtime/trace/span.ts"
import { NO_TRACING, type Tracing } from "../../schemas/runtime/trace/tracing.ts"
import type { Database } from "../database.ts"
import { followStream } from "../engine/follow.ts"
import { Applier, type Mark } from "./applier.ts"
import { type Message, messageOf, type Projection } from "./projection.ts"
import { takeOver } from "./succession.ts"
import { tellApplied, tracedOf } from "./trace.ts"

const BATCH_MAX = 2000
const BUFFER_MAX = 8000
const RETRY_MS = 250
const RETRY_MAX_MS = 8000
/** The watermark that is kept stands no longer than this behind batches that change nothing. */
const KEEP_MS = 1000
/** How often an idle projector looks whether its watermark was moved (a rebuild). */
const IDLE_CHECK_MS = 5000
/** How often it looks whether tables of a newer release are there still, and tries again to make older ones anew. */
const RELEASE_CHECK_MS = 5000

/** The tables were made by a newer release. */
class Newer extends Error {}

export interface ProjectorParts {
  readonly nats: NatsConnection
  readonly db: Kysely<Database>
  readonly projection: Projection
  /** When the tables have a batch, never before: what it says can be read then. */
  readonly announce: (seq: number, batch: ReadonlyArray<Message>) => void
  /** Makes the tables anew, beside the served ones. */
  readonly renew: (signal: AbortSignal) => Promise<void>
  readonly tracing?: Tracing
}

/** What a run tells of itself. */
type Told = Pick<Projector, "watermark" | "failures" | "pending">

export class Projector {
  private readonly parts: ProjectorParts
  private readonly applier: Applier
  /** How far the tables are, while this projector keeps them; `null` while another does, or nobody can. */
  watermark: number | null = null
  /** How many messages are not in them yet; `null` where that is not known. */
  pending: (() => Promise<number | null>) | null = null
  /** Tries that failed, since the start. */
  failures = 0
  /** Ends the run that is under way, or waits for the one before it to end. */
  private current: AbortController | null = null
  private ended: Promise<void> = Promise.resolve()

  constructor(parts: ProjectorParts) {
    this.parts = parts
    this.applier = new Applier(parts.db, parts.projection)
  }

  get projection(): Projection {
    return this.parts.projection
  }

  get counts(): Applier["counts"] {
    return this.applier.counts
  }

  start(): void {
    if (this.current !== null) return
    const { signal } = (this.current = new AbortController())
    this.ended = this.ended.then(() => new Run(this.parts, this.applier, this, signal).end)
  }

  async stop(): Promise<void> {
    this.current?.abort()
    this.current = null
    await this.ended
  }
}

/** From a start to its stop. */
class Run {
  /** Resolves when nothing of it is left. Never rejects. */
  readonly end: Promise<void>
  private readonly parts: ProjectorParts
  private readonly applier: Applier
  private readonly told: Told
  private readonly signal: AbortSignal
  /** What is applied at the moment is in it too. */
  private buffer: Array<Message> = []
  /** Messages were left out for want of room. */
  private overflowed = false
  private wake: (() => void) | null = null
  private renewing: Promise<void> | null = null
  /** Tries that failed since something was applied. */
  private failures = 0

  constructor(parts: ProjectorParts, applier: Applier, told: Told, signal: AbortSignal) {
    this.parts = parts
    this.applier = applier
    this.told = told
    this.signal = signal
    this.end = this.run()
  }

  private async run(): Promise<void> {
    const wake = (): void => this.wake?.()
    this.signal.addEventListener("abort", wake)
    while (!this.signal.aborted) {
      try {
        await this.follow(await this.position())
      } catch (error) {
        if (this.signal.aborted) break
        this.complain(error)
        this.told.failures++
        await this.pause(
          error instanceof Newer ? RELEASE_CHECK_MS : Math.min(RETRY_MS * 2 ** this.failures++, RETRY_MAX_MS)
        )
      }
    }
    await this.renewing
  }

  private complain(error: unknown): void {
    console.error(
      JSON.stringify({ level: "warn", at: "projector", projection: this.parts.projection.name, error: String(error) })
    )
  }

  private async position(): Promise<number> {
    const { version } = this.parts.projection
    await takeOver(this.parts.db)
    const row = await this.row()
    if (row === undefined) return this.begin()
    if (row.version > version)
      throw new Newer(`the read models are of version ${row.version}, newer than ${version}: they are left alone`)
    if (row.version < version) this.renewBeside()
    return row.seq
  }

  private async row(): Promise<{ readonly seq: number; readonly version: number } | undefined> {
    const row = await this.parts.db
      .selectFrom("projections")
      .select(["seq", "version"])
      .where("name", "=", this.parts.projection.name)
      .executeTakeFirst()
    return row === undefined ? undefined : { seq: Number(row.seq), version: row.version }
  }

  private async begin(): Promise<number> {
    const { name, version, tables } = this.parts.projection
    await this.parts.db.transaction().execute(async (trx) => {
      await sql`truncate ${sql.join(tables.map((table) => sql.table(table.name)))}`.execute(trx)
      await trx.deleteFrom("projection_faults").where("projection", "=", name).execute()
      await trx.insertInto("projections").values({ name, version, seq: 0 }).execute()
    })
    return 0
  }

  private renewBeside(): void {
    this.renewing ??= this.renewUntilDone().finally(() => {
      this.renewing = null
    })
  }

  private async renewUntilDone(): Promise<void> {
    const { renew, projection } = this.parts
    while (!this.signal.aborted) {
      try {
        await renew(this.signal)
      } catch (error) {
        if (this.signal.aborted) return
        this.complain(error)
        await this.pause(RELEASE_CHECK_MS)
      }
      // An operator's rebuild, or another node's, does as well.
      const row = await this.row().catch(() => undefined)
      if (row !== undefined && row.version >= projection.version) return
    }
  }

  private async follow(from: number): Promise<void> {
    const { nats, projection } = this.parts
    this.signal.throwIfAborted()
    this.told.watermark = from
    this.buffer = []
    this.overflowed = false
    const following = await followStream(
      nats,
      projection.stream,
      from + 1,
      (message) => this.take(message),
      projection.subjects
    )
    this.told.pending = async () => {
      const pending = await following.pending()
      return pending === null ? null : pending + this.buffer.length
    }
    try {
      await this.project({ seq: from, kept: from })
    } finally {
      this.told.watermark = null
      this.told.pending = null
      following.stop()
    }
  }

  private take(message: JsMsg): void {
    const { tracing = NO_TRACING } = this.parts
    // Once one is left out, so is everything behind it.
    if (this.buffer.length >= BUFFER_MAX) this.overflowed = true
    if (this.overflowed) return
    const plain = messageOf(message.subject, message.seq, message.data)
    this.buffer.push(tracing.on ? { ...plain, ...tracedOf(tracing, message) } : plain)
    this.wake?.()
  }

  /** Returns where it must begin again from the watermark that is kept. */
  private async project(from: Mark): Promise<void> {
    let mark = from
    let [keptAt, lookedAt] = [performance.now(), performance.now()]
    while (!this.signal.aborted) {
      if (this.buffer.length > 0) mark = await this.applied(mark)
      // What did not fit is read again.
      else if (this.overflowed) return
      else await this.gathered()
      const now = performance.now()
      if (mark.kept === mark.seq) keptAt = now
      else if (now - keptAt >= KEEP_MS) mark = await this.applier.keep(mark)
      if (now - lookedAt < IDLE_CHECK_MS) continue
      lookedAt = now
      if ((await this.row())?.seq !== mark.kept) return
    }
    await this.applier.keep(mark)
  }

  private async applied(mark: Mark): Promise<Mark> {
    const { projection, announce, tracing = NO_TRACING } = this.parts
    const batch = this.buffer.slice(0, BATCH_MAX)
    const beganAt = tracing.on ? nowMs() : 0
    const next = await this.applier.apply(batch, mark)
    this.buffer.splice(0, batch.length)
    this.told.watermark = next.seq
    this.failures = 0
    if (tracing.on && next.kept === next.seq) tellApplied(tracing, projection.name, batch, beganAt)
    announce(next.seq, batch)
    return next
  }

  /** Until something has come, for a while at most. */
  private gathered(): Promise<void> {
    return new Promise((resolve) => {
      if (this.signal.aborted) return resolve()
      const timer = setTimeout(resolve, KEEP_MS)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Ends early when the projector is stopped. */
  private pause(ms: number): Promise<void> {
    const { signal } = this
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener("abort", end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener("abort", end)
      if (signal.aborted) end()
    })
  }
}
