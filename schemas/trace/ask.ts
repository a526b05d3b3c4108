/** The asking side's step: from the first try of an ask to its answer. */
import type { Answer } from "../bus/asker.ts"
import { shardOf } from "../subjects.ts"
import type { Span } from "./span.ts"

/** Refusals that are the service's own fault. */
const FAULTS: ReadonlySet<string> = new Set(["internal_error", "unavailable", "overloaded"])

export const askSpan = (parent: Span, kind: string, op: string, actor: string): Span =>
  parent
    .child(`ask ${op}`, "client")
    .set("messaging.system", "nats")
    .set("messaging.operation.type", "send")
    .set("hub.kind", kind)
    .set("hub.op", op)
    .set("hub.shard", shardOf(actor))

/** Ends either side's step of an ask. */
export const endAnswered = (span: Span, { refused, moved, notOwner }: Answer["head"]): void => {
  const outcome = notOwner !== undefined ? "not_owner" : moved !== undefined ? "moved" : (refused?.code ?? "ok")
  span.set("hub.outcome", outcome)
  if (FAULTS.has(outcome)) span.fail(outcome)
  span.end()
}
