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
  size: number
): Promise<ReadonlyArray<Stored>> => {
  for (let tries = 1; ; tries++) {
    const page: Array<Stored> = []
    try {
      // Every subject: for the server this is far cheaper than any narrower pattern.
      await directGet(nats, stream, { seq: after + 1, next_by_subj: ">", batch: size }, (message) =>
        page.push(stored(message))
      )
      return page
    } catch (error) {
      if (tries >= TRIES || nats.isClosed()) throw error
      await delay(RETRY_MS)
    }
  }
}

/** From behind `after` to what was the end when the last page was read. */
export async function* pagesOf(
  nats: NatsConnection,
  stream: string,
  after: number,
  size: number
): AsyncGenerator<ReadonlyArray<Stored>> {
  let next: Promise<ReadonlyArray<Stored>> | null = pageOf(nats, stream, after, size)
  try {
    while (next !== null) {
      const page: ReadonlyArray<Stored> = await next
      const last = page.at(-1)
      next = last === undefined ? null : pageOf(nats, stream, last.seq, size)
      if (page.length > 0) yield page
    }
  } finally {
    // Left early: what is still on its way is nobody's any more.
    next?.catch(() => undefined)
  }
}

/** The first sequence behind `after`, as the stream's leader has it; `null` at its end. */
export const nextSeq = async (nats: NatsConnection, stream: string, after: number): Promise<number | null> =>
  (await leaderMessage(nats, stream, { seq: after + 1, next_by_subj: ">" }, TIMEOUT_MS))?.seq ?? null
