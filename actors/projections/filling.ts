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
import { messageOf, type Projection } from "./projection.ts"
import { toItsEnd } from "./steps.ts"

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
  /** The log's archive, if it has one. */
  readonly archive?: Archive | undefined
  /** Smaller pages leave more time to the other work of the process. */
  readonly pageSize?: number
}

/** The leader has more messages than the pages brought. */
class Behind extends Error {}

export class Filling {
  messages = 0
  private mark: Mark = { seq: 0, kept: 0 }
  private readonly parts: FillingParts
  private readonly applier: Applier

  get seq(): number {
    return this.mark.seq
  }

  /** `db`: a connection in which the table names refer to the tables to fill. */
  constructor(db: Kysely<Database>, parts: FillingParts) {
    this.parts = parts
    this.applier = new Applier(db, parts.projection)
  }

  /** Fills the tables with everything in the stream. */
  readonly everything: Effect.Effect<void, unknown> = Effect.gen({ self: this }, function* () {
    const { manager, projection } = this.parts
    const { state } = yield* toItsEnd(() => manager.streams.info(projection.stream))
    yield* this.pages(Number.POSITIVE_INFINITY, state.last_seq)
  })

  /** Fills the tables up to exactly this sequence. */
  upTo(target: number): Effect.Effect<void, unknown> {
    const { nats, projection } = this.parts
    const all = Effect.gen({ self: this }, function* () {
      yield* this.pages(target, target)
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

  private pages(last: number, target: number): Effect.Effect<void, unknown> {
    const { nats, projection, archive, pageSize = PAGE } = this.parts
    if (this.seq >= last) return Effect.void
    const older = projection.stream === streams.events ? archive : undefined
    const pages = stretchesOf(nats, projection.stream, this.seq, pageSize, projection.subjects, older)
    return Stream.runForEachWhile(pages, ({ page, reached }) => {
      const due = page.filter((message) => message.seq <= last)
      return Effect.as(
        toItsEnd(() => this.page(due, Math.min(reached, last), target)),
        reached < last
      )
    })
  }

  /** `reached`: no other message for these tables lies before this sequence, so nobody needs to read there again. */
  private async page(page: ReadonlyArray<Stored>, reached: number, target: number): Promise<void> {
    const { progress } = this.parts
    const read = page.map((message) => messageOf(message.subject, message.seq, message.data))
    if (read.length > 0) this.mark = await this.applier.apply(read, this.mark)
    this.mark = await this.applier.keep({ ...this.mark, seq: Math.max(reached, this.seq) })
    this.messages += read.length
    progress({ messages: this.messages, seq: this.seq, target: Math.max(target, this.seq) })
  }
}
