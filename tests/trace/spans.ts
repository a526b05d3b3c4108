/** The spans that a collector has of a request. */
import { waitFor } from "../harness/index.ts"
import type { CollectedSpan, Collector } from "../support/collector.ts"
import type { Answer } from "../support/http.ts"

export const idOf = (answer: Answer): unknown => answer.headers["x-request-id"]

/** The trace of a request, once all that is named has come in. */
export const traceOf = (
  collector: Collector,
  answer: Answer,
  names: ReadonlyArray<string>
): Promise<ReadonlyArray<CollectedSpan>> =>
  waitFor(() => {
    const root = collector.spans.find(({ attributes }) => attributes["hub.request_id"] === idOf(answer))
    const spans = collector.spans.filter(({ traceId }) => traceId === root?.traceId)
    const missing = names.filter((name) => !spans.some((span) => span.name === name))
    // Processes send when each of them likes to.
    missing.push(
      ...spans
        .filter(
          ({ parentSpanId }) => parentSpanId !== undefined && !spans.some(({ spanId }) => spanId === parentSpanId)
        )
        .map(({ name }) => `the parent of ${name}`)
    )
    if (missing.length > 0)
      throw new Error(`missing: ${missing.join(", ")}; there: ${spans.map(({ name }) => name).join(", ")}`)
    return spans
  })

/** From a span up to the root, by name. */
export const wayOf = (spans: ReadonlyArray<CollectedSpan>, span: CollectedSpan | undefined): ReadonlyArray<string> => {
  if (span === undefined) return []
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  if (span.parentSpanId !== undefined && parent === undefined)
    throw new Error(`${span.name} has a parent that never came`)
  return [...wayOf(spans, parent), span.name]
}

export const named = (spans: ReadonlyArray<CollectedSpan>, name: string): CollectedSpan => {
  const found = spans.find((span) => span.name === name)
  if (found === undefined) throw new Error(`no span ${name}`)
  return found
}
