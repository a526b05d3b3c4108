/** Numbers that are never given twice (spec 2.1): JetStream counters. Gaps are fine, reuse never happens. */
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { subjects } from "../../schemas/subjects.ts"
import { requestStream } from "./requests.ts"

const TIMEOUT_MS = 3000

export const nextNumber = async (nats: NatsConnection, name: string): Promise<number> => {
  const more = headers()
  more.set("Nats-Incr", "1")
  const reply = await requestStream(nats, subjects.counter(name), undefined, { headers: more, timeout: TIMEOUT_MS })
  const ack = reply.json<{ val?: string; error?: { description?: string } }>()
  if (ack.val === undefined)
    throw new Error(`The counter ${name} gave no number: ${ack.error?.description ?? "unknown error"}`)
  return Number(ack.val)
}
