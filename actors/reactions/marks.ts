/** Where each set of reactions stands in the log, and what it had to pass over. */
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { streams, subjects } from "../../schemas/subjects.ts"
import { lastMessage } from "../log/last-message.ts"
import { requestStream } from "../log/requests.ts"

const TIMEOUT_MS = 3000

export interface Mark {
  /** Everything up to this sequence of the log is done. */
  readonly seq: number
  /** Sequence of the mark itself; 0 where there is none. */
  readonly revision: number
}

/** A commit that was passed over, since nothing that follows from it can be carried out. */
export interface ReactionFault {
  readonly seq: number
  readonly kind: string
  readonly id: string
  readonly error: string
  /** Of the command that failed; absent where the commit itself cannot be read. */
  readonly op?: string | undefined
  readonly actor?: string | undefined
}

const text = new TextDecoder()

/** Rejects when the stream does not answer. */
export const readMark = async (nats: NatsConnection, name: string): Promise<Mark> => {
  const last = await lastMessage(nats, streams.reactions, subjects.reactionMark(name), TIMEOUT_MS)
  return last === null ? { seq: 0, revision: 0 } : { seq: Number(text.decode(last.data)), revision: last.seq }
}

/** The new revision. Rejects where another has moved the mark, and when the stream does not answer. */
export const keepMark = async (nats: NatsConnection, name: string, { seq, revision }: Mark): Promise<number> => {
  const expected = headers()
  expected.set("Nats-Expected-Last-Subject-Sequence", String(revision))
  const reply = await requestStream(nats, subjects.reactionMark(name), String(seq), {
    headers: expected,
    timeout: TIMEOUT_MS
  })
  return storedAs(reply.json())
}

/** Kept once, however often it is met. `place`: the sequence, and which of its commands. */
export const keepFault = async (
  nats: NatsConnection,
  name: string,
  place: string,
  fault: ReactionFault
): Promise<void> => {
  const subject = subjects.reactionFault(name, place)
  const reply = await requestStream(nats, subject, JSON.stringify(fault), { timeout: TIMEOUT_MS })
  storedAs(reply.json())
}

interface Ack {
  readonly seq?: number
  readonly error?: { readonly description?: string }
}

/** A refusal has a sequence as well: 0. */
const storedAs = ({ seq, error }: Ack): number => {
  if (seq === undefined || error !== undefined)
    throw new Error(`${streams.reactions} kept nothing: ${error?.description ?? "no answer"}`)
  return seq
}
