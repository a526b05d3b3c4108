/**
 * Stores one message in a stream beside the log. It is on disk before it is acknowledged, because the server flushes an
 * atomic batch of one.
 */
import { headers, type NatsConnection, nuid } from "@nats-io/transport-node"
import { WRONG_LAST_SEQUENCE, WRONG_LAST_SEQUENCE_IN_BATCH } from "./jetstream-codes.ts"
import { requestStream } from "./requests.ts"

const IS_THERE: ReadonlySet<number | undefined> = new Set([WRONG_LAST_SEQUENCE, WRONG_LAST_SEQUENCE_IN_BATCH])

interface DurableOptions {
  readonly timeout: number
  readonly keepSeconds?: number
  readonly once?: boolean
}

/**
 * Resolves to whether the message was stored; rejects if it could not be stored. `keepSeconds`: how long the message is
 * kept; absent for good. `once`: if the subject already has a message, that one stays and nothing is stored.
 */
export const storeDurably = async (
  nats: NatsConnection,
  subject: string,
  bytes: Uint8Array,
  { timeout, keepSeconds, once = false }: DurableOptions
): Promise<boolean> => {
  const more = headers()
  more.set("Nats-Batch-Id", nuid.next())
  more.set("Nats-Batch-Sequence", "1")
  more.set("Nats-Batch-Commit", "1")
  if (keepSeconds !== undefined) more.set("Nats-TTL", `${keepSeconds}s`)
  if (once) more.set("Nats-Expected-Last-Subject-Sequence", "0")
  const reply = await requestStream(nats, subject, bytes, { headers: more, timeout })
  const { error } = reply.json<{ readonly error?: { readonly err_code?: number; readonly description?: string } }>()
  if (error === undefined) return true
  if (once && IS_THERE.has(error.err_code)) return false
  throw new Error(`not stored: ${error.description ?? "unknown error"}`)
}
