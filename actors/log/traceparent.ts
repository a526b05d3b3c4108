/** Reads the trace that a message of the log belongs to. */
import type { MsgHdrs } from "@nats-io/transport-node"
import { readTraceparent, TRACEPARENT } from "../../schemas/runtime/trace/traceparent.ts"

export const traceparentOf = (headers: MsgHdrs | undefined): string | undefined =>
  headers?.get(TRACEPARENT) || undefined

export const traceIdIn = (traceparent: string): string | null => readTraceparent(traceparent)?.traceId ?? null

export const traceIdOf = (headers: MsgHdrs | undefined): string | null => traceIdIn(traceparentOf(headers) ?? "")
