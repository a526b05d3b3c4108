/**
 * The header `traceparent` of W3C Trace Context: `00-<trace id>-<span id>-<flags>`, all in lower-case hex. On HTTP it
 * comes from a trusted proxy. Inside the service it is sent in asks and as a header of commits, and only if the trace
 * is sampled.
 */
export const TRACEPARENT = "traceparent"

export interface TraceContext {
  /** 32 hex characters, not all zero. */
  readonly traceId: string
  /** 16 hex characters, not all zero. */
  readonly spanId: string
  readonly sampled: boolean
}

const VERSION_00_CHARS = 55
const SHAPE = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/
const SAMPLED = 1
const ZEROS = /^0+$/

/** `null` if the text is malformed. The known parts of a later version are read, as the recommendation says. */
export const readTraceparent = (text: string): TraceContext | null => {
  const [, version, traceId = "", spanId = "", flags = ""] = SHAPE.exec(text) ?? []
  if (version === undefined || version === "ff" || ZEROS.test(traceId) || ZEROS.test(spanId)) return null
  if (version === "00" && text.length !== VERSION_00_CHARS) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

/** The flag is always "sampled", because other contexts are not passed on. */
export const writeTraceparent = (traceId: string, spanId: string): string => `00-${traceId}-${spanId}-01`
