/** The engine's spans of a trace: a command, its append, a timer that fires, a query. */
import type { MsgHdrs } from "@nats-io/transport-node"
import type { Ask } from "../../schemas/bus/frames.ts"
import type { Span } from "../../schemas/runtime/trace/span.ts"
import type { Tracing } from "../../schemas/runtime/trace/tracing.ts"
import type { AppendResult } from "../log/commit.ts"
import { traceparentOf } from "../log/traceparent.ts"

export const commandSpan = (tracing: Tracing, { op, kind, traceparent }: Ask): Span | null => {
  const span = tracing.follow(op, "server", traceparent)
  span
    ?.set("messaging.system", "nats")
    .set("messaging.operation.type", "process")
    .set("hub.kind", kind)
    .set("hub.op", op)
  return span
}

export const queryAnswerSpan = (tracing: Tracing, view: string, headers: MsgHdrs | undefined): Span | null => {
  if (!tracing.on) return null
  const span = tracing.follow(`answer ${view}`, "server", traceparentOf(headers))
  span?.set("messaging.system", "nats").set("messaging.operation.type", "process")
  return span
}

export const appendSpan = (command: Span | null | undefined, kind: string): Span | null =>
  command === null || command === undefined
    ? null
    : command
        .child("append", "producer")
        .set("messaging.system", "nats")
        .set("messaging.operation.type", "send")
        .set("hub.kind", kind)

export const endAppend = (span: Span, result: AppendResult): void => {
  span.set("hub.outcome", result.ok ? "ok" : result.reason)
  if (result.ok) {
    span.set("hub.sequence", result.seqs[0] ?? 0)
    if (result.batch !== undefined) span.set("messaging.batch.message_count", result.batch)
  } else if (result.reason !== "conflict") span.fail(result.reason)
  span.end()
}

/** A fired timer begins a new trace, linked to the trace that set the timer, because hours may lie between the two. */
export const timerSpan = (tracing: Tracing, op: string, headers: MsgHdrs | undefined): Span | null => {
  if (!tracing.on) return null
  const span = tracing.link(`timer ${op}`, "consumer", traceparentOf(headers))
  span?.set("messaging.system", "nats").set("messaging.operation.type", "process").set("hub.op", op)
  return span
}
