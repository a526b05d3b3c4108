/**
 * Reads a projector's stream from a watermark on. Messages collect while a batch of them is applied. The reading ends
 * when it must begin again from the stored watermark.
 */
import { Clock, Effect, Latch, Schedule, type Scope } from "effect"
import type { Kysely } from "kysely"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import { nowMs } from "../../schemas/runtime/trace/span.ts"
import { NO_TRACING, type Tracing } from "../../schemas/runtime/trace/tracing.ts"
import type { Database } from "../tables/database.ts"
import type { Applier, Mark } from "./applier.ts"
import type { Feed, FeedReading } from "./feed.ts"
import type { Message, Projection } from "./projection.ts"
import { toItsEnd } from "./steps.ts"
import { traceApplied } from "./trace.ts"

const BATCH_MAX = 2000
/** The size of the first batch. If the last run ended because a batch was too large, this one gets past it. */
const BATCH_FIRST = 16
const BUFFER_MAX = 8000
/** The most ms by which the stored watermark lags behind batches that change nothing. */
const KEEP_MS = 1000
/**
 * The time between two checks of the watermark, which a rebuild may have moved. The reader's position is also stored
 * then, even if none of the messages were its own.
 */
const LOOK_MS = 5000

export interface ReadingParts {
  readonly feed: Feed
  readonly db: Kysely<Database>
  readonly projection: Projection
  /** Called after the tables contain a batch, so that its rows can be read. `changed`: true if a row changed. */
  readonly announce: (seq: number, batch: ReadonlyArray<Message>, changed: boolean) => void
  readonly tracing?: Tracing
}

export interface Row {
  readonly seq: number
  readonly version: number
}

export const rowOf = async (db: Kysely<Database>, name: string): Promise<Row | undefined> => {
  const row = await db.selectFrom("projections").select(["seq", "version"]).where("name", "=", name).executeTakeFirst()
  return row === undefined ? undefined : { seq: Number(row.seq), version: row.version }
}

export class Reading {
  private readonly clock: Clock.Clock
  private readonly parts: ReadingParts
  private readonly applier: Applier
  /** Messages that wait or are being applied. */
  private readonly gathered: Array<Message> = []
  /**
   * Closed while there are no messages. It is also opened every KEEP_MS, which costs less than a timeout for each wait.
   */
  private readonly come = Latch.makeUnsafe(false)
  private following: FeedReading | null = null
  private mark: Mark
  /** True if messages were left out for lack of room. They will be read again. */
  private overflowed = false
  private atOnce = BATCH_FIRST
  private keptAt: number
  private lookedAt: number

  private constructor(clock: Clock.Clock, parts: ReadingParts, applier: Applier, from: number) {
    this.clock = clock
    this.keptAt = this.lookedAt = monotonicMs(clock)
    this.parts = parts
    this.applier = applier
    this.mark = { seq: from, kept: from }
  }

  static begin(parts: ReadingParts, applier: Applier, from: number): Effect.Effect<Reading, unknown, Scope.Scope> {
    return Effect.gen(function* () {
      const reading = new Reading(yield* Clock.Clock, parts, applier, from)
      const { feed, projection } = parts
      reading.following = yield* feed.read(projection, from + 1, (message) => reading.take(message))
      const looks = Effect.sync(() => reading.come.openUnsafe())
      yield* Effect.forkScoped(Effect.repeat(looks, Schedule.spaced(KEEP_MS)))
      // The next reader need not repeat commits that changed nothing.
      yield* Effect.addFinalizer(() => Effect.ignore(toItsEnd(() => applier.keep(reading.mark))))
      return reading
    })
  }

  get seq(): number {
    return this.mark.seq
  }

  /** Number of messages that the tables do not have yet; `null` if that is not known at the moment. */
  async pending(): Promise<number | null> {
    const undelivered = (await this.following?.pending()) ?? null
    return undelivered === null ? null : undelivered + this.gathered.length
  }

  *toItsEnd() {
    while (!this.overflowed || this.gathered.length > 0) {
      if (this.gathered.length === 0) {
        this.come.closeUnsafe()
        yield* this.come.await
      } else {
        const applied = this.apply(this.gathered.slice(0, this.atOnce))
        if (applied !== null) yield* toItsEnd(() => applied)
      }
      if (this.idle) continue
      if (!(yield* toItsEnd(() => this.look()))) return
    }
  }

  private take(message: Message): void {
    // Once one message is left out, so are all that follow it.
    if (this.gathered.length >= BUFFER_MAX) this.overflowed = true
    if (this.overflowed) return
    this.gathered.push(message)
    // Waits until all messages that arrived together are here, because each batch is a transaction.
    if (this.gathered.length === 1) queueMicrotask(() => this.come.openUnsafe())
  }

  /** `null` if nothing had to be waited for. */
  private apply(batch: ReadonlyArray<Message>): Promise<void> | null {
    const beganAt = this.parts.tracing?.on === true ? nowMs() : 0
    const mark = this.applier.apply(batch, this.mark)
    if (mark instanceof Promise) return mark.then((to) => this.applied(batch, to, beganAt))
    try {
      this.applied(batch, mark, beganAt)
      return null
    } catch (error) {
      return Promise.reject(error)
    }
  }

  private applied(batch: ReadonlyArray<Message>, mark: Mark, beganAt: number): void {
    const { projection, announce, tracing = NO_TRACING } = this.parts
    this.mark = mark
    this.gathered.splice(0, batch.length)
    this.atOnce = Math.min(2 * this.atOnce, BATCH_MAX)
    const changed = this.mark.kept === this.mark.seq
    if (tracing.on && changed) traceApplied(tracing, projection.name, batch, beganAt)
    announce(this.mark.seq, batch, changed)
  }

  /** True if nothing has to be stored or checked yet. */
  private get idle(): boolean {
    const now = monotonicMs(this.clock)
    if (this.mark.kept === this.mark.seq) this.keptAt = now
    return now - this.keptAt < KEEP_MS && now - this.lookedAt < LOOK_MS
  }

  /** The mark, moved past messages of other projections, so that the next start need not read them. */
  private passed(): Mark {
    const at = this.gathered.length > 0 || this.overflowed ? 0 : (this.following?.at() ?? 0)
    return at > this.mark.seq ? { ...this.mark, seq: at } : this.mark
  }

  /** True if the stored watermark is still the one that this reading stored. */
  private async look(): Promise<boolean> {
    this.mark = await this.applier.keep(this.passed())
    this.keptAt = this.lookedAt = monotonicMs(this.clock)
    return (await rowOf(this.parts.db, this.parts.projection.name))?.seq === this.mark.kept
  }
}
