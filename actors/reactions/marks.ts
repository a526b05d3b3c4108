/** The checkpoints of the sets of reactions. */
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { streams, subjects } from "../../schemas/subjects.ts"
import { lastMessage } from "../log/last-message.ts"
import { requestStream } from "../log/requests.ts"

const TIMEOUT_MS = 3000

export interface Mark {
  /** All commits up to this sequence of the log are done. */
  readonly seq: number
  /** The sequence of the mark's own message; 0 if there is none. */
  readonly revision: number
}

const text = new TextDecoder()

/** Rejects when the stream does not answer. */
export const readMark = async (nats: NatsConnection, name: string): Promise<Mark> => {
  const last = await lastMessage(nats, streams.reactions, subjects.reactionMark(name), TIMEOUT_MS)
  return last === null ? { seq: 0, revision: 0 } : { seq: Number(text.decode(last.data)), revision: last.seq }
}

/**
 * Moves the mark, and resolves to its new revision. Rejects if another reactor has moved it, and when the stream does
 * not answer.
 */
export const keepMark = async (nats: NatsConnection, name: string, { seq, revision }: Mark): Promise<number> => {
  const expected = headers()
  expected.set("Nats-Expected-Last-Subject-Sequence", String(revision))
  const reply = await requestStream(nats, subjects.reactionMark(name), String(seq), {
    headers: expected,
    timeout: TIMEOUT_MS
  })
  return storedAs(streams.reactions, reply.json())
}

export interface Ack {
  readonly seq?: number
  readonly error?: { readonly description?: string }
}

/** Returns the message's sequence. Throws if the stream refused the message; a refusal has the sequence 0. */
export const storedAs = (stream: string, { seq, error }: Ack): number => {
  if (seq === undefined || error !== undefined)
    throw new Error(`${stream} kept nothing: ${error?.description ?? "no answer"}`)
  return seq
}
