/**
 * Applies a stream to tables that are not served, page by page. Pages may come from a replica that is behind, so the
 * stream's leader is asked whether the tables have everything up to a sequence.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Schedule, Stream } from "effect"
import type { Kysely } from "kysely"
import { streams } from "../../schemas/subjects.ts"
import type { Database } from "../tables/database.ts"
import type { Archive } from "../log/archive/archive.ts"
import { nextSeq, type Stored, stretchesOf } from "../log/stream-pages.ts"
import { Applier, type Mark } from "./applier.ts"
import { type Message, messageOf, type Projection } from "./projection.ts"
import { PLACES, toItsEnd } from "./steps.ts"

/** Messages of one page, which is one transaction. */
const PAGE = 4000
/** The most times that the leader may answer that it has more than the pages brought. */
const BEHIND_TRIES = 100
const BEHIND_RETRY_MS = 50

export interface Progress {
  /** Number of messages applied so far, and the sequence that they reach. */
  readonly messages: number
  readonly seq: number
  /** The sequence to reach, as far as it is known. */
  readonly target: number
}

export interface FillingParts {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly projection: Projection
  readonly progress: (progress: Progress) => void
  readonly archive?: Archive | undefined
  /** Smaller pages leave more time to the other work of the process. */
  readonly pageSize?: number
}

/** The leader has more messages than the pages brought. */
class Behind extends Error {}

/** The tables of a projection could not be made. The message is that of the cause. */
export class ProjectionFault extends Error {
  readonly projection: string

  constructor(projection: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.projection = projection
  }
}

export class Filling {
  messages = 0
  readonly parts: FillingParts
  private mark: Mark = { seq: 0, kept: 0 }
  private readonly applier: Applier

  get seq(): number {
    return this.mark.seq
  }

  /**
   * The watermark that this filling has stored. Another one in the tables shows that another process has filled them.
   */
  get kept(): number {
    return this.mark.kept
  }

  /** `db`: a connection in which the table names refer to the tables to fill. */
  constructor(db: Kysely<Database>, parts: FillingParts) {
    this.parts = parts
    this.applier = new Applier(db, parts.projection)
  }

  upTo(target: number): Effect.Effect<void, unknown> {
    const { nats, projection } = this.parts
    const all = Effect.gen({ self: this }, function* () {
      yield* this.pages(target)
      for (const subject of projection.subjects) {
        const next = yield* nextSeq(nats, projection.stream, this.seq, subject)
        if (next !== null && next <= target)
          return yield* Effect.fail(new Behind(`the pages of ${projection.stream} end before sequence ${next}`))
      }
      // There is no message for these tables in between.
      this.mark = { ...this.mark, seq: Math.max(this.seq, target) }
    })
    const whenBehind = (error: unknown): boolean => error instanceof Behind
    return Effect.retry(all, { schedule: Schedule.spaced(BEHIND_RETRY_MS), times: BEHIND_TRIES - 1, while: whenBehind })
  }

  private pages(last: number): Effect.Effect<void, unknown> {
    if (this.seq >= last) return Effect.void
    const { projection } = this.parts
    return Stream.runForEachWhile(pagesFor(this.parts, this.seq, projection.subjects), ({ page, reached }) => {
      const due = page.filter((message) => message.seq <= last)
      return Effect.as(this.take(due.map(messageOfStored), Math.min(reached, last), last), reached < last)
    })
  }

  /**
   * Applies the messages that the projection reads. `reached`: all earlier messages for these tables have been taken.
   * `target`: the sequence to reach, as far as it is known.
   */
  take(page: ReadonlyArray<Message>, reached: number, target: number): Effect.Effect<void, unknown> {
    const { progress, projection } = this.parts
    const { kinds } = projection
    return toItsEnd(async () => {
      const own = kinds.length === 0 ? page : page.filter(({ kind }) => kinds.includes(kind))
      if (own.length > 0) this.mark = await this.applier.apply(own, this.mark)
      this.mark = { ...this.mark, seq: Math.max(reached, this.seq) }
      this.messages += own.length
      progress({ messages: this.messages, seq: this.seq, target: Math.max(target, this.seq) })
    })
  }
}

const messageOfStored = ({ subject, seq, data }: Stored): Message => messageOf(subject, seq, data)

const pagesFor = (
  { nats, projection: { stream }, archive, pageSize = PAGE }: FillingParts,
  after: number,
  subjects: ReadonlyArray<string>
) => stretchesOf(nats, stream, after, pageSize, subjects, stream === streams.events ? archive : undefined)

/** Fills all tables with everything in their streams. Each stream is read once, and its messages are decoded once. */
export const fillAll = (fillings: ReadonlyArray<Filling>): Effect.Effect<void, unknown> =>
  Effect.forEach(Map.groupBy(fillings, ({ parts }) => parts.projection.stream).values(), fillOfStream, {
    discard: true
  })

const fillOfStream = (fillings: ReadonlyArray<Filling>): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const [first] = fillings
    if (first === undefined) return
    const { manager, projection } = first.parts
    const { state } = yield* toItsEnd(() => manager.streams.info(projection.stream))
    const subjects = [...new Set(fillings.flatMap(({ parts }) => parts.projection.subjects))]
    yield* Stream.runForEach(pagesFor(first.parts, 0, subjects), ({ page, reached }) => {
      const messages = page.map(messageOfStored)
      const taken = (filling: Filling) =>
        Effect.mapError(
          filling.take(messages, reached, state.last_seq),
          (cause) => new ProjectionFault(filling.parts.projection.name, cause)
        )
      return Effect.forEach(fillings, taken, { concurrency: PLACES, discard: true })
    })
  })
