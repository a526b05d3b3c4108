/**
 * The newest message of a subject, as the stream's leader has it. A direct get may be answered by any replica, also by one
 * that is a moment behind; whoever decides on what stands there asks the leader.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { requestStream } from "./renewal.ts"

const NOT_FOUND = 404

export interface LastMessage {
  readonly seq: number
  readonly data: Uint8Array
}

interface Answer {
  readonly message?: { readonly seq: number; readonly data?: string }
  readonly error?: { readonly code: number; readonly description?: string }
}

/** `null` where there is none. Rejects when the stream does not answer within `timeout` ms. */
export const lastMessage = async (nats: NatsConnection, stream: string, subject: string, timeout: number): Promise<LastMessage | null> => {
  const reply = await requestStream(nats, `$JS.API.STREAM.MSG.GET.${stream}`, JSON.stringify({ last_by_subj: subject }), { timeout })
  const { message, error } = reply.json<Answer>()
  if (message !== undefined) return { seq: message.seq, data: Buffer.from(message.data ?? "", "base64") }
  if (error?.code === NOT_FOUND) return null
  throw new Error(`${stream} was asked for the last message of a subject: ${error?.description ?? "no answer that makes sense"}`)
}
