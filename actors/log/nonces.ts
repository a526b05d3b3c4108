/**
 * A log of used nonces. The one of requests: a used nonce is refused for 15 minutes, on every edge, even if processes
 * die meanwhile (spec 5.1). Proofs of identity have a log of their own.
 *
 * Invariants
 *  - The owner of one shard judges a nonce: that of the signing key, or of the agent in a proof. So two uses meet in
 *    one place.
 *  - A use is in the log before its request is answered. Uses gather for FLUSH_MS, or until the message before them is
 *    acknowledged, and go out as one.
 *  - Every node follows the log of all nodes. A node that takes over a shard first reads the log up to its end as it
 *    was after the shard was claimed. The former owner no longer answers by then (actors/engine/placement.ts), so its
 *    later entries belong to requests that got no answer.
 *  - The edge repeats an unanswered ask under the same id, so a nonce that the same request has used is no reuse. A
 *    request whose use could not be recorded is answered as not done. Each repeat gets the same answer, because the
 *    client may already have the first one.
 *  - One record is 12 bytes: 64 bits of hash, 32 bits of request. So 15 minutes at 5,000 requests/s are 54 MB to read
 *    back, and the log contains no key and no nonce.
 */
import type { StreamState } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Clock, Data, Deferred, Effect, Latch, Queue, Schedule, type Scope } from "effect"
import { wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { SHARD_COUNT } from "../../schemas/subjects.ts"
import { attempt } from "./attempt.ts"
import { directGet } from "./direct-get.ts"
import { followStream } from "./follow.ts"
import { markOf, type NonceMark, NonceTable } from "./nonce-table.ts"
import { requestsOf, requestStream } from "./requests.ts"

const FLUSH_MS = 2
/**
 * The smallest gap between the starts of two messages. Each message costs a publish, an acknowledgement and a delivery
 * to every node, whatever its size. Under load a request waits a little longer; a single request does not wait.
 */
const FLUSH_GAP_MS = 4
const ACK_TIMEOUT_MS = 3000
/** The longest time for which an ask is repeated. Failures are remembered for as long. */
const REPEATED_MS = 60_000
const RECORD_BYTES = 12
const INFO_TIMEOUT_MS = 1000
/** The number of messages in one read of the log, and the time limit of a read, because the server may be gone. */
const PAGE_MESSAGES = 1000
const PAGE_TIMEOUT_MS = 500
/** Milliseconds to wait for replicas that are behind, and the pause between two tries. */
const BEHIND_MAX_MS = 3000
const BEHIND_PAUSE_MS = 10
const PATIENCE = Schedule.upTo(Schedule.spaced(BEHIND_PAUSE_MS), { duration: BEHIND_MAX_MS })
/** The most records in one message. They stay well below the server's limit of 1 MiB. */
const RECORDS_MAX = 4000

export type NonceUse =
  /** `recorded` resolves to true once the use is in the log, and to false if it could not be written. */
  { readonly use: "fresh"; readonly recorded: Promise<boolean> } | { readonly use: "reused"; readonly recorded?: never }

/** Uses that are sent as one message, and the outcome that all of them wait for. */
interface Batch {
  readonly marks: Array<NonceMark>
  readonly use: NonceUse
  readonly settle: (durable: boolean) => void
}

const newBatch = (): Batch => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  return { marks: [], use: { use: "fresh", recorded: promise }, settle: resolve }
}

const REUSED: NonceUse = { use: "reused" }

export interface NonceHome {
  readonly stream: string
  readonly subject: string
  /**
   * The minimum number of seconds for which a used nonce is refused. Nonces are forgotten by whole minutes, when a new
   * one is used.
   */
  readonly keepSeconds: number
}

/** The log cannot be read, or no replica that answers has caught up with it. */
export class NotCaughtUp extends Data.TaggedError("NotCaughtUp")<{ readonly message: string }> {}

const BEHIND = new NotCaughtUp({ message: "no replica that answers has caught up with the log of nonces" })

type CatchUp = Deferred.Deferred<void, NotCaughtUp>

export class NonceLog {
  /**
   * Succeeds once this node knows every nonce that was in the log at the time of the call. It reads them itself,
   * because the server that has the follower's consumer may just have died.
   *
   * A node takes many shards at the same time. Calls that arrive during a reading wait for the next one, and share it.
   */
  readonly catchUp: Effect.Effect<void, NotCaughtUp> = Effect.gen({ self: this }, function* () {
    const asked = yield* Deferred.make<void, NotCaughtUp>()
    yield* Queue.offer(this.asking, asked)
    yield* Deferred.await(asked)
  })
  private readonly clock: Clock.Clock
  private readonly nats: NatsConnection
  private readonly home: NonceHome
  private readonly table: NonceTable
  private readonly asking: Queue.Queue<CatchUp>
  /** Batches that wait to be sent. New uses are added to the last one. */
  private readonly batches: Array<Batch> = []
  /** Closed while no batch waits. */
  private readonly some = Latch.makeUnsafe(false)
  private flushedAt = Number.NEGATIVE_INFINITY
  /** Requests whose use could not be recorded, oldest first, with the time until which they may be repeated. */
  private readonly failures = new Map<number, number>()
  private followed = 0
  private refuses = false

  private constructor(clock: Clock.Clock, nats: NatsConnection, home: NonceHome, asking: Queue.Queue<CatchUp>) {
    this.clock = clock
    this.nats = nats
    this.home = home
    this.asking = asking
    this.table = new NonceTable(home.keepSeconds * 1000)
  }

  static make(nats: NatsConnection, home: NonceHome): Effect.Effect<NonceLog, never, Scope.Scope> {
    return Effect.gen(function* () {
      const log = new NonceLog(yield* Clock.Clock, nats, home, yield* Queue.bounded<CatchUp>(SHARD_COUNT))
      yield* Effect.forkScoped(Effect.forever(log.flush), { startImmediately: true })
      yield* Effect.forkScoped(Effect.forever(log.answer), { startImmediately: true })
      return log
    })
  }

  get tracked(): number {
    return this.table.size
  }

  /** Judges a nonce. If it is fresh, this also begins to record it. */
  use(key: string, nonce: string, requestId: string, now: number): NonceUse {
    const mark = markOf(key, nonce, requestId)
    const usedBy = this.table.usedBy(mark)
    if (usedBy !== null && usedBy !== mark.request) return REUSED
    if (usedBy === null) this.table.add(mark, now)
    const batch = this.gathering()
    batch.marks.push(mark)
    this.some.openUnsafe()
    return usedBy === null || batch.use.use === "reused"
      ? batch.use
      : { use: "fresh", recorded: this.recordedAgain(mark, batch.use.recorded) }
  }

  private async recordedAgain({ request }: NonceMark, recorded: Promise<boolean>): Promise<boolean> {
    return (await recorded) && !this.failures.has(request)
  }

  private failed(marks: ReadonlyArray<NonceMark>): void {
    const now = monotonicMs(this.clock)
    for (const [request, until] of this.failures) {
      if (until > now) break
      this.failures.delete(request)
    }
    for (const { request } of marks) {
      // A repeat moves to the end, where the latest are.
      this.failures.delete(request)
      this.failures.set(request, now + REPEATED_MS)
    }
  }

  private gathering(): Batch {
    const last = this.batches.at(-1)
    if (last !== undefined && last.marks.length < RECORDS_MAX) return last
    const batch = newBatch()
    this.batches.push(batch)
    return batch
  }

  private readonly flush: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    yield* this.some.await
    yield* Effect.sleep(FLUSH_MS)
    for (let batch = this.batches[0]; batch !== undefined; batch = this.batches[0]) {
      const early = this.flushedAt + FLUSH_GAP_MS - monotonicMs(this.clock)
      if (early > 0) yield* Effect.sleep(early)
      this.flushedAt = monotonicMs(this.clock)
      this.batches.shift()
      const { marks, settle } = batch
      const published = attempt(() => this.publish(encode(marks)))
      const durable = yield* Effect.catch(published, (error) =>
        Effect.as(Effect.annotateLogs(Effect.logError(error), { at: "nonces" }), false)
      )
      if (!durable) this.failed(marks)
      settle(durable)
    }
    this.some.closeUnsafe()
  })

  private async publish(records: Uint8Array): Promise<boolean> {
    const end = monotonicMs(this.clock) + ACK_TIMEOUT_MS
    for (let left = ACK_TIMEOUT_MS; left > 0; left = end - monotonicMs(this.clock)) {
      const reply = await requestsOf(this.nats).requestStream(this.home.subject, records, left)
      // The log may get a record twice, because messages that the lost connection swallowed are sent again.
      if (reply !== null) return this.stored(reply.json<{ error?: { description?: string } }>().error)
    }
    return false
  }

  /** Logs why the stream refuses messages, for example because it is full. Consecutive refusals are logged once. */
  private stored(error: { readonly description?: string } | undefined): boolean {
    if (error !== undefined && !this.refuses)
      logNow("error", "nonces", { stream: this.home.stream, error: error.description ?? "unknown error" })
    this.refuses = error !== undefined
    return !this.refuses
  }

  /**
   * Reads back the nonces that may still be refused, then follows the log for as long as the scope is open. Succeeds
   * once it has caught up.
   */
  readonly follow: Effect.Effect<void, unknown, Scope.Scope> = Effect.gen({ self: this }, function* () {
    yield* this.catchUp
    yield* followStream(this.nats, this.home.stream, this.followed + 1, (message) => {
      this.heard(message.seq, Math.floor(message.info.timestampNanos / 1_000_000), message.data)
    })
  })

  /** One reading, shared by all callers that wait for it. */
  private readonly answer: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const asked = yield* Queue.takeAll(this.asking)
    const exit = yield* Effect.exit(this.readUp)
    for (const one of asked) yield* Deferred.done(one, exit)
  })

  private readonly readUp: Effect.Effect<void, NotCaughtUp> = Effect.gen({ self: this }, function* () {
    const last = yield* Effect.tryPromise({
      try: () => this.lastSeq(),
      catch: (error) => new NotCaughtUp({ message: String(error) })
    })
    // Entries that the follower is about to deliver need not be read.
    if (this.followed < last) yield* Effect.sleep(BEHIND_PAUSE_MS)
    const further = Effect.suspend(() => {
      const before = this.followed
      return Effect.filterOrFail(
        this.readPage,
        () => this.followed > before,
        () => BEHIND
      )
    })
    while (this.followed < last) yield* Effect.retry(further, PATIENCE)
  })

  /** The last sequence on the stream's leader; 0 if all its nonces have expired. */
  private async lastSeq(): Promise<number> {
    const reply = await requestStream(this.nats, `$JS.API.STREAM.INFO.${this.home.stream}`, undefined, {
      timeout: INFO_TIMEOUT_MS
    })
    const { state, error } = reply.json<{ state?: StreamState; error?: { description?: string } }>()
    if (state === undefined)
      throw new Error(`the log of nonces was asked for its end: ${error?.description ?? "no answer that makes sense"}`)
    return state.messages === 0 || Date.parse(state.last_ts) < wallMs(this.clock) - this.home.keepSeconds * 1000
      ? 0
      : state.last_seq
  }

  /** Reads a page from any replica. One that is behind or gone returns nothing. */
  private readonly readPage: Effect.Effect<void> = Effect.ignore(
    Effect.tryPromise(() =>
      directGet(
        this.nats,
        this.home.stream,
        { seq: this.followed + 1, next_by_subj: ">", batch: PAGE_MESSAGES },
        ({ headers, data }) => {
          this.heard(Number(headers?.get("Nats-Sequence")), Date.parse(headers?.get("Nats-Time-Stamp") ?? ""), data)
        },
        PAGE_TIMEOUT_MS
      )
    )
  )

  /**
   * Adds entries from the follower and from the catch-up. Each skips entries that the other has delivered. `at`: Unix
   * ms.
   */
  private heard(seq: number, at: number, records: Uint8Array): void {
    if (seq <= this.followed) return
    for (const mark of decode(records)) this.table.add(mark, at)
    this.followed = seq
  }
}

const encode = (marks: ReadonlyArray<NonceMark>): Uint8Array => {
  const out = Buffer.allocUnsafe(marks.length * RECORD_BYTES)
  marks.forEach((mark, index) => {
    out.writeUInt32LE(mark.high >>> 0, index * RECORD_BYTES)
    out.writeUInt32LE(mark.low >>> 0, index * RECORD_BYTES + 4)
    out.writeUInt32LE(mark.request >>> 0, index * RECORD_BYTES + 8)
  })
  return out
}

const decode = (records: Uint8Array): ReadonlyArray<NonceMark> => {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength)
  const marks: Array<NonceMark> = []
  for (let at = 0; at + RECORD_BYTES <= records.length; at += RECORD_BYTES) {
    marks.push({
      high: view.getUint32(at, true),
      low: view.getUint32(at + 4, true),
      request: view.getUint32(at + 8, true)
    })
  }
  return marks
}
