/**
 * One reading of a stream for all projections and reactions of a process that read it: each message comes from the server once, however
 * many want it.
 *
 * Invariants
 *  - A reader gets each message that it reads once and in order, from the sequence on that it begins at.
 *  - The first to begin sets where the common reading begins. Who begins behind it reads alone, and goes over to it with
 *    the first message that the common reading has not passed: nothing lies between the two then.
 *  - The server delivers what some of them read and nothing else. Who reads alone gets its own part alone.
 */
import type { JsMsg } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Exit, Fiber, FiberSet, Scope } from "effect"
import type { Tracing } from "../../schemas/runtime/trace/tracing.ts"
import { type Following, followStream } from "../log/follow.ts"
import { type Message, messageOf, type Projection } from "./projection.ts"
import { tracedOf } from "./trace.ts"

export type Read = Pick<Projection, "stream" | "subjects" | "kinds">

interface Reader {
  readonly reads: Read
  readonly receive: (message: Message) => void
  /** The first sequence that it has not had. */
  next: number
}

interface Common {
  readonly readers: Set<Reader>
  /** In a fiber of its own: who came first may be the first to leave. */
  readonly following: Fiber.Fiber<Following, unknown>
  readonly scope: Scope.Closeable
  /** The last sequence that it has delivered. */
  at: number
  /** The server has its consumer: from then on it mends itself. */
  live: Following | null
}

export class Feed {
  private readonly nats: NatsConnection
  private readonly tracing: Tracing
  private readonly stream: string
  private readonly subjects: ReadonlyArray<string>
  private common: Common | null = null

  /** `all`: whoever may read the stream. */
  constructor(nats: NatsConnection, tracing: Tracing, stream: string, all: ReadonlyArray<Read>) {
    this.nats = nats
    this.tracing = tracing
    this.stream = stream
    this.subjects = [...new Set(all.filter((one) => one.stream === stream).flatMap(({ subjects }) => subjects))]
  }

  /** For as long as the scope is open. Fails when the server has no consumer for it. */
  read(reads: Read, from: number, receive: (message: Message) => void): Effect.Effect<Following, unknown, Scope.Scope> {
    return Effect.suspend(() => {
      const reader: Reader = { reads, receive, next: from }
      const common = (this.common ??= this.begin(from))
      if (from <= common.at) return this.alone(reader)
      const among = Effect.sync(() => void common.readers.add(reader))
      return Effect.andThen(
        Effect.acquireRelease(among, () => this.leave(common, reader)),
        Fiber.join(common.following)
      )
    })
  }

  private begin(from: number): Common {
    const readers = new Set<Reader>()
    const deliver = (message: JsMsg): void => {
      common.at = message.seq
      const plain = this.plain(message)
      for (const reader of readers) give(reader, plain)
    }
    const scope = Scope.makeUnsafe()
    const following = Effect.runFork(
      Scope.provide(followStream(this.nats, this.stream, from, deliver, this.subjects), scope)
    )
    const common: Common = { following, scope, readers, at: from - 1, live: null }
    following.addObserver((exit) => {
      if (Exit.isSuccess(exit)) common.live = exit.value
      else this.over(common)
    })
    return common
  }

  private alone(reader: Reader): Effect.Effect<Following, unknown, Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      const own = yield* Scope.fork(yield* Effect.scope)
      const run = yield* FiberSet.makeRuntime()
      let joined: Common | null = null
      let alone: Following | null = null
      const receive = (message: JsMsg): void => {
        give(reader, this.plain(message))
        const { common } = this
        if (joined !== null || alone === null || common === null || common.live === null || message.seq < common.at)
          return
        joined = common
        common.readers.add(reader)
        run(Effect.uninterruptible(Scope.close(own, Exit.void)))
      }
      yield* Effect.addFinalizer(() => (joined === null ? Effect.void : this.leave(joined, reader)))
      const { nats, stream } = this
      alone = yield* Scope.provide(followStream(nats, stream, reader.next, receive, reader.reads.subjects), own)
      const following = alone
      return { pending: async () => (joined === null ? following : joined.live)?.pending() ?? null }
    })
  }

  private leave(common: Common, reader: Reader): Effect.Effect<void> {
    return Effect.suspend(() => {
      common.readers.delete(reader)
      if (common.readers.size > 0) return Effect.void
      this.over(common)
      return Effect.andThen(Fiber.interrupt(common.following), Scope.close(common.scope, Exit.void))
    })
  }

  private over(common: Common): void {
    if (this.common === common) this.common = null
  }

  private plain(message: JsMsg): Message {
    const plain = messageOf(message.subject, message.seq, message.data)
    return this.tracing.on ? { ...plain, ...tracedOf(this.tracing, message) } : plain
  }
}

export type FeedOf = (stream: string) => Feed

/** One feed for each stream. `all`: whoever may read any of them. */
export const feedsFor = (nats: NatsConnection, tracing: Tracing, all: ReadonlyArray<Read>): FeedOf => {
  const feeds = new Map<string, Feed>()
  return (stream) => {
    const feed = feeds.get(stream) ?? new Feed(nats, tracing, stream, all)
    feeds.set(stream, feed)
    return feed
  }
}

const give = (reader: Reader, message: Message): void => {
  const { kinds } = reader.reads
  if (message.seq < reader.next || (kinds.length > 0 && !kinds.includes(message.kind))) return
  reader.next = message.seq + 1
  reader.receive(message)
}
