/** A commit's way into the read models, as a span of the commit's own trace. */
import type { JsMsg } from "@nats-io/jetstream"
import { nowMs } from "../../schemas/runtime/trace/span.ts"
import type { Tracing } from "../../schemas/runtime/trace/tracing.ts"
import { traceparentOf } from "../log/traceparent.ts"
import type { Message } from "./projection.ts"

/** The trace of a message of the log; empty if it was not sampled. */
export const tracedOf = (tracing: Tracing, message: JsMsg): Pick<Message, "traced"> => {
  const traceparent = tracing.on ? traceparentOf(message.headers) : undefined
  return traceparent === undefined ? {} : { traced: { traceparent, storedAt: Number(message.timestampNanos) / 1e6 } }
}

/**
 * Adds spans for a batch that the tables now contain. A batch that could not be applied comes again, and gets its spans
 * then.
 */
export const traceApplied = (
  tracing: Tracing,
  projection: string,
  batch: ReadonlyArray<Message>,
  beganAt: number
): void => {
  for (const { traced, kind, seq } of batch) {
    if (traced === undefined) continue
    tracing
      .follow(`project ${projection}`, "consumer", traced.traceparent, beganAt)
      ?.set("messaging.system", "nats")
      .set("messaging.operation.type", "process")
      .set("messaging.batch.message_count", batch.length)
      .set("hub.projection", projection)
      .set("hub.kind", kind)
      .set("hub.sequence", seq)
      .set("hub.lag_ms", Math.max(0, Math.round(nowMs() - traced.storedAt)))
      .end()
  }
}
