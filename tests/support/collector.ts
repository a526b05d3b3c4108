/** A collector of traces on this machine. It accepts OTLP/HTTP in JSON, strictly, and records the spans. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Schema } from "effect"

const matching = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))
const TraceId = matching(/^(?!0+$)[0-9a-f]{32}$/)
const SpanId = matching(/^(?!0+$)[0-9a-f]{16}$/)
/** In OTLP's JSON a 64-bit number is a decimal text. */
const Decimal = matching(/^\d{1,19}$/)
const Nanos = matching(/^1\d{18}$/)

const Value = Schema.Union([
  Schema.Struct({ stringValue: Schema.String }),
  Schema.Struct({ boolValue: Schema.Boolean }),
  Schema.Struct({ intValue: Decimal }),
  Schema.Struct({ doubleValue: Schema.Finite })
])
const Attributes = Schema.Array(Schema.Struct({ key: Schema.NonEmptyString, value: Value }))
const Span = Schema.Struct({
  traceId: TraceId,
  spanId: SpanId,
  parentSpanId: Schema.optionalKey(SpanId),
  name: Schema.NonEmptyString,
  kind: Schema.Literals([1, 2, 3, 4, 5]),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  attributes: Attributes,
  droppedAttributesCount: Schema.Int,
  events: Schema.Array(
    Schema.Struct({
      name: Schema.NonEmptyString,
      timeUnixNano: Nanos,
      attributes: Attributes,
      droppedAttributesCount: Schema.Int
    })
  ),
  droppedEventsCount: Schema.Int,
  status: Schema.Struct({ code: Schema.Literals([0, 1, 2]) }),
  links: Schema.Array(
    Schema.Struct({ traceId: TraceId, spanId: SpanId, attributes: Attributes, droppedAttributesCount: Schema.Int })
  ),
  droppedLinksCount: Schema.Int
})
const Body = Schema.Struct({
  resourceSpans: Schema.Array(
    Schema.Struct({
      resource: Schema.Struct({ attributes: Attributes, droppedAttributesCount: Schema.Int }),
      scopeSpans: Schema.Array(
        Schema.Struct({
          scope: Schema.Struct({ name: Schema.String, version: Schema.String }),
          spans: Schema.Array(Span)
        })
      )
    })
  )
})
const decode = Schema.decodeUnknownSync(Body, { onExcessProperty: "error" })

export interface CollectedSpan {
  readonly service: unknown
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly startedAt: bigint
  readonly endedAt: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: ReadonlyArray<string>
  readonly failed: boolean
  readonly links: ReadonlyArray<string>
}

type Attribute = (typeof Attributes.Type)[number]

const plain = (attributes: ReadonlyArray<Attribute>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, "intValue" in value ? Number(value.intValue) : Object.values(value)[0]])
  )

const spansOf = (text: string): ReadonlyArray<CollectedSpan> =>
  decode(JSON.parse(text)).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => {
        if (BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano))
          throw new Error(`${span.name} ends before it begins`)
        return {
          service: plain(resource.attributes)["service.name"],
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId,
          name: span.name,
          kind: span.kind,
          startedAt: BigInt(span.startTimeUnixNano),
          endedAt: BigInt(span.endTimeUnixNano),
          attributes: plain(span.attributes),
          events: span.events.map(({ name }) => name),
          failed: span.status.code === 2,
          links: span.links.map(({ traceId }) => traceId)
        }
      })
    )
  )

/** Answers one request, or leaves it without an answer. */
export type CollectorBehaviour = (response: ServerResponse) => void
export const taking: CollectorBehaviour = (response) =>
  void response.writeHead(200, { "content-type": "application/json" }).end("{}")
export const refusing =
  (status: number, headers: Readonly<Record<string, string>> = {}): CollectorBehaviour =>
  (response) =>
    void response.writeHead(status, headers).end()
export const hanging: CollectorBehaviour = () => undefined

export interface Collector {
  readonly url: string
  readonly spans: Array<CollectedSpan>
  /** Every byte of every request, including headers. */
  readonly raw: Array<string>
  /** Descriptions of requests that could not be decoded. */
  readonly faults: Array<string>
  readonly requests: () => number
  /** The time of each request, in ms of a monotonic clock. */
  readonly times: ReadonlyArray<number>
  /** Sets the behavior. Spans are recorded only with `taking`. */
  behave: (behaviour: CollectorBehaviour) => void
  readonly stop: () => Promise<void>
}

export const startCollector = async (port = 0): Promise<Collector> => {
  let behaviour = taking
  const times: Array<number> = []
  const spans: Array<CollectedSpan> = []
  const raw: Array<string> = []
  const faults: Array<string> = []
  const sockets = new Set<Socket>()
  const judge = (request: IncomingMessage, body: string): void => {
    try {
      if (request.method !== "POST" || request.url !== "/v1/traces") throw new Error(`${request.method} ${request.url}`)
      if (request.headers["content-type"] !== "application/json")
        throw new Error(`content-type ${request.headers["content-type"]}`)
      const came = spansOf(body)
      if (behaviour === taking) spans.push(...came)
    } catch (error) {
      faults.push(String(error))
    }
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => undefined)
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      times.push(performance.now())
      raw.push(`${request.rawHeaders.join("\n")}\n${body}`)
      judge(request, body)
      behaviour(response)
    })
  })
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    raw,
    faults,
    requests: () => times.length,
    times,
    behave: (next) => {
      behaviour = next
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
}
