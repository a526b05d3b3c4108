/**
 * Begins and continues traces.
 *
 * Invariants
 *  - The root decides once whether a trace is sampled: by chance, or by the `traceparent` of a trusted caller. All
 *    later steps follow that. Only sampled contexts are passed on, so a step without one does nothing.
 *  - `NO_TRACING` makes no spans, reads no headers and stores nothing.
 */
import { randomHex, Span, type SpanKind, type SpanSink } from "./span.ts"
import { readTraceparent } from "./traceparent.ts"

export interface Tracing {
  /** True if traces are on, so that headers need to be read. */
  readonly on: boolean
  /** Begins a trace, or continues the one that a trusted caller names. `null` if it is not sampled. */
  readonly begin: (name: string, kind: SpanKind, traceparent: string | undefined) => Span | null
  /** Continues one of the service's own traces; `null` if there is none. `startedAt` is in Unix ms, by default now. */
  readonly follow: (name: string, kind: SpanKind, traceparent: string | undefined, startedAt?: number) => Span | null
  /** Begins a new trace that is linked to the one that led to it; `null` if there is none. */
  readonly link: (name: string, kind: SpanKind, traceparent: string | undefined) => Span | null
}

const nothing = (): null => null

export const NO_TRACING: Tracing = { on: false, begin: nothing, follow: nothing, link: nothing }

/** `ratio` is the share of new traces that are sampled, 0 to 1. */
export const tracingInto = (sink: SpanSink, ratio: number): Tracing => {
  const below = (name: string, kind: SpanKind, traceparent: string, startedAt?: number): Span | null | undefined => {
    const parent = readTraceparent(traceparent)
    if (parent === null) return undefined
    return parent.sampled
      ? new Span(sink, name, kind, { traceId: parent.traceId, parentId: parent.spanId, link: null }, startedAt)
      : null
  }
  return {
    on: true,
    begin: (name, kind, traceparent) => {
      const followed = traceparent === undefined ? undefined : below(name, kind, traceparent)
      if (followed !== undefined) return followed
      return Math.random() < ratio
        ? new Span(sink, name, kind, { traceId: randomHex(16), parentId: null, link: null })
        : null
    },
    follow: (name, kind, traceparent, startedAt) =>
      traceparent === undefined ? null : (below(name, kind, traceparent, startedAt) ?? null),
    link: (name, kind, traceparent) => {
      const from = traceparent === undefined ? null : readTraceparent(traceparent)
      return from?.sampled === true
        ? new Span(sink, name, kind, { traceId: randomHex(16), parentId: null, link: from })
        : null
    }
  }
}
