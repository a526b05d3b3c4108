/** Takes the newest message of a subject away: the server writes over its bytes. */
import type { NatsConnection } from "@nats-io/transport-node"
import { lastMessage } from "./last-message.ts"
import { requestStream } from "./requests.ts"

/** Whoever asks again finds nothing, and that is well. Rejects where it could not be done. */
export const eraseNewest = async (
  nats: NatsConnection,
  stream: string,
  subject: string,
  timeout: number
): Promise<void> => {
  const last = await lastMessage(nats, stream, subject, timeout)
  if (last === null) return
  const wanted = JSON.stringify({ seq: last.seq, no_erase: false })
  const reply = await requestStream(nats, `$JS.API.STREAM.MSG.DELETE.${stream}`, wanted, { timeout })
  if (reply.json<{ success?: boolean }>().success !== true) throw new Error(`${stream} erased nothing`)
}
