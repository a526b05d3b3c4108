/**
 * Reads one message from the stream's leader. A direct get may be answered by a replica that is a moment behind, so
 * code that decides by a message asks the leader.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { requestStream } from "./requests.ts"

const NOT_FOUND = 404
/** The server's error for a missing stream. It does not say that a message is missing. */
const NO_STREAM = 10_059

export interface LeaderMessage {
  readonly seq: number
  readonly subject: string
  readonly data: Uint8Array
}

interface Answer {
  readonly message?: { readonly seq: number; readonly subject: string; readonly data?: string }
  readonly error?: { readonly code: number; readonly err_code?: number; readonly description?: string }
}

/** The newest message of a subject, or the first of a pattern from a sequence on. */
type MessageQuery = { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj: string }

/** `null` if there is no such message. Rejects when the stream does not answer within `timeout` ms. */
export const leaderMessage = async (
  nats: NatsConnection,
  stream: string,
  wanted: MessageQuery,
  timeout: number
): Promise<LeaderMessage | null> => {
  const reply = await requestStream(nats, `$JS.API.STREAM.MSG.GET.${stream}`, JSON.stringify(wanted), { timeout })
  const { message, error } = reply.json<Answer>()
  if (message !== undefined) {
    const { seq, subject, data = "" } = message
    return { seq, subject, data: Buffer.from(data, "base64") }
  }
  if (error?.code === NOT_FOUND && error.err_code !== NO_STREAM) return null
  throw new Error(`${stream} was asked for a message: ${error?.description ?? "no answer that makes sense"}`)
}

export const lastMessage = (
  nats: NatsConnection,
  stream: string,
  subject: string,
  timeout: number
): Promise<LeaderMessage | null> => leaderMessage(nats, stream, { last_by_subj: subject }, timeout)
