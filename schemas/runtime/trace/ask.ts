/** The span of the asking side: from the first try of an ask or a query to its answer. */
import type { Answer } from "../bus/asker.ts"
import { shardOf } from "../../subjects.ts"
import type { Span } from "./span.ts"

/** Refusals that are the service's own fault. */
const FAULTS: ReadonlySet<string> = new Set(["internal_error", "unavailable", "overloaded"])

/**
 * `null` if nothing is traced, and below a span that has ended, because the asks of a long-lived stream are not part of
 * its request.
 */
export const askSpan = (parent: Span | null | undefined, kind: string, op: string, actor: string): Span | null => {
  const span = sent(parent, `ask ${op}`)
  span?.set("hub.kind", kind).set("hub.op", op).set("hub.shard", shardOf(actor))
  return span
}

export const querySpan = (parent: Span | null | undefined, view: string): Span | null => sent(parent, `query ${view}`)

const sent = (parent: Span | null | undefined, name: string): Span | null =>
  parent === null || parent === undefined || parent.endedAt !== 0
    ? null
    : parent.child(name, "client").set("messaging.system", "nats").set("messaging.operation.type", "send")

/** Ends the span of an ask on either side. */
export const endAnswered = (span: Span, { refused, moved, notOwner }: Answer["head"]): void =>
  endAs(span, notOwner !== undefined ? "not_owner" : moved !== undefined ? "moved" : (refused?.code ?? "ok"))

/** `outcome` is one of a few fixed words. */
export const endAs = (span: Span, outcome: string): void => {
  span.set("hub.outcome", outcome)
  if (FAULTS.has(outcome)) span.fail(outcome)
  span.end()
}
