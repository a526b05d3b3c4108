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
  readonly following: Promise<Following>
  readonly readers: Set<Reader>
  /** The last sequence that it has delivered. */
  at: number
  /** The server has its consumer: from then on it mends itself. */
  live: boolean
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

  /** Rejects when the server has no consumer for it. */
  async read(reads: Read, from: number, receive: (message: Message) => void): Promise<Following> {
    const reader: Reader = { reads, receive, next: from }
    const common = (this.common ??= this.begin(from))
    if (from <= common.at) return this.alone(reader)
    common.readers.add(reader)
    try {
      const { pending } = await common.following
      return { pending, stop: () => this.leave(reader) }
    } catch (error) {
      this.leave(reader)
      throw error
    }
  }

  private begin(from: number): Common {
    const readers = new Set<Reader>()
    const deliver = (message: JsMsg): void => {
      common.at = message.seq
      const plain = this.plain(message)
      for (const reader of readers) give(reader, plain)
    }
    const following = followStream(this.nats, this.stream, from, deliver, this.subjects)
    const common: Common = { following, readers, at: from - 1, live: false }
    following.then(
      () => (common.live = true),
      () => this.over(common)
    )
    return common
  }

  private async alone(reader: Reader): Promise<Following> {
    let stopped = false
    let own: Following | null = null
    const receive = (message: JsMsg): void => {
      give(reader, this.plain(message))
      const { common } = this
      if (stopped || own === null || common?.live !== true || message.seq < common.at) return
      own.stop()
      stopped = true
      common.readers.add(reader)
    }
    own = await followStream(this.nats, this.stream, reader.next, receive, reader.reads.subjects)
    const alone = own
    return {
      pending: async () => (stopped ? ((await this.common?.following)?.pending() ?? null) : alone.pending()),
      stop: () => {
        if (stopped) return this.leave(reader)
        stopped = true
        alone.stop()
      }
    }
  }

  private leave(reader: Reader): void {
    const { common } = this
    if (common?.readers.delete(reader) !== true || common.readers.size > 0) return
    this.over(common)
    void common.following.then(
      (following) => following.stop(),
      () => undefined
    )
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
