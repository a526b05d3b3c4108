/**
 * Reads archive and log as one, in order, then follows new commits. It is for readers whose position does not delay the
 * archiver.
 *
 * Invariants
 *  - Each commit from the start on is received once and in order, if it is still kept.
 *  - If commits are archived and dropped from the log before the reader gets to them, it continues in the archive. If
 *    the archive cannot be read, the reading fails. It never continues after a gap.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Deferred, Effect, Stream } from "effect"
import { streams } from "../../schemas/subjects.ts"
import type { Archive } from "./archive/archive.ts"
import { isGuarding } from "./archive/mark.ts"
import { attempt } from "./attempt.ts"
import { type Following, followStream } from "./follow.ts"
import { archivedPages, type Stored } from "./stream-pages.ts"
import { traceIdOf } from "./traceparent.ts"

export interface ReadCommit extends Stored {
  /** `null` if the trace was not sampled, and for every commit from the archive. */
  readonly traceId: string | null
}

interface Options {
  readonly filter?: string
  readonly pullMessages?: number
  /** Commits in one read of the archive. */
  readonly archivedPage: number
}

export class LogReading {
  readonly run: Effect.Effect<never, unknown>
  private readonly nats: NatsConnection
  private readonly archive: Archive | undefined
  private readonly receive: (commit: ReadCommit) => void
  private readonly options: Options
  private next: number
  private following: Following | null = null
  private archived = false

  /** `from`: the first sequence to deliver. */
  constructor(
    nats: NatsConnection,
    archive: Archive | undefined,
    from: number,
    receive: (commit: ReadCommit) => void,
    options: Options
  ) {
    this.nats = nats
    this.archive = archive
    this.next = from
    this.receive = receive
    this.options = options
    this.run = Effect.forever(Effect.scoped(Effect.suspend(() => this.round())))
  }

  /** The last sequence up to which everything was received. */
  get reached(): number {
    return this.next - 1
  }

  get isArchived(): boolean {
    return this.archived
  }

  /**
   * The number of messages that the log still has to deliver; `null` if it is unknown. Rejects if the log does not
   * answer.
   */
  async pending(): Promise<number | null> {
    return (await this.following?.pending()) ?? null
  }

  /** Reads the archive, then follows the log until unread commits are archived and dropped. */
  private round() {
    const { nats, archive, options } = this
    return Effect.gen({ self: this }, function* () {
      if (archive !== undefined) {
        this.archived = true
        yield* this.older(archive)
        this.archived = false
      }
      const lost = Deferred.makeUnsafe<void>()
      const overtaken = (): void => void Deferred.doneUnsafe(lost, Effect.void)
      this.following = yield* followStream(
        nats,
        streams.events,
        this.next,
        ({ seq, subject, data, headers }) => this.give({ seq, subject, data, traceId: traceIdOf(headers) }),
        { ...options, older: archive === undefined ? undefined : { archive, overtaken } }
      )
      yield* Deferred.await(lost)
      this.following = null
    })
  }

  private older(archive: Archive) {
    return Effect.gen({ self: this }, function* () {
      yield* attempt(() => archive.refresh())
      if (this.next > archive.through) return
      const { filter, archivedPage } = this.options
      const pages = archivedPages(archive, this.next - 1, archivedPage, filter)
      yield* Stream.runForEach(pages, ({ page, reached }) =>
        Effect.sync(() => {
          for (const { seq, subject, data } of page) this.give({ seq, subject, data, traceId: null })
          this.next = Math.max(this.next, reached + 1)
        }).pipe(Effect.andThen(Effect.yieldNow))
      )
    })
  }

  private give(commit: ReadCommit): void {
    if (commit.seq < this.next) return
    this.next = commit.seq + 1
    if (!isGuarding(commit.subject)) this.receive(commit)
  }
}
