/**
 * A stream read in pages, at the reader's pace: while one page is worked on, the next is fetched, and never more. For
 * whoever reads a whole stream; who waits for what is to come follows it (follow.ts).
 */
import { setTimeout as delay } from "node:timers/promises"
import type { Msg, NatsConnection } from "@nats-io/transport-node"
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

const stored = (message: Msg): Stored => ({
  seq: Number(message.headers?.get("Nats-Sequence")),
  subject: message.headers?.get("Nats-Subject") ?? "",
  data: message.data
})

const pageOf = async (
  nats: NatsConnection,
  stream: string,
  after: number,
  size: number,
  pattern: string
): Promise<ReadonlyArray<Stored>> => {
  for (let tries = 1; ; tries++) {
    const page: Array<Stored> = []
    try {
      await directGet(nats, stream, { seq: after + 1, next_by_subj: pattern, batch: size }, (message) =>
        page.push(stored(message))
      )
      return page
    } catch (error) {
      if (tries >= TRIES || nats.isClosed()) throw error
      await delay(RETRY_MS)
    }
  }
}

/** From behind `after` to what was the end when the last page was read: only subjects of this pattern. */
export async function* pagesOf(
  nats: NatsConnection,
  stream: string,
  after: number,
  size: number,
  pattern = ">"
): AsyncGenerator<ReadonlyArray<Stored>> {
  let next: Promise<ReadonlyArray<Stored>> | null = pageOf(nats, stream, after, size, pattern)
  try {
    while (next !== null) {
      const page: ReadonlyArray<Stored> = await next
      const last = page.at(-1)
      next = last === undefined ? null : pageOf(nats, stream, last.seq, size, pattern)
      if (page.length > 0) yield page
    }
  } finally {
    // Left early: what is still on its way is nobody's any more.
    next?.catch(() => undefined)
  }
}

/** The first sequence of the pattern behind `after`, as the stream's leader has it; `null` where there is none. */
export const nextSeq = async (
  nats: NatsConnection,
  stream: string,
  after: number,
  pattern: string
): Promise<number | null> =>
  (await leaderMessage(nats, stream, { seq: after + 1, next_by_subj: pattern }, TIMEOUT_MS))?.seq ?? null
