/**
 * A stream read in pages, at the reader's pace: while one page is worked on, the next is there and the one behind it
 * fetched, and never more. For whoever reads a whole stream; who waits for what is to come follows it (follow.ts).
 */
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { Effect, Option, Schedule, Stream } from "effect"
import { attempt } from "./attempt.ts"
import { directGet } from "./direct-get.ts"
import { leaderMessage } from "./last-message.ts"

/** A message as the stream keeps it. */
export interface Stored {
  readonly seq: number
  readonly subject: string
  readonly data: Uint8Array
}

/** Tries of one page, over an outage of the bus. */
const TRIES = 60
const RETRY_MS = 500
const TIMEOUT_MS = 3000
/** Pages that are there beside the one that is worked on. */
const AHEAD = 1

const stored = (message: Msg): Stored => ({
  seq: Number(message.headers?.get("Nats-Sequence")),
  subject: message.headers?.get("Nats-Subject") ?? "",
  data: message.data
})

const pageOf = (
  nats: NatsConnection,
  stream: string,
  after: number,
  size: number,
  pattern: string
): Effect.Effect<ReadonlyArray<Stored>, unknown> =>
  attempt(async () => {
    const page: Array<Stored> = []
    await directGet(nats, stream, { seq: after + 1, next_by_subj: pattern, batch: size }, (message) =>
      page.push(stored(message))
    )
    return page
  }).pipe(Effect.retry({ schedule: Schedule.spaced(RETRY_MS), times: TRIES - 1, while: () => !nats.isClosed() }))

/** From behind `after` to what was the end when the last page was read: only subjects of this pattern. */
export const pagesOf = (
  nats: NatsConnection,
  stream: string,
  after: number,
  size: number,
  pattern = ">"
): Stream.Stream<ReadonlyArray<Stored>, unknown> =>
  Stream.paginate(after, (seq) =>
    Effect.map(pageOf(nats, stream, seq, size, pattern), (page) => {
      const last = page.at(-1)
      return last === undefined ? [[], Option.none<number>()] : [[page], Option.some(last.seq)]
    })
  ).pipe(Stream.buffer({ capacity: AHEAD }))

/** The first sequence of the pattern behind `after`, as the stream's leader has it; `null` where there is none. */
export const nextSeq = (
  nats: NatsConnection,
  stream: string,
  after: number,
  pattern: string
): Effect.Effect<number | null, unknown> =>
  Effect.map(
    attempt(() => leaderMessage(nats, stream, { seq: after + 1, next_by_subj: pattern }, TIMEOUT_MS)),
    (message) => message?.seq ?? null
  )
