/**
 * A worker's spans of a trace: an attempt, and the exchange with the receiver within it. Only the host and the port of
 * the address are recorded.
 */
import type { Span } from "../../schemas/runtime/trace/span.ts"
import type { Tracing } from "../../schemas/runtime/trace/tracing.ts"
import { parseWebAddress } from "../../schemas/web-address.ts"
import type { PostOutcome } from "../kit/post.ts"

export const attemptSpan = (tracing: Tracing, traceparent: string | undefined, seq: number): Span | null => {
  const span = tracing.follow("deliver webhook", "consumer", traceparent)
  span
    ?.set("messaging.system", "nats")
    .set("messaging.operation.type", "process")
    .set("hub.kind", "delivery")
    .set("hub.sequence", seq)
  return span
}

/** `made`: the number of attempts before this one; absent if an older node did not give it. */
export const postSpan = (attempt: Span, url: string, made: number | undefined): Span => {
  const span = attempt.child("POST", "client").set("http.request.method", "POST")
  if (made !== undefined) span.set("hub.attempt", made + 1)
  const parsed = parseWebAddress(url)
  if (parsed === null) return span
  const { hostname, port, protocol } = parsed
  return span
    .set("server.address", hostname)
    .set("server.port", port === "" ? (protocol === "https:" ? 443 : 80) : Number(port))
}

export const endPost = (span: Span, { response_code, error }: PostOutcome): void => {
  if (response_code !== null) span.set("http.response.status_code", response_code)
  span.set("hub.outcome", error ?? "delivered")
  if (error !== null) span.fail(error)
  span.end()
}
