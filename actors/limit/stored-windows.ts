/**
 * Long rate-limit windows, each stored as the newest message of its subject, so that they survive a restart of the
 * actor that draws.
 */
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { streams, subjects } from "../../schemas/subjects.ts"
import { lastMessage } from "../log/last-message.ts"
import { requestStream } from "../log/requests.ts"
import type { Window } from "./window.ts"

const TIMEOUT_MS = 3000

const text = new TextDecoder()

/** `null` if there is no window. Rejects if the stream does not answer. */
export const readWindow = async (nats: NatsConnection, bucket: string, key: string): Promise<Window | null> => {
  const last = await lastMessage(nats, streams.limits, subjects.limit(bucket, key), TIMEOUT_MS)
  return last === null || last.data.length === 0 ? null : (JSON.parse(text.decode(last.data)) as Window)
}

/** Rejects when it could not be kept. */
export const keepWindow = async (
  nats: NatsConnection,
  bucket: string,
  key: string,
  window: Window,
  seconds: number
): Promise<void> => {
  const more = headers()
  more.set("Nats-TTL", `${seconds}s`)
  const reply = await requestStream(nats, subjects.limit(bucket, key), JSON.stringify(window), {
    headers: more,
    timeout: TIMEOUT_MS
  })
  if (reply.json<{ error?: unknown }>().error !== undefined) throw new Error("The rate limit's window was not kept")
}
