/**
 * Sends ended spans to a collector (OTLP/HTTP).
 *
 * Invariants
 *  - Ending a span never waits. The span goes into a queue of QUEUE_MAX, and if that is full the oldest is dropped.
 *  - One batch of at most BATCH_MAX is under way, for at most POST_TIMEOUT_MS, whatever the collector does. So memory
 *    is bounded, and so is the work of one turn of the event loop.
 *  - If a collector does not answer or asks for a pause, it gets the batch again, with growing pauses of at most
 *    PAUSE_MAX_MS. If it refuses the batch because of its content, the batch is not sent again.
 *  - Lost spans are counted. A failing collector is reported once when the failure begins, COMPLAIN_GAP_MS apart at
 *    least, and once when it ends.
 *  - Headers contain secrets. They are sent only to the configured address, never with a redirect, and are never
 *    logged.
 *  - `stop` sends the queued spans, for at most STOP_WITHIN_MS.
 */
import type { Clock } from "effect"
import { after, type Cancel, monotonicMs } from "../clock.ts"
import { otlpBody, type TracedService } from "./otlp.ts"
import { NewestQueue } from "./queue.ts"
import type { Span, SpanSink } from "./span.ts"

export const QUEUE_MAX = 4096
export const BATCH_MAX = 256
/** Milliseconds that spans are collected before they are sent, or less if a batch is full. */
export const GATHER_MS = 1000
export const POST_TIMEOUT_MS = 5000
export const PAUSE_MIN_MS = 1000
export const PAUSE_MAX_MS = 60_000
export const STOP_WITHIN_MS = 2000
const COMPLAIN_GAP_MS = 60_000
/** A longer answer closes its connection. */
const ANSWER_MAX_BYTES = 65_536

/** Answers after which the same batch may be sent again (OTLP, "Retryable Response Codes"). */
const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504])

export interface Collector {
  /** Full address of the endpoint for traces. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface ExporterCounts {
  readonly sent: number
  /** Number of spans that were dropped, refused, or left at the end. */
  readonly lost: number
  readonly waiting: number
}

/** `problem` describes a failure; `null` if the collector accepted the batch. */
interface Posted {
  readonly problem: string | null
  readonly again: boolean
  /** The pause that the collector's `Retry-After` asks for. */
  readonly pauseMs: number
}

const TAKEN: Posted = { problem: null, again: false, pauseMs: 0 }

export class Exporter implements SpanSink {
  private readonly clock: Clock.Clock
  private readonly collector: Collector
  private readonly service: TracedService
  private readonly say: (line: string) => void
  private readonly queue = new NewestQueue<Span>(QUEUE_MAX)
  private timer: Cancel | null = null
  private underWay: Promise<void> | null = null
  private posting: AbortController | null = null
  private stopping = false
  /** `STOP_WITHIN_MS` has passed since `stop` was called. */
  private over = false
  private pauseMs = 0
  private sent = 0
  private lost = 0
  /** True if the last report was that spans are lost or late. */
  private ailing = false
  private saidAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock.Clock, collector: Collector, service: TracedService, say: (line: string) => void) {
    this.clock = clock
    this.collector = collector
    this.service = service
    this.say = say
  }

  get counts(): ExporterCounts {
    return { sent: this.sent, lost: this.lost, waiting: this.queue.size }
  }

  take(span: Span): void {
    if (!this.queue.push(span)) this.lost++
    if (this.underWay !== null || this.stopping) return
    if (this.queue.size === BATCH_MAX && this.pauseMs === 0) this.sendIn(0)
    else if (this.timer === null) this.sendIn(GATHER_MS)
  }

  /** Never rejects. Spans that cannot be sent are lost. */
  async stop(): Promise<void> {
    this.stopping = true
    this.timer?.()
    const late = after(this.clock, STOP_WITHIN_MS, () => {
      this.over = true
      this.posting?.abort()
    })
    await this.underWay
    // A collector that does not answer by now is not waited for.
    this.pauseMs = 0
    while (this.queue.size > 0 && this.pauseMs === 0 && !this.over) await this.sendBatch()
    late()
    this.lost += this.queue.take(QUEUE_MAX).length
    if (this.lost > 0) this.say(`traces: ${this.lost} spans were lost in this process's time`)
  }

  private sendIn(ms: number): void {
    this.timer?.()
    const send = (): void => {
      this.timer = null
      this.underWay = this.sendBatch().finally(() => {
        this.underWay = null
        if (this.queue.size === 0 || this.stopping) return
        this.sendIn(this.pauseMs > 0 ? this.pauseMs : this.queue.size >= BATCH_MAX ? 0 : GATHER_MS)
      })
    }
    this.timer = after(this.clock, ms, send, "unref")
  }

  private async sendBatch(): Promise<void> {
    const batch = this.queue.take(BATCH_MAX)
    const { problem, again, pauseMs } = await this.post(otlpBody(this.service, batch))
    if (problem === null) {
      this.sent += batch.length
      this.pauseMs = 0
      return this.well()
    }
    // The last quarter of the doubled pause is random, so that not all processes come back at once.
    const doubled = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, this.pauseMs * 2))
    this.pauseMs = Math.min(PAUSE_MAX_MS, Math.max(pauseMs, doubled * (0.75 + Math.random() / 4)))
    this.lost += again ? this.queue.putBack(batch) : batch.length
    this.complain(problem)
  }

  private async post(body: string): Promise<Posted> {
    const posting = new AbortController()
    const late = after(this.clock, POST_TIMEOUT_MS, () => posting.abort())
    this.posting = posting
    try {
      const answer = await fetch(this.collector.url, {
        method: "POST",
        headers: { ...this.collector.headers, "content-type": "application/json" },
        body,
        redirect: "manual",
        signal: posting.signal
      })
      await drain(answer)
      if (answer.ok) return TAKEN
      return {
        problem: `it answered ${answer.status}`,
        again: AGAIN.has(answer.status),
        pauseMs: pauseOf(answer.headers.get("retry-after"))
      }
    } catch (error) {
      return {
        problem: posting.signal.aborted ? "it did not answer in time" : reasonOf(error),
        again: true,
        pauseMs: 0
      }
    } finally {
      late()
    }
  }

  private complain(problem: string): void {
    if (this.ailing) return
    const now = monotonicMs(this.clock)
    if (now - this.saidAt < COMPLAIN_GAP_MS) return
    this.saidAt = now
    this.ailing = true
    this.say(`traces: the collector does not take them (${problem}); requests go on, what has no room is dropped`)
  }

  private well(): void {
    if (!this.ailing) return
    this.ailing = false
    this.say(`traces: the collector takes them again; ${this.lost} spans were lost so far`)
  }
}

/** Reads and drops the body, so that the connection can be used again. */
const drain = async ({ body }: Response): Promise<void> => {
  let left = ANSWER_MAX_BYTES
  try {
    for await (const chunk of body ?? []) {
      left -= chunk.length
      if (left < 0) break
    }
  } catch {
    // The status has been read already.
  }
}

/** Milliseconds of a `Retry-After` in seconds. A date gives 0, because it is rare and not parsed. */
const pauseOf = (retryAfter: string | null): number =>
  retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : 0

/** A code or a name, never a message, because a message may contain an address. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code
  return error instanceof Error ? error.name : "unknown"
}
