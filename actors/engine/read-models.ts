/**
 * Read your writes: the answer to a `projected` write waits, for a limited time, until the read models contain its
 * commits. So the next request to any edge normally sees the write.
 *
 * Invariants
 *  - Each projection of the log announces its watermark after each batch. After a batch that changed nothing, it waits
 *    up to RIDE_MS, so that one message can announce the next batch too. A write waits for the projections and awaited
 *    reactions that read its kind, and for no others, because those move only with their own kinds.
 *  - The wait is bounded (`projected_wait_ms`). If a watermark has not moved during a whole wait, Postgres may be down.
 *    Then one write at a time waits for it to move again, and the others do not wait. A watermark that does not move
 *    while nothing is written is normal.
 */
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect, Latch, type Scope } from "effect"
import { every, monotonicMs, type Cancel } from "../../schemas/runtime/clock.ts"
import { paced } from "../../schemas/runtime/bus/pace.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { WrittenCommit } from "../log/commit.ts"
import { subscribed } from "../log/subscription.ts"
import type { ReadModels } from "./ports.ts"

type Written = Pick<WrittenCommit, "kind" | "seq">

interface Waiter {
  readonly seq: number
  readonly resolve: () => void
  /** Monotonic time in ms. */
  readonly since: number
}

const SWEEP_MS = 25
/** Milliseconds that the watermark of a batch without changes waits for a batch with changes. */
const RIDE_MS = 2
/** The smallest gap between two messages in ms, because each message goes to every node. */
const TELL_GAP_MS = 1

/**
 * Announces how far the projections and awaited reactions of a process are, as `<projection>=<sequence>` separated by
 * spaces.
 */
export class Announcer {
  private readonly nats: NatsConnection
  private readonly moves = new Map<string, number>()
  /** Open while the watermark of a batch without changes waits to be sent. */
  private readonly some = Latch.makeUnsafe(false)
  private readonly tellSoon: () => void

  private constructor(nats: NatsConnection, clock: Clock.Clock) {
    this.nats = nats
    this.tellSoon = paced(clock, () => this.tell(), TELL_GAP_MS)
  }

  static make(nats: NatsConnection): Effect.Effect<Announcer, never, Scope.Scope> {
    return Effect.gen(function* () {
      const announcer = new Announcer(nats, yield* Clock.Clock)
      yield* Effect.forkScoped(Effect.forever(announcer.soon), { startImmediately: true })
      return announcer
    })
  }

  /** `changed`: true if the batch changed a row. */
  moved(projection: string, seq: number, changed: boolean): void {
    this.moves.set(projection, seq)
    if (changed) this.tellSoon()
    else this.some.openUnsafe()
  }

  private readonly soon = Effect.gen({ self: this }, function* () {
    yield* this.some.await
    yield* Effect.sleep(RIDE_MS)
    this.some.closeUnsafe()
    this.tell()
  })

  private tell(): void {
    if (this.moves.size === 0 || this.nats.isClosed()) return
    const told = [...this.moves].map(([projection, seq]) => `${projection}=${seq}`).join(" ")
    this.moves.clear()
    this.nats.publish(subjects.projected, told)
  }
}

class Mark {
  private seq = 0
  private movedAt = Number.NEGATIVE_INFINITY
  /** True if a wait has ended without any move of the watermark. */
  private stalled = false
  private waiters: Array<Waiter> = []
  private readonly clock: Clock.Clock
  private readonly waitMs: number

  constructor(clock: Clock.Clock, waitMs: number) {
    this.clock = clock
    this.waitMs = waitMs
  }

  /** `null` if the write does not wait. */
  reached(seq: number): Promise<void> | null {
    if (seq <= this.seq || (this.stalled && this.waiters.length > 0)) return null
    return new Promise((resolve) => this.waiters.push({ seq, resolve, since: monotonicMs(this.clock) }))
  }

  announced(seq: number): void {
    if (!(seq > this.seq)) return
    this.seq = seq
    this.stalled = false
    this.movedAt = monotonicMs(this.clock)
    this.release(this.movedAt)
  }

  release(now: number): boolean {
    if (this.waiters.length === 0) return false
    this.waiters = this.waiters.filter((waiter) => {
      if (waiter.seq > this.seq) {
        if (now - waiter.since < this.waitMs) return true
        if (this.movedAt < waiter.since) this.stalled = true
      }
      waiter.resolve()
      return false
    })
    return this.waiters.length > 0
  }
}

/** For each kind, the projections and awaited reactions that read its commits. */
type Readers = ReadonlyMap<string, ReadonlyArray<string>>

export class Watermarks implements ReadModels {
  private readonly marks: ReadonlyMap<string, Mark>
  private readonly readers: Readers
  private readonly clock: Clock.Clock
  /** Runs only while a write waits, so that a node that writes nothing is not woken. */
  private sweeping: Cancel | undefined

  private constructor(clock: Clock.Clock, waitMs: number, readers: Readers) {
    this.clock = clock
    this.readers = readers
    this.marks = new Map([...readers.values()].flat().map((projection) => [projection, new Mark(clock, waitMs)]))
  }

  static make(nats: NatsConnection, waitMs: number, readers: Readers): Effect.Effect<Watermarks, never, Scope.Scope> {
    return Effect.gen(function* () {
      const models = new Watermarks(yield* Clock.Clock, waitMs, readers)
      yield* subscribed(nats, subjects.projected, (message) => models.heard(message))
      yield* Effect.addFinalizer(() => Effect.sync(() => models.endSweep()))
      return models
    })
  }

  async reached(written: ReadonlyArray<Written>): Promise<void> {
    const waits: Array<Promise<void>> = []
    for (const [projection, seq] of this.wanted(written)) {
      const wait = this.marks.get(projection)?.reached(seq)
      if (wait !== null && wait !== undefined) waits.push(wait)
    }
    if (waits.length > 0) this.sweeping ??= every(this.clock, SWEEP_MS, () => this.sweep(), "unref")
    await Promise.all(waits)
  }

  private heard(message: Msg): void {
    for (const move of message.string().split(" ")) this.announced(move)
  }

  private sweep(): void {
    const now = monotonicMs(this.clock)
    let waiting = false
    for (const mark of this.marks.values()) waiting = mark.release(now) || waiting
    if (!waiting) this.endSweep()
  }

  private endSweep(): void {
    this.sweeping?.()
    this.sweeping = undefined
  }

  private announced(move: string): void {
    const at = move.indexOf("=")
    this.marks.get(move.slice(0, at))?.announced(Number(move.slice(at + 1)))
  }

  private wanted(written: ReadonlyArray<Written>): ReadonlyMap<string, number> {
    const wanted = new Map<string, number>()
    for (const { kind, seq } of written)
      for (const projection of this.readers.get(kind) ?? [])
        wanted.set(projection, Math.max(seq, wanted.get(projection) ?? 0))
    return wanted
  }
}
