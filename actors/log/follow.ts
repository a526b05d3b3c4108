/**
 * Follows a stream in order, for as long as the connection lives and the scope is open.
 *
 * Invariants
 *  - Every message from the start on is received, in order; after an interruption it goes on behind the last one
 *    received.
 *  - The server keeps such a consumer in memory: one that was killed has forgotten it. So when the connection is
 *    renewed a new consumer is made at once; and also when its heartbeats are missed, for in a cluster the server that
 *    has the consumer may go while the connection, to another one, stays.
 *  - Only the newest consumer is listened to: what an older one still brings is dropped.
 */
import {
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  jetstream,
  type JsMsg,
  type OrderedConsumerOptions
} from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Deferred, Effect, FiberHandle, Schedule, type Scope } from "effect"
import { attempt } from "./attempt.ts"
import { listeningOnLine } from "./renewal.ts"

const RETRY_MS = 200
const PULL_MESSAGES = 1000
/** One pull; the server's heartbeats come twice as often. */
const PULL_MS = 1000
/**
 * For the making of a consumer. A cluster may place it on a server that was killed, as long as it does not know; then
 * nobody answers, and the next one that is asked for lies elsewhere, more likely than not.
 */
const MADE_WITHIN_MS = 1000

export interface Following {
  /** Messages that the server has still to deliver; `null` while it has no consumer. Rejects when it does not answer. */
  readonly pending: () => Promise<number | null>
}

/**
 * Where to begin: all that is kept, the newest message of each subject, a sequence, or what was stored from a time on
 * (Unix ms).
 */
export type Start = "all" | "last-per-subject" | number | { readonly time: number }

/** Ways to learn that the server has no such consumer, or that nobody has it. */
const SILENCE: ReadonlySet<string> = new Set([
  "heartbeats_missed",
  "consumer_not_found",
  "consumer_deleted",
  "stream_not_found"
])

const startOptions = (start: Start): Partial<OrderedConsumerOptions> => {
  if (start === "all") return { deliver_policy: DeliverPolicy.All }
  if (start === "last-per-subject") return { deliver_policy: DeliverPolicy.LastPerSubject }
  if (typeof start === "object")
    return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(start.time).toISOString() }
  return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: start }
}

/**
 * Succeeds when the first consumer is in place, fails when it cannot be made; follows for as long as the scope is open.
 * `filters`: only subjects of these patterns; the server delivers nothing else.
 */
export const followStream = (
  nats: NatsConnection,
  stream: string,
  start: Start,
  receive: (message: JsMsg) => void,
  filters?: ReadonlyArray<string>
): Effect.Effect<Following, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const follower = new Follower(nats, stream, start, receive, filters)
    const begun = yield* Deferred.make<void, unknown>()
    const first = Effect.onExit(follower.read(Deferred.succeed(begun, undefined)), (exit) => Deferred.done(begun, exit))
    const untilMade = { schedule: Schedule.spaced(RETRY_MS), while: () => !nats.isClosed() }
    const again = Effect.forever(Effect.retry(follower.read(), untilMade))

    const handle = yield* FiberHandle.make()
    yield* Effect.addFinalizer(() => follower.left(FiberHandle.clear(handle)))
    const run = yield* FiberHandle.runtime(handle)()
    run(Effect.andThen(first, again))
    yield* Deferred.await(begun)
    // Ended while the line is down, so that the client makes no attempt of its own to mend it.
    yield* listeningOnLine(nats, (change) => void run(change === "renewed" ? again : Effect.void))
    return { pending: () => follower.pending() }
  })

class Follower {
  private readonly nats: NatsConnection
  private readonly stream: string
  private from: Start
  private readonly receive: (message: JsMsg) => void
  private readonly filters: ReadonlyArray<string> | undefined
  private consumer: Consumer | null = null

  constructor(
    nats: NatsConnection,
    stream: string,
    from: Start,
    receive: (message: JsMsg) => void,
    filters: ReadonlyArray<string> | undefined
  ) {
    this.nats = nats
    this.stream = stream
    this.from = from
    this.receive = receive
    this.filters = filters
  }

  async pending(): Promise<number | null> {
    return this.consumer === null ? null : (await this.consumer.info()).num_pending
  }

  /** By one consumer, until nobody has it any more. Fails when it cannot be made. */
  read(made: Effect.Effect<unknown> = Effect.void): Effect.Effect<void, unknown> {
    const nothing = (): Reading => ({ messages: null, ended: false })
    const reading = Effect.acquireRelease(Effect.sync(nothing), (own) => Effect.sync(() => this.end(own)))
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const own = yield* reading
        yield* attempt(() => this.consume(own))
        yield* made
        yield* Effect.promise(() => silence(own))
      })
    )
  }

  /** Ends what `reading` does, and takes the consumer from the server. */
  left(reading: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { consumer } = this
      // Left alone, the server would keep it for minutes; a follower that begins again and again would leave hundreds.
      const taken = consumer === null ? Effect.void : Effect.ignore(attempt(() => consumer.delete()))
      return Effect.andThen(reading, taken)
    })
  }

  private async consume(own: Reading): Promise<void> {
    const consumer = await jetstream(this.nats, { timeout: MADE_WITHIN_MS }).consumers.get(this.stream, {
      ...startOptions(this.from),
      ...(this.filters === undefined ? {} : { filter_subjects: [...this.filters] })
    })
    if (own.ended) return
    own.messages = await consumer.consume({
      max_messages: PULL_MESSAGES,
      expires: PULL_MS,
      callback: (message) => {
        if (own.ended) return
        this.from = message.seq + 1
        this.receive(message)
      }
    })
    if (own.ended) own.messages.stop()
    else this.consumer = consumer
  }

  private end(own: Reading): void {
    own.ended = true
    own.messages?.stop()
    this.consumer = null
  }
}

interface Reading {
  messages: ConsumerMessages | null
  /** Nothing that still comes is received. */
  ended: boolean
}

const silence = async ({ messages }: Reading): Promise<void> => {
  if (messages !== null) for await (const { type } of messages.status()) if (SILENCE.has(type)) return
}
