/** One message of a stream beside the log, on the disk before it is acknowledged: an atomic batch of one is flushed. */
import { headers, type NatsConnection, nuid } from "@nats-io/transport-node"
import { requestStream } from "./requests.ts"

/** Rejects where it could not be stored. `keepSeconds`: for good where nothing is said. */
export const storeDurably = async (
  nats: NatsConnection,
  subject: string,
  bytes: Uint8Array,
  { timeout, keepSeconds }: { readonly timeout: number; readonly keepSeconds?: number }
): Promise<void> => {
  const more = headers()
  more.set("Nats-Batch-Id", nuid.next())
  more.set("Nats-Batch-Sequence", "1")
  more.set("Nats-Batch-Commit", "1")
  if (keepSeconds !== undefined) more.set("Nats-TTL", `${keepSeconds}s`)
  const reply = await requestStream(nats, subject, bytes, { headers: more, timeout })
  const { error } = reply.json<{ readonly error?: { readonly description?: string } }>()
  if (error !== undefined) throw new Error(`not stored: ${error.description ?? "unknown error"}`)
}
