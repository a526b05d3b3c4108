/**
 * Reads a stream once for all projections and reactions of a process that are near its end.
 *
 * Invariants
 *  - A reader gets each message of its subjects once and in order, starting at the sequence that it asks for.
 *  - The common reading begins at the position of the first readers, but at most `near` messages before the stream's
 *    end. A reader that is further behind reads alone, and joins the common reading when nothing lies between the two
 *    any more. So a reader that is far behind delays no other.
 *  - The common reading is of the whole stream. A reader alone gets its own subject, or the whole stream if it reads
 *    several subjects.
 *  - If a reader needs archived messages, it first gets them page by page and then continues in the log. A reader whose
 *    buffer is full ends its reading, and begins again from its stored position. A reader whose next messages were
 *    archived meanwhile begins again too: an archiver of another release may not know about the reader.
 *  - A reader knows how far the stream was read for it, even if none of those messages were its own.
 */
import { jetstreamManager, type JsMsg } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Deferred, Effect, Exit, Fiber, FiberSet, Schedule, Scope, Stream } from "effect"
import type { Tracing } from "../../schemas/runtime/trace/tracing.ts"
import { streams } from "../../schemas/subjects.ts"
import type { Archive } from "../log/archive/archive.ts"
import { attempt } from "../log/attempt.ts"
import { type Following, followStream } from "../log/follow.ts"
import { leaderMessage } from "../log/last-message.ts"
import { archivedPages, nextSeq } from "../log/stream-pages.ts"
import { type Message, messageOf, type Projection } from "./projection.ts"
import { tracedOf } from "./trace.ts"

export type ReadSource = Pick<Projection, "stream" | "subjects" | "kinds">

interface Reader {
  readonly reads: ReadSource
  readonly receive: (message: Message) => void
  next: number
  /**
   * Called when messages that the reader still needs may have been archived and dropped from the log. It gets no more
   * messages.
   */
  overtaken: () => void
}

interface Common {
  readonly readers: Set<Reader>
  /** The positions of readers that ask for the common reading before it begins. */
  asked: ReadonlyArray<number>
  /** Counts uses; the common reading ends when it is 0. A reader that joined after reading alone counts twice. */
  users: number
  /** Runs in a separate fiber, because the first reader may also be the first to leave. */
  readonly following: Fiber.Fiber<Following, unknown>
  readonly scope: Scope.Closeable
  /** The last sequence that it has delivered or left out. It is known once the reading has begun. */
  at: number
  readonly begun: Deferred.Deferred<void, unknown>
  /** Set once the server has the consumer. From then on the reading repairs itself. */
  live: Following | null
}

export interface FeedReading extends Following {
  /** The sequence up to which the reader has received all of its messages. */
  readonly at: () => number
}

/** The number of messages before the stream's end from which the common reading may begin. */
const NEAR = 10_000
const TIMEOUT_MS = 3000
/** The number of tries to join while the common reading advances. After that the reader reads alone for a moment. */
const LOOKS_MAX = 3
/** A reader alone that has received nothing for this long tries to join the common reading. */
const GO_OVER_LOOK_MS = 1000
const EVERYTHING = ">"
const ARCHIVED_PAGE = 500
const ARCHIVE_RETRY_MS = 1000
/** The number of times that a stream's end is read before the stream counts as having lost messages. */
const LOST_LOOKS = 6
const LOST_LOOK_MS = 500

export class Feed {
  private readonly nats: NatsConnection
  private readonly tracing: Tracing
  private readonly stream: string
  private readonly near: number
  private readonly archive: Archive | undefined
  private common: Common | null = null

  constructor(nats: NatsConnection, tracing: Tracing, stream: string, near = NEAR, archive?: Archive) {
    this.nats = nats
    this.tracing = tracing
    this.stream = stream
    this.near = near
    this.archive = archive
  }

  /**
   * Reads for as long as the scope is open. Fails if the server does not make the first consumer. Later failures are
   * retried.
   */
  read(
    reads: ReadSource,
    from: number,
    receive: (message: Message) => void
  ): Effect.Effect<FeedReading, unknown, Scope.Scope> {
    const reader: Reader = { reads, receive, next: from, overtaken: () => undefined }
    const { archive } = this
    return archive === undefined ? this.readHot(reader) : this.readBoth(reader, archive)
  }

  /** Reads the archive in a separate fiber, so that the reader works meanwhile. */
  private readBoth(reader: Reader, archive: Archive): Effect.Effect<FeedReading, unknown, Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      let hot: FeedReading | null = null
      const begun = yield* Deferred.make<void, unknown>()
      const round = Effect.scoped(
        Effect.gen({ self: this }, function* () {
          const lost = Deferred.makeUnsafe<void>()
          reader.overtaken = () => void Deferred.doneUnsafe(lost, Effect.void)
          yield* attempt(() => archive.refresh())
          if (reader.next <= archive.through) {
            yield* Deferred.succeed(begun, undefined)
            yield* this.older(reader, archive)
          }
          hot = yield* this.readHot(reader)
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(lost)
        })
      ).pipe(Effect.ensuring(Effect.sync(() => (hot = null))))
      const again = {
        schedule: Schedule.spaced(ARCHIVE_RETRY_MS),
        while: () => !this.nats.isClosed() && Deferred.isDoneUnsafe(begun)
      }
      const told = Effect.tapError(round, (error) => Effect.annotateLogs(Effect.logWarning(error), { at: "feed" }))
      const all = Effect.forever(Effect.retry(told, again))
      yield* Effect.forkScoped(Effect.onExit(all, (exit) => Deferred.done(begun, Exit.asVoid(exit))))
      yield* Deferred.await(begun)
      return { pending: () => hot?.pending() ?? Promise.resolve(null), at: () => reader.next - 1 }
    })
  }

  private older(reader: Reader, archive: Archive): Effect.Effect<void, unknown> {
    const pages = archivedPages(archive, reader.next - 1, ARCHIVED_PAGE)
    return Stream.runForEach(pages, ({ page, reached }) =>
      Effect.sync(() => {
        for (const { subject, seq, data } of page) give(reader, messageOf(subject, seq, data))
        reader.next = Math.max(reader.next, reached + 1)
      }).pipe(Effect.andThen(Effect.yieldNow))
    )
  }

  private readHot(reader: Reader): Effect.Effect<FeedReading, unknown, Scope.Scope> {
    const { next: from } = reader
    return Effect.gen({ self: this }, function* () {
      const common = yield* Effect.acquireRelease(
        Effect.sync(() => this.use(from)),
        (used) => this.leave(used)
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => common.readers.delete(reader)))
      yield* Deferred.await(common.begun)
      const reading = (yield* this.joinsAt(common, reader)) ? Fiber.join(common.following) : this.alone(reader)
      const { pending } = yield* reading
      return { pending, at: () => reader.next - 1 }
    })
  }

  /**
   * The stream's end, if it lies before a sequence that was read earlier, so that the stream has lost messages or is an
   * older copy. `null` otherwise.
   */
  lostAt(seq: number): Effect.Effect<number | null, unknown> {
    const { nats, stream } = this
    const end = attempt(async () => {
      const manager = await jetstreamManager(nats, { checkAPI: false, timeout: TIMEOUT_MS })
      return (await manager.streams.info(stream)).state.last_seq
    })
    return Effect.gen(function* () {
      let last = yield* end
      // A new leader may have to catch up.
      for (let looked = 1; last < seq && looked < LOST_LOOKS; looked++) {
        yield* Effect.sleep(LOST_LOOK_MS)
        last = yield* end
      }
      return last < seq ? last : null
    })
  }

  /**
   * Joins the common reading if the stream has no message for the reader between the two positions. False if the reader
   * could not join.
   */
  private joinsAt(common: Common, reader: Reader): Effect.Effect<boolean, unknown> {
    return Effect.gen({ self: this }, function* () {
      for (let looked = 0; looked < LOOKS_MAX; looked++) {
        const { at } = common
        if (reader.next > at) {
          common.readers.add(reader)
          return true
        }
        for (const subject of reader.reads.subjects) {
          const next = yield* nextSeq(this.nats, this.stream, reader.next - 1, subject)
          if (next !== null && next <= at) return false
        }
        if (yield* this.isArchived(reader)) return false
        reader.next = Math.max(reader.next, at + 1)
      }
      return false
    })
  }

  /** True if the archive covers messages that the reader still needs. Then the reader begins again. */
  private isArchived(reader: Reader): Effect.Effect<boolean, unknown> {
    const { archive } = this
    if (archive === undefined) return Effect.succeed(false)
    return Effect.map(
      attempt(() => archive.refresh()),
      () => {
        const isArchived = archive.through >= reader.next
        if (isArchived) reader.overtaken()
        return isArchived
      }
    )
  }

  private use(from: number): Common {
    const common = (this.common ??= this.begin())
    if (!Deferred.isDoneUnsafe(common.begun)) common.asked = [...common.asked, from]
    common.users++
    return common
  }

  private begin(): Common {
    const readers = new Set<Reader>()
    const deliver = (message: JsMsg): void => {
      common.at = message.seq
      const plain = this.plain(message)
      for (const reader of readers) give(reader, plain)
    }
    const scope = Scope.makeUnsafe()
    const begun = Deferred.makeUnsafe<void, unknown>()
    const { nats, stream, near, archive } = this
    /** The common reading and all its readers begin again. */
    const overtaken = (): void => {
      this.over(common)
      for (const reader of readers) reader.overtaken()
    }
    const older = archive === undefined ? undefined : { archive, overtaken }
    const beginning = Effect.gen(function* () {
      const last = yield* attempt(() => leaderMessage(nats, stream, { last_by_subj: EVERYTHING }, TIMEOUT_MS))
      const end = last?.seq ?? 0
      common.at = Math.min(end, ...common.asked.map((from) => from - 1).filter((at) => at >= end - near))
      yield* Deferred.succeed(begun, undefined)
      return yield* followStream(nats, stream, common.at + 1, deliver, { older })
    })
    const told = Effect.onExit(Scope.provide(beginning, scope), (exit) => Deferred.done(begun, Exit.asVoid(exit)))
    const following = Effect.runFork(told)
    const common: Common = { following, scope, readers, asked: [], users: 0, at: 0, begun, live: null }
    common.following.addObserver((exit) => {
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
      const goOver = (common: Common): void => {
        joined = common
        common.users++
        common.readers.add(reader)
        run(Effect.uninterruptible(Scope.close(own, Exit.void)))
      }
      const receive = (message: JsMsg): void => {
        if (joined !== null) return
        give(reader, this.plain(message))
        const { common } = this
        if (alone !== null && common !== null && common.live !== null && message.seq >= common.at) goOver(common)
      }
      const look = Effect.gen({ self: this }, function* () {
        const before = reader.next
        yield* Effect.sleep(GO_OVER_LOOK_MS)
        const { common } = this
        if (common === null || common.live === null || reader.next !== before) return
        const joins = yield* Effect.orElseSucceed(this.joinsAt(common, reader), () => false)
        if (joins && joined === null) goOver(common)
      })
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => {
          if (joined === null) return Effect.void
          joined.readers.delete(reader)
          return this.leave(joined)
        })
      )
      const { nats, stream, archive } = this
      const [first, ...others] = reader.reads.subjects
      const filter = others.length === 0 ? first : undefined
      const overtaken = (): void => (joined === null ? reader.overtaken() : undefined)
      const options = { filter, older: archive === undefined ? undefined : { archive, overtaken } }
      const following = yield* Scope.provide(followStream(nats, stream, reader.next, receive, options), own)
      alone = following
      yield* Scope.provide(Effect.forkScoped(Effect.forever(look)), own)
      return { pending: async () => (joined === null ? following : joined.live)?.pending() ?? null }
    })
  }

  private leave(common: Common): Effect.Effect<void> {
    return Effect.suspend(() => {
      common.users--
      if (common.users > 0) return Effect.void
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

/** One feed for each stream. `archive`: the archive of the log. */
export const feedsFor = (nats: NatsConnection, tracing: Tracing, archive?: Archive): FeedOf => {
  const feeds = new Map<string, Feed>()
  return (stream) => {
    const older = stream === streams.events ? archive : undefined
    const feed = feeds.get(stream) ?? new Feed(nats, tracing, stream, NEAR, older)
    feeds.set(stream, feed)
    return feed
  }
}

const give = (reader: Reader, message: Message): void => {
  const { kinds } = reader.reads
  if (message.seq < reader.next) return
  reader.next = message.seq + 1
  if (kinds.length === 0 || kinds.includes(message.kind)) reader.receive(message)
}
