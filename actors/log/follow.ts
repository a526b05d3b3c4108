/**
 * Follows a stream in order, for as long as the connection lives and the scope is open.
 *
 * Invariants
 *  - Every matching message from the start on that the stream still has is received, in order. After an interruption,
 *    reading continues after the last message received.
 *  - The server keeps the consumer in memory, and loses it if the server is killed. So a new consumer is created
 *    immediately when the connection is renewed, and after missed heartbeats. In a cluster, the consumer's server may
 *    end while the connection to another server stays.
 *  - Only messages of the newest consumer count; those of older ones are dropped. Messages after a gap in the
 *    deliveries are dropped too, and a new consumer begins after the last message received.
 *  - If the stream has an archive, no message that was archived meanwhile is skipped. The server skips dropped messages
 *    silently. So a message after a gap counts only once the archive is known not to contain the gap. Otherwise
 *    following ends, and its reader continues in the archive.
 *  - No consumer remains on the server for longer than FORGOTTEN_AFTER_MS. Each one gets its name before it is
 *    requested, so that one that the server created too late can be deleted as well.
 *  - A consumer has one filter at most. When the server creates a consumer with a filter, it counts the matching
 *    subjects. With several filters it reads every subject of the stream and delays writes.
 */
import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  type ConsumerMessages,
  DeliverPolicy,
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  type JsMsg
} from "@nats-io/jetstream"
import { nuid, type NatsConnection } from "@nats-io/transport-node"
import { Clock, Deferred, Effect, Fiber, FiberHandle, Schedule, type Scope } from "effect"
import { delay } from "../../schemas/runtime/clock.ts"
import type { Archive } from "./archive/archive.ts"
import { attempt } from "./attempt.ts"
import { CONSUMER_NOT_FOUND } from "./jetstream-codes.ts"
import { listeningOnLine } from "./renewal.ts"

const NS_PER_MS = 1_000_000
const RETRY_MS = 200
const PULL_MESSAGES = 1000
/** The duration of one pull request. The server's heartbeats come twice as often. */
const PULL_MS = 1000
/**
 * The time limit for creating a consumer. It is doubled after each failure. A cluster may place a consumer on a server
 * that was just killed, so that nobody answers. The next one is probably placed elsewhere. A slow server may need more
 * time.
 */
const MADE_WITHIN_MS = 1000
const MADE_WITHIN_MAX_MS = 32_000
/** The server deletes a consumer that nobody pulls from for this long. */
const FORGOTTEN_AFTER_MS = 30_000
const TAKEN_BACK_WITHIN_MS = 5000
/** The number of tries to delete a consumer, with doubled pauses. After that the server deletes it. */
const TAKE_BACK_TRIES = 7
const TAKE_BACK_PAUSE_MS = 500
/** The time in which a reader that ends may delete its consumer. */
const LEAVE_WITHIN_MS = 1000

export interface Following {
  /**
   * The number of messages that the server still has to deliver; `null` while there is no consumer, and once the next
   * messages are in the archive. Rejects if the server does not answer.
   */
  readonly pending: () => Promise<number | null>
}

/**
 * The position to begin at: the oldest message, the newest message of each subject, a sequence, or the first message
 * from a time on (Unix ms).
 */
export type Start = "all" | "last-per-subject" | number | { readonly time: number }

/** The archive of the stream, for a start at a sequence. */
interface Older {
  readonly archive: Pick<Archive, "refresh" | "through">
  /** Called once, when no more messages are received because the next ones are in the archive. */
  readonly overtaken: () => void
}

export interface FollowOptions {
  readonly filter?: string | undefined
  /** The number of messages that one pull may request. With more, a reader of many messages waits less often. */
  readonly pullMessages?: number
  readonly older?: Older | undefined
}

/** Statuses of a consumer after which a new one is needed. */
const SILENCE: ReadonlySet<string> = new Set([
  "heartbeats_missed",
  "consumer_not_found",
  "consumer_deleted",
  "stream_not_found"
])

const startOptions = (start: Start): Partial<ConsumerConfig> => {
  if (start === "all") return { deliver_policy: DeliverPolicy.All }
  if (start === "last-per-subject") return { deliver_policy: DeliverPolicy.LastPerSubject }
  if (typeof start === "object")
    return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(start.time).toISOString() }
  return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: start }
}

/** Succeeds when the first consumer exists, and fails if it cannot be created. Follows while the scope is open. */
export const followStream = (
  nats: NatsConnection,
  stream: string,
  start: Start,
  receive: (message: JsMsg) => void,
  options: FollowOptions = {}
): Effect.Effect<Following, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const follower = new Follower(yield* Clock.Clock, nats, stream, start, receive, options)
    const begun = yield* Deferred.make<void, unknown>()
    const first = Effect.onExit(follower.read(Deferred.succeed(begun, undefined)), (exit) => Deferred.done(begun, exit))
    const untilMade = { schedule: Schedule.spaced(RETRY_MS), while: () => !nats.isClosed() }
    const again = Effect.forever(Effect.retry(follower.read(), untilMade))

    const handle = yield* FiberHandle.make()
    yield* Effect.addFinalizer(() => follower.left(FiberHandle.clear(handle)))
    const run = yield* FiberHandle.runtime(handle)()
    run(Effect.andThen(first, again))
    yield* Deferred.await(begun)
    // The consumer is ended while the connection is down, so that the client does not try to repair it itself.
    yield* listeningOnLine(nats, (change) => void run(change === "renewed" ? again : Effect.void))
    return { pending: () => follower.pending() }
  })

class Follower {
  private readonly clock: Clock.Clock
  private readonly nats: NatsConnection
  private readonly stream: string
  private from: Start
  private readonly receive: (message: JsMsg) => void
  private readonly options: FollowOptions
  private consumer: Consumer | null = null
  private patienceMs = MADE_WITHIN_MS
  private takingBack: Fiber.Fiber<unknown> | null = null
  /** Messages of the newest consumer after a possible gap. */
  private doubtful: Array<JsMsg> = []
  private isOver = false

  constructor(
    clock: Clock.Clock,
    nats: NatsConnection,
    stream: string,
    from: Start,
    receive: (message: JsMsg) => void,
    options: FollowOptions
  ) {
    this.clock = clock
    this.nats = nats
    this.stream = stream
    this.from = from
    this.receive = receive
    this.options = options
  }

  async pending(): Promise<number | null> {
    if (this.consumer === null) return null
    const { num_pending: left } = await this.consumer.info()
    const { older } = this.options
    if (older === undefined || left > 0 || this.doubtful.length > 0) return left + this.doubtful.length
    // The server may have dropped all remaining messages.
    await older.archive.refresh()
    return this.isArchived(older) ? null : this.doubtful.length
  }

  /** Reads by one consumer until that consumer is lost. Fails if it cannot be created. */
  read(made: Effect.Effect<unknown> = Effect.void): Effect.Effect<void, unknown> {
    const begun = (): Reading => ({
      name: `follow_${nuid.next()}`,
      made: false,
      messages: null,
      received: 0,
      ended: false
    })
    const reading = Effect.acquireRelease(Effect.sync(begun), (own) => this.end(own))
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const own = yield* reading
        yield* attempt(() => this.consume(own))
        yield* made
        yield* Effect.promise(() => silence(own))
      })
    )
  }

  /** Ends `reading`, and deletes the consumer on the server. */
  left(reading: Effect.Effect<void>): Effect.Effect<void> {
    const taken = Effect.suspend(() =>
      this.takingBack === null ? Effect.void : Effect.timeoutOption(Fiber.await(this.takingBack), LEAVE_WITHIN_MS)
    )
    return Effect.andThen(reading, Effect.asVoid(taken))
  }

  private async consume(own: Reading): Promise<void> {
    const consumer = await this.make(own)
    const { pullMessages = PULL_MESSAGES } = this.options
    if (own.ended) return
    own.messages = await consumer.consume({
      max_messages: pullMessages,
      expires: PULL_MS,
      callback: (message) => this.take(own, message)
    })
    if (own.ended) own.messages.stop()
    else this.consumer = consumer
  }

  private async make(own: Reading): Promise<Consumer> {
    const { filter } = this.options
    try {
      const manager = await jetstreamManager(this.nats, { checkAPI: false, timeout: this.patienceMs })
      const info = await manager.consumers.add(this.stream, {
        ...startOptions(this.from),
        ...(filter === undefined ? {} : { filter_subject: filter }),
        name: own.name,
        ack_policy: AckPolicy.None,
        mem_storage: true,
        num_replicas: 1,
        inactive_threshold: FORGOTTEN_AFTER_MS * NS_PER_MS
      })
      own.made = true
      this.patienceMs = MADE_WITHIN_MS
      return jetstream(this.nats).consumers.getConsumerFromInfo(info)
    } catch (error) {
      this.patienceMs = Math.min(2 * this.patienceMs, MADE_WITHIN_MAX_MS)
      throw error
    }
  }

  private take(own: Reading, message: JsMsg): void {
    if (own.ended) return
    own.received++
    if (message.info.deliverySequence !== own.received) {
      own.ended = true
      own.messages?.stop()
      return
    }
    if (this.options.older === undefined) return this.give(message)
    if (this.isOver) return
    if (this.doubtful.length === 0 && message.seq === this.from) return this.give(message)
    this.doubtful.push(message)
    if (this.doubtful.length === 1) void this.judge(own, this.options.older)
  }

  private give(message: JsMsg): void {
    this.from = message.seq + 1
    this.receive(message)
  }

  /** The archive's answer applies to all messages that had arrived when it was asked. */
  private async judge(own: Reading, older: Older): Promise<void> {
    while (this.doubtful.length > 0) {
      const { length } = this.doubtful
      const known = await older.archive.refresh().then(
        () => true,
        () => false
      )
      if (own.ended || this.isOver) return
      if (!known) {
        await delay(this.clock, RETRY_MS)
        // Another consumer delivers these messages again.
        own.ended = true
        own.messages?.stop()
        return
      }
      for (let judged = 0; judged < length; judged++) {
        const [message] = this.doubtful
        if (message === undefined || own.ended) return
        if (message.seq !== this.from && this.isArchived(older)) return
        this.give(message)
        this.doubtful.shift()
      }
    }
  }

  /** True if the server may have dropped the next message. Then this following is over. */
  private isArchived({ archive, overtaken }: Older): boolean {
    if (typeof this.from !== "number" || archive.through < this.from) return false
    if (!this.isOver) {
      this.isOver = true
      overtaken()
    }
    return true
  }

  private end(own: Reading): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      own.ended = true
      own.messages?.stop()
      this.consumer = null
      // The next consumer delivers these messages again.
      this.doubtful = []
      this.takingBack = yield* Effect.forkDetach(this.takeBack(own))
    })
  }

  /** Deletes the consumer, repeatedly: the server may create it after the wait for it was given up. */
  private takeBack(own: Reading): Effect.Effect<void> {
    const deleted = attempt(async () => {
      const manager = await jetstreamManager(this.nats, { checkAPI: false, timeout: TAKEN_BACK_WITHIN_MS })
      await manager.consumers.delete(this.stream, own.name)
    })
    const isGone = (error: unknown): boolean =>
      own.made && error instanceof JetStreamApiError && error.code === CONSUMER_NOT_FOUND
    const pauses = { schedule: Schedule.exponential(TAKE_BACK_PAUSE_MS), times: TAKE_BACK_TRIES - 1 }
    return Effect.ignore(
      Effect.retry(deleted, { ...pauses, while: (error) => !this.nats.isClosed() && !isGone(error) })
    )
  }
}

interface Reading {
  readonly name: string
  /** True if the server has confirmed the consumer. */
  made: boolean
  messages: ConsumerMessages | null
  received: number
  /** True if messages that still arrive are dropped. */
  ended: boolean
}

const silence = async ({ messages }: Reading): Promise<void> => {
  if (messages !== null) for await (const { type } of messages.status()) if (SILENCE.has(type)) return
}
