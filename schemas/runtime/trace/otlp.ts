/** Spans as OTLP/HTTP in JSON: ids in hex, times and whole numbers as decimal text (opentelemetry-proto 1.x). Pure. */
import type { OtlpTracer } from "effect/observability"
import { VERSION } from "../../version.ts"
import { type AttributeValue, type Span, SPAN_KINDS } from "./span.ts"

type ResourceSpan = OtlpTracer.TraceData["resourceSpans"][number]
type OtlpSpan = ResourceSpan["scopeSpans"][number]["spans"][number]
type Attributes = OtlpSpan["attributes"]

const STATUS_UNSET = 0
const STATUS_ERROR = 2

export interface TracedService {
  readonly name: string
  /** An id that is unique to this process. */
  readonly instance: string
}

/** Body of a POST to a collector's `/v1/traces`. */
export const otlpBody = (service: TracedService, spans: ReadonlyArray<Span>): string => {
  const data: OtlpTracer.TraceData = {
    resourceSpans: [
      {
        resource: {
          attributes: attributesOf({
            "service.name": service.name,
            "service.version": VERSION,
            "service.instance.id": service.instance
          }),
          droppedAttributesCount: 0
        },
        scopeSpans: [{ scope: { name: "hub", version: VERSION }, spans: spans.map(spanOf) }]
      }
    ]
  }
  return JSON.stringify(data)
}

const spanOf = (span: Span): OtlpSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentId ?? undefined,
  name: span.name,
  kind: SPAN_KINDS[span.kind],
  startTimeUnixNano: nanos(span.startedAt),
  endTimeUnixNano: nanos(span.endedAt),
  attributes: attributesOf(span.attributes),
  droppedAttributesCount: 0,
  events: span.events.map(({ name, at }) => ({
    name,
    timeUnixNano: nanos(at),
    attributes: [],
    droppedAttributesCount: 0
  })),
  droppedEventsCount: 0,
  status: { code: span.failed ? STATUS_ERROR : STATUS_UNSET },
  links:
    span.link === null
      ? []
      : [{ traceId: span.link.traceId, spanId: span.link.spanId, attributes: [], droppedAttributesCount: 0 }],
  droppedLinksCount: 0
})

/** The clock's resolution is a microsecond. */
const nanos = (ms: number): string => `${Math.round(ms * 1000)}000`

const attributesOf = (attributes: Readonly<Record<string, AttributeValue | undefined>>): Attributes =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined || Number.isNaN(value) ? [] : [{ key, value: valueOf(value) }]
  )

const valueOf = (value: AttributeValue): Attributes[number]["value"] => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  // Whole numbers are text in OTLP, because a number of JSON cannot hold 64 bits.
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
