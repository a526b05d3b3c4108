/**
 * Writes the part of the log that is not archived, as atomic batches that are pipelined. There is no other writer, so
 * each commit's sequence is known before the server reports it.
 */
import { headers, type NatsConnection, nuid } from "@nats-io/transport-node"
import type { LogEntry } from "../../../actors/log/commit.ts"
import { PREVIOUS } from "../../../actors/log/last-entry.ts"
import { subjects } from "../../../schemas/subjects.ts"
import type { LogWriter, Place, YearCommit } from "./place.ts"

const BATCH = 1000
/** Batches under way at once. The server allows 50 for a stream. */
const ABREAST = 8
const TIMEOUT_MS = 60_000

interface Message {
  readonly subject: string
  readonly previous: number
  readonly keepSeconds: number | undefined
  readonly data: string
}

export class HotWriter implements LogWriter {
  last: number
  private readonly nats: NatsConnection
  private waiting: Array<Message> = []
  private readonly sent: Array<Promise<void>> = []

  constructor(nats: NatsConnection, last: number) {
    this.nats = nats
    this.last = last
  }

  get now(): number {
    return Date.now()
  }

  put(place: Place, commit: YearCommit, keepSeconds?: number): LogEntry {
    const previous = place.seq
    const seq = ++this.last
    const entry: LogEntry = { seq, previous, commit: { v: 1, ...commit, at: this.now } }
    const subject = subjects.event(place.kind, place.id)
    this.waiting.push({ subject, previous, keepSeconds, data: JSON.stringify(entry.commit) })
    place.seq = seq
    place.commits++
    return entry
  }

  async drained(): Promise<void> {
    while (this.waiting.length >= BATCH) this.send(this.waiting.splice(0, BATCH))
    while (this.sent.length > ABREAST) await this.sent.shift()
  }

  async end(): Promise<void> {
    await this.drained()
    if (this.waiting.length > 0) this.send(this.waiting.splice(0))
    for (let one = this.sent.shift(); one !== undefined; one = this.sent.shift()) await one
  }

  private send(batch: ReadonlyArray<Message>): void {
    const id = nuid.next()
    const end = this.last - this.waiting.length
    const place = (index: number, { previous, keepSeconds }: Message) => {
      const more = headers()
      more.set("Nats-Batch-Id", id)
      more.set("Nats-Batch-Sequence", String(index + 1))
      more.set(PREVIOUS, String(previous))
      if (keepSeconds !== undefined) more.set("Nats-TTL", `${keepSeconds}s`)
      return more
    }
    const before = batch.slice(0, -1)
    const last = batch.at(-1)
    if (last === undefined) return
    for (const [index, message] of before.entries())
      this.nats.publish(message.subject, message.data, { headers: place(index, message) })
    const closing = place(before.length, last)
    closing.set("Nats-Batch-Commit", "1")
    const answer = this.nats.request(last.subject, last.data, { headers: closing, timeout: TIMEOUT_MS })
    const stored = answer.then((message) => {
      const { seq, error } = message.json<{ seq?: number; error?: { description?: string } }>()
      if (seq !== end) throw new Error(`a batch was stored up to #${seq}, not #${end}: ${error?.description ?? ""}`)
    })
    stored.catch(() => undefined)
    this.sent.push(stored)
  }
}
