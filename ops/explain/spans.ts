/**
 * Durations in a story, read from the tracing backend that the collector feeds (HUB_TRACES_QUERY).
 *
 * Invariants
 *  - The story does not depend on traces. A backend that is down, slow or malformed is named in `unseen`.
 *  - Every request ends within `BOUND_MS`, and no answer is read beyond `ANSWER_MAX_BYTES`.
 */
import { Schema } from "effect"
import { Fault } from "../cli/fault.ts"

const BOUND_MS = 3000
const ANSWER_MAX_BYTES = 4_194_304
const TRACES_MAX = 16
/** The most spans of one story. Further ones are only counted. */
const SPANS_MAX = 1000
const NANOS_A_MS = 1_000_000

interface TracedSpan {
  readonly trace_id: string
  readonly service: string
  readonly name: string
  /** Unix ms, with a fraction. */
  readonly at: number
  readonly ms: number
  /** The number of parents that the trace has for this span. */
  readonly depth: number
  readonly failed: boolean
}

export interface Traces {
  readonly spans: ReadonlyArray<TracedSpan>
  /** The number of spans beyond `SPANS_MAX`. */
  readonly left_out: number
  /** For each trace id, the reason why it is missing. */
  readonly unseen: Readonly<Record<string, string>>
}

const Value = Schema.Struct({ stringValue: Schema.optionalKey(Schema.String) })
const Nanos = Schema.Union([Schema.String, Schema.Number])
const OtlpSpan = Schema.Struct({
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.NullOr(Schema.String)),
  name: Schema.String,
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  status: Schema.optionalKey(Schema.Struct({ code: Schema.optionalKey(Schema.Union([Schema.String, Schema.Number])) }))
})
const ResourceSpans = Schema.Array(
  Schema.Struct({
    resource: Schema.optionalKey(
      Schema.Struct({
        attributes: Schema.optionalKey(Schema.Array(Schema.Struct({ key: Schema.String, value: Value })))
      })
    ),
    scopeSpans: Schema.optionalKey(Schema.Array(Schema.Struct({ spans: Schema.Array(OtlpSpan) })))
  })
)
type ResourceSpans = typeof ResourceSpans.Type
/** One trace in OTLP's JSON, as it is in a file, or as Jaeger and Tempo wrap it. */
const Trace = Schema.Union([
  Schema.Struct({ resourceSpans: ResourceSpans }),
  Schema.Struct({ batches: ResourceSpans }),
  Schema.Struct({ result: Schema.Struct({ resourceSpans: ResourceSpans }) }),
  Schema.Struct({ trace: Schema.Struct({ resourceSpans: ResourceSpans }) })
])
const readTrace = Schema.decodeUnknownSync(Trace)

const resourcesOf = (trace: typeof Trace.Type): ResourceSpans => {
  if ("resourceSpans" in trace) return trace.resourceSpans
  if ("batches" in trace) return trace.batches
  return "result" in trace ? trace.result.resourceSpans : trace.trace.resourceSpans
}

const ERROR_CODES: ReadonlySet<string | number | undefined> = new Set([2, "STATUS_CODE_ERROR"])

interface LinkedSpan extends Omit<TracedSpan, "depth"> {
  readonly id: string
  readonly parent: string | null
}

const msOf = (nanos: string | number): number => Number(nanos) / NANOS_A_MS

const foundIn = (trace_id: string, trace: typeof Trace.Type): ReadonlyArray<LinkedSpan> =>
  resourcesOf(trace).flatMap(({ resource, scopeSpans = [] }) => {
    const named = resource?.attributes?.find(({ key }) => key === "service.name")
    const service = named?.value.stringValue ?? "unnamed"
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        trace_id,
        service,
        id: span.spanId,
        parent: span.parentSpanId ?? null,
        name: span.name,
        at: msOf(span.startTimeUnixNano),
        ms: msOf(span.endTimeUnixNano) - msOf(span.startTimeUnixNano),
        failed: ERROR_CODES.has(span.status?.code)
      }))
    )
  })

/** Sorts parents before their children, and children in the order in which they began. */
const inOrder = (found: ReadonlyArray<LinkedSpan>): ReadonlyArray<TracedSpan> => {
  const ids = new Set(found.map(({ id }) => id))
  const children = Map.groupBy(found, ({ parent }) => (parent !== null && ids.has(parent) ? parent : null))
  const ordered: Array<TracedSpan> = []
  const open = (children.get(null) ?? [])
    .toSorted((one, other) => other.at - one.at)
    .map((span) => ({ span, depth: 0 }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { span, depth } = next
    const { id, parent: _parent, ...shown } = span
    ordered.push({ ...shown, depth })
    const below = children.get(id) ?? []
    // The children of a span are visited once, even if another span has the same id.
    children.delete(id)
    for (const child of below.toSorted((one, other) => other.at - one.at)) open.push({ span: child, depth: depth + 1 })
  }
  return ordered
}

const HEX_TRACE = /^[0-9a-f]{32}$/

/** The address of one trace. Throws a Fault if the configured address is not an http address with `{id}`. */
const addressOf = (address: string, id: string): URL => {
  const url = URL.parse(address.replace("{id}", id))
  if (url === null || !/^https?:$/.test(url.protocol) || !address.includes("{id}"))
    throw new Fault("HUB_TRACES_QUERY takes an http address with {id}, such as http://jaeger:16686/api/v3/traces/{id}")
  return url
}

const textOf = async (answer: Response): Promise<string> => {
  let bytes = 0
  const chunks: Array<Uint8Array> = []
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > ANSWER_MAX_BYTES) throw new Error(`the answer is larger than ${ANSWER_MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const traceAt = async (url: URL, id: string, signal: AbortSignal): Promise<ReadonlyArray<LinkedSpan>> => {
  const { username, password } = url
  ;[url.username, url.password] = ["", ""]
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")
  const answer = await fetch(url, {
    headers: { accept: "application/json", ...(username === "" ? {} : { authorization: `Basic ${basic}` }) },
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(BOUND_MS)])
  })
  const text = await textOf(answer)
  if (answer.status === 404) throw new Error("the backend does not have it")
  if (!answer.ok) throw new Error(`the backend answered ${answer.status}`)
  const found = foundIn(id, readTrace(JSON.parse(text)))
  if (found.length === 0) throw new Error("the backend has no span of it")
  return found
}

const why = (error: unknown): string => {
  if (error instanceof Fault) throw error
  if (!(error instanceof Error)) return "the backend cannot be read"
  if (error.name === "TimeoutError") return `the backend did not answer within ${BOUND_MS} ms`
  if (Schema.isSchemaError(error) || error instanceof SyntaxError) return "the backend's answer is no trace"
  return error.cause instanceof Error ? `the backend cannot be reached (${error.cause.message})` : error.message
}

/** The spans of the first `TRACES_MAX` of these traces. Rejects if the address is wrong, or the signal is aborted. */
export const tracesOf = async (address: string, ids: ReadonlyArray<string>, signal: AbortSignal): Promise<Traces> => {
  const wanted = [...new Set(ids)].filter((id) => HEX_TRACE.test(id))
  const unseen: Record<string, string> = {}
  for (const id of wanted.slice(TRACES_MAX)) unseen[id] = `only ${TRACES_MAX} traces are asked for`
  const all = await Promise.all(
    wanted.slice(0, TRACES_MAX).map(async (id) => {
      try {
        return await traceAt(addressOf(address, id), id, signal)
      } catch (error) {
        signal.throwIfAborted()
        unseen[id] = why(error)
        return []
      }
    })
  )
  const spans = all.flatMap(inOrder)
  return { spans: spans.slice(0, SPANS_MAX), left_out: Math.max(0, spans.length - SPANS_MAX), unseen }
}
