/**
 * A span: one step of a sampled trace, from its beginning to its end.
 *
 * Invariants
 *  - A step that is not sampled has no span. `null` stands for it, and no object is made.
 *  - `AttributeName` lists the attributes of spans. Bodies, signatures, nonces, secrets, query strings and addresses of
 *    clients are not on it, nor are paths of requests and of webhooks: only templates and host names are.
 *  - A span is bounded: the attributes of the list, each cut at VALUE_MAX_CHARS, and EVENTS_MAX events.
 *  - It is given to its sink once, when it ends. A span that never ends is garbage-collected with its holder.
 */
import { writeTraceparent } from "./traceparent.ts"

/** The numbers that OTLP uses. */
export const SPAN_KINDS = { server: 2, client: 3, producer: 4, consumer: 5 } as const
export type SpanKind = keyof typeof SPAN_KINDS

/** OpenTelemetry's name if there is one, else a name of this service, which begins with `hub.`. */
export type AttributeName =
  | "error.type"
  | "http.request.method"
  | "http.response.status_code"
  | "http.route"
  | "messaging.batch.message_count"
  | "messaging.operation.type"
  | "messaging.system"
  | "server.address"
  | "server.port"
  | "hub.loaded"
  | "hub.attempt"
  | "hub.kind"
  | "hub.lag_ms"
  | "hub.op"
  | "hub.outcome"
  | "hub.projection"
  | "hub.request_id"
  | "hub.sequence"
  | "hub.shard"

export type AttributeValue = string | number | boolean

export const VALUE_MAX_CHARS = 200
export const EVENTS_MAX = 16

export interface SpanEvent {
  readonly name: "retry"
  /** Unix ms. */
  readonly at: number
}

export interface SpanSink {
  readonly take: (span: Span) => void
}

/** The place of a span in a trace: below another span, or at the beginning of a trace that is linked to another one. */
export interface Place {
  readonly traceId: string
  readonly parentId: string | null
  readonly link: { readonly traceId: string; readonly spanId: string } | null
}

export class Span {
  readonly traceId: string
  readonly spanId = randomHex(8)
  readonly parentId: string | null
  readonly link: Place["link"]
  readonly kind: SpanKind
  name: string
  /** Unix ms, with fractions. */
  readonly startedAt: number
  /** Unix ms; 0 until the span ends. */
  endedAt = 0
  failed = false
  readonly attributes: Partial<Record<AttributeName, AttributeValue>> = {}
  readonly events: Array<SpanEvent> = []
  private readonly sink: SpanSink

  constructor(sink: SpanSink, name: string, kind: SpanKind, { traceId, parentId, link }: Place, startedAt = nowMs()) {
    this.sink = sink
    this.name = name
    this.kind = kind
    this.traceId = traceId
    this.parentId = parentId
    this.link = link
    this.startedAt = startedAt
  }

  /** Passed to the process that does the next step. */
  get traceparent(): string {
    return writeTraceparent(this.traceId, this.spanId)
  }

  child(name: string, kind: SpanKind): Span {
    return new Span(this.sink, name, kind, { traceId: this.traceId, parentId: this.spanId, link: null })
  }

  set(name: AttributeName, value: AttributeValue): this {
    this.attributes[name] = typeof value === "string" ? value.slice(0, VALUE_MAX_CHARS) : value
    return this
  }

  /**
   * Marks the step as failed by a fault of the service or of a service that it called. `type` is one of a few words or
   * a status.
   */
  fail(type: string): this {
    this.failed = true
    return this.set("error.type", type)
  }

  event(name: SpanEvent["name"]): void {
    if (this.events.length < EVENTS_MAX) this.events.push({ name, at: nowMs() })
  }

  /** Only the first call counts. */
  end(): void {
    if (this.endedAt !== 0) return
    // If the clock was set back, the span must not end before it began.
    this.endedAt = Math.max(nowMs(), this.startedAt)
    this.sink.take(this)
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** Random hex, two characters for each byte. */
export function randomHex(bytes: number): string {
  let text = ""
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) text += HEX[byte]
  return text
}

/** If the monotonic clock is further than this from the wall clock, it is set to the wall clock again. */
const SLACK_MS = 2
let offset = Date.now() - performance.now()

/** Unix ms with fractions, because spans may be shorter than a millisecond. */
export function nowMs(): number {
  const steady = performance.now() + offset
  const wall = Date.now()
  if (Math.abs(wall - steady) <= SLACK_MS) return steady
  offset = wall - performance.now()
  return wall
}
