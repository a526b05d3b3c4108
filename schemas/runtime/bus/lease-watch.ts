/**
 * Watches the lease bucket, so that asks go to the owner of their shard, and nodes see each other come and go
 * (actors/engine/placement.ts describes placement).
 *
 * Invariants
 *  - Everything read here is a hint. If it is late or wrong, that costs a retry, never an answer.
 *  - The bucket is read by direct gets, from after the last sequence that was read. No server keeps anything for a
 *    watcher, so any server can answer the next read. A replica that is behind returns less, but never something wrong.
 *    Older news of a key never overwrites newer news.
 *  - It is read every IDLE_MS. After an urgent write was noticed, it is read every EAGER_MS for a while, because the
 *    write may not be stored yet on every replica. Urgent are writes to a shard's key, and those of a node that begins
 *    or is ended.
 *  - Every SWEEP_MS the whole bucket is read. A known key that is gone is removed from the view, unless it is newer
 *    than everything that the reader saw. (It has expired, and so has the message that said so.)
 *  - A new bucket begins its sequences again, so everything known about the former one is removed.
 *  - If the bucket does not exist yet when a watcher starts, the watcher waits.
 */
import type { Clock } from "effect"
import { buckets } from "../../subjects.ts"
import { after, monotonicMs } from "../clock.ts"
import { LEASE_PREFIX, type LeaseView } from "./lease-view.ts"
import type { NatsMessageShape, NatsShape } from "./transport.ts"

const STREAM = `KV_${buckets.leases}`

const IDLE_MS = 500
const EAGER_MS = 10
const EAGER_FOR_MS = 150
const SWEEP_MS = 5_000
/** A read that was lost with a server or a connection is made again after this time. */
const READ_TIMEOUT_MS = 500
/** The pause between two tries if the bucket does not exist or no server answers. */
const AWAY_MS = 100
/**
 * The most messages of one read. The bucket has one for each shard and each node, and some that report the end of a
 * lease.
 */
const PAGE = 1_000

const END_OF_BATCH = 204
const NOTHING_FOUND = 404
const NO_RESPONDERS = 503

export interface LeaseWatchOptions {
  readonly clock: Clock.Clock
  readonly nats: NatsShape
  /** A subject that only this watcher uses, and that its user may subscribe to. */
  readonly inbox: string
  readonly view: LeaseView
  /** Called for faults. A bus that is down is no fault of the watcher. */
  readonly onProblem: (error: unknown) => void
}

interface StreamInfo {
  readonly created?: string
  readonly error?: { readonly description?: string }
}

/** The bucket does not exist, or no server answers, at the moment. */
class Away extends Error {}

export class LeaseWatch {
  private readonly options: LeaseWatchOptions
  /** The last known revision of each key. */
  private readonly revisions = new Map<string, number>()
  /** The time when the bucket was made, as its stream reports it. */
  private created = ""
  /** The last revision of the bucket that was read. */
  private seen = 0
  private sweepAt = 0
  private eagerUntil = 0
  private reads = 0
  private stopped = false
  private receive: (message: NatsMessageShape) => void = () => undefined
  private wake: () => void = () => undefined
  private giveUp: (why: Away) => void = () => undefined

  constructor(options: LeaseWatchOptions) {
    this.options = options
  }

  /** The last known revision of a key; 0 if there is none. */
  revision(key: string): number {
    return this.revisions.get(key) ?? 0
  }

  /** `value` is `null` if the key was deleted or has expired. */
  heard(key: string, value: string | null, revision: number): void {
    if (revision <= this.revision(key)) return
    this.revisions.set(key, revision)
    this.options.view.apply(key, value)
  }

  /**
   * Resolves once everything in the bucket has been applied to the view. Then it watches until `stop`, or as long as
   * the connection lives.
   */
  start(): Promise<void> {
    const { nats, inbox } = this.options
    const subscriptions = [
      nats.subscribe(`${inbox}.*`, { callback: (error, message) => error === null && this.receive(message) }),
      nats.subscribe(`${LEASE_PREFIX}>`, { callback: (error, message) => error === null && this.overheard(message) })
    ]
    return new Promise((resolve) => {
      void this.run(resolve).finally(() => {
        for (const subscription of subscriptions) subscription.unsubscribe()
      })
    })
  }

  /** Called when the connection is up again. Cancels reads over the lost connection, and reads the whole bucket. */
  renewed(): void {
    this.sweepAt = 0
    this.beEager()
    this.giveUp(new Away("the connection was lost before the bucket answered"))
    this.wake()
  }

  stop(): void {
    this.stopped = true
    this.wake()
  }

  private async run(complete: () => void): Promise<void> {
    while (!this.stopped && !this.options.nats.isClosed()) {
      try {
        if (monotonicMs(this.options.clock) >= this.sweepAt) {
          await this.sweep()
          complete()
        } else await this.read(this.seen + 1)
        await this.pause(this.eager ? EAGER_MS : IDLE_MS)
      } catch (error) {
        if (!(error instanceof Away) && !this.options.nats.isClosed()) this.options.onProblem(error)
        await this.pause(this.eager ? EAGER_MS : AWAY_MS)
      }
    }
  }

  private get eager(): boolean {
    return monotonicMs(this.options.clock) < this.eagerUntil
  }

  private beEager(): void {
    this.eagerUntil = monotonicMs(this.options.clock) + EAGER_FOR_MS
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = after(this.options.clock, ms, resolve)
      this.wake = () => {
        cancel()
        resolve()
      }
    })
  }

  /** Called for each write to the bucket. A node's regular renewals are frequent and need no immediate read. */
  private overheard(message: NatsMessageShape): void {
    const key = keyOf(message)
    if (key.startsWith("node.") && !isGone(message) && this.revision(key) > 0) return
    const idle = !this.eager
    this.beEager()
    if (idle) this.wake()
  }

  private async sweep(): Promise<void> {
    await this.beginAnewWithBucket()
    const { keys, last } = await this.read(1)
    for (const [key, revision] of this.revisions) {
      // The replica that answered may not yet have writes that are newer than its last revision.
      if (!keys.has(key) && revision < last) this.forget(key)
    }
    this.sweepAt = monotonicMs(this.options.clock) + SWEEP_MS
  }

  private async beginAnewWithBucket(): Promise<void> {
    const { created, error } = await this.info()
    // The bucket does not exist or has no leader. An answer without the bucket's creation time does not mean that there
    // is another bucket.
    if (error !== undefined || created === undefined) throw new Away(error?.description ?? "the bucket is not there")
    if (created === this.created) return
    this.created = created
    this.seen = 0
    for (const key of this.revisions.keys()) this.forget(key)
  }

  private forget(key: string): void {
    this.revisions.delete(key)
    this.options.view.apply(key, null)
  }

  /** Reads and applies everything from a sequence on. Returns the keys that were there, and the last sequence. */
  private async read(from: number): Promise<{ readonly keys: ReadonlySet<string>; readonly last: number }> {
    const keys = new Set<string>()
    for (let last = from - 1; ;) {
      const page = await this.page(last + 1)
      for (const message of page) {
        const key = keyOf(message)
        last = Number(message.headers?.get("Nats-Sequence"))
        keys.add(key)
        this.heard(key, isGone(message) ? null : text.decode(message.data), last)
      }
      this.seen = Math.max(this.seen, last)
      if (page.length < PAGE) return { keys, last }
    }
  }

  private async page(from: number): Promise<ReadonlyArray<NatsMessageShape>> {
    const page: Array<NatsMessageShape> = []
    await this.ask(
      `$JS.API.DIRECT.GET.${STREAM}`,
      { seq: from, next_by_subj: `${LEASE_PREFIX}>`, batch: PAGE },
      (message) => {
        const status = message.headers?.code ?? 0
        if (status === 0) page.push(message)
        else if (status === NO_RESPONDERS) throw new Away("nobody answers for the bucket")
        else if (status !== END_OF_BATCH && status !== NOTHING_FOUND)
          throw new Error(`the bucket of leases answered ${status}`)
        return status !== 0
      }
    )
    return page
  }

  private async info(): Promise<StreamInfo> {
    let info: StreamInfo = {}
    await this.ask(`$JS.API.STREAM.INFO.${STREAM}`, null, (message) => {
      if (message.headers?.code === NO_RESPONDERS) throw new Away("nobody answers for the bucket")
      info = JSON.parse(text.decode(message.data)) as StreamInfo
      return true
    })
    return info
  }

  /**
   * Makes a request; only one may be under way at a time. `take` returns true if the answer is complete. An error that
   * it throws ends the request.
   */
  private ask(subject: string, request: object | null, take: (message: NatsMessageShape) => boolean): Promise<void> {
    const { clock, nats, inbox } = this.options
    const reply = `${inbox}.${++this.reads}`
    return new Promise((resolve, reject) => {
      const cancel = after(clock, READ_TIMEOUT_MS, () => this.giveUp(new Away("the bucket did not answer in time")))
      const settled = (settle: () => void): void => {
        cancel()
        this.receive = () => undefined
        this.giveUp = () => undefined
        settle()
      }
      this.giveUp = (why) => settled(() => reject(why))
      this.receive = (message) => {
        if (message.subject !== reply) return
        try {
          if (take(message)) settled(resolve)
        } catch (error) {
          settled(() => reject(error))
        }
      }
      nats.publish(subject, request === null ? NOTHING : utf8.encode(JSON.stringify(request)), { reply })
    })
  }
}

const utf8 = new TextEncoder()
const text = new TextDecoder()
const NOTHING = new Uint8Array(0)

/** The subject of the stored message, which a direct get returns in a header. */
const keyOf = (message: NatsMessageShape): string => {
  const subject = message.headers?.get("Nats-Subject") ?? ""
  return (subject === "" ? message.subject : subject).slice(LEASE_PREFIX.length)
}

const isGone = ({ headers }: NatsMessageShape): boolean =>
  headers !== undefined &&
  (headers.get("KV-Operation") === "DEL" ||
    headers.get("KV-Operation") === "PURGE" ||
    headers.get("Nats-Marker-Reason") !== "")
