/** Erases messages: the server overwrites the bytes of each one before it answers. */
import type { NatsConnection } from "@nats-io/transport-node"
import { MESSAGE_DELETE_FAILED, SEQUENCE_NOT_FOUND } from "./jetstream-codes.ts"
import { leaderMessage } from "./last-message.ts"
import { requestStream } from "./requests.ts"

/**
 * The number of messages that are erased in parallel. For each one the server rewrites a whole block, so more would
 * only wait for each other.
 */
const ERASED_AT_ONCE = 4
/** The number of times that a subject is read again, because somebody may write to it meanwhile. */
const PASSES_MAX = 20

/**
 * Erases every message of a subject or pattern. It is safe to repeat, because a message that is gone already is no
 * fault. A message that replaces another one meanwhile is erased too. Rejects if the stream does not answer within
 * `timeout` ms for each message, or if messages keep coming.
 *
 * A purge would only mark the messages as deleted. Their bytes would stay in the block of the server's file until the
 * server compacts it, which it never does to the newest block. The same holds for a message that another one of its
 * subject replaces, so secrets are stored under subjects that are written once.
 */
export const eraseAll = async (
  nats: NatsConnection,
  stream: string,
  pattern: string,
  timeout: number
): Promise<void> => {
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const left = await seqsOf(nats, stream, pattern, timeout)
    if (left.length === 0) return
    const eraser = async (): Promise<void> => {
      for (let seq = left.pop(); seq !== undefined; seq = left.pop()) await eraseMessage(nats, stream, seq, timeout)
    }
    await Promise.all(Array.from({ length: Math.min(ERASED_AT_ONCE, left.length) }, eraser))
  }
  throw new Error(`${stream}: messages are written while they are erased`)
}

const seqsOf = async (
  nats: NatsConnection,
  stream: string,
  pattern: string,
  timeout: number
): Promise<Array<number>> => {
  const seqs: Array<number> = []
  for (let from = 1; ;) {
    const next = await leaderMessage(nats, stream, { seq: from, next_by_subj: pattern }, timeout)
    if (next === null) return seqs
    seqs.push(next.seq)
    from = next.seq + 1
  }
}

interface DeleteError {
  readonly err_code?: number
  readonly description?: string
}

/** The server reports a missing message in two ways, one of which is also used for any fault of its store. */
const isGone = ({ err_code, description = "" }: DeleteError): boolean =>
  err_code === SEQUENCE_NOT_FOUND || (err_code === MESSAGE_DELETE_FAILED && description.includes("no message found"))

/** Safe to repeat. */
export const eraseMessage = async (
  nats: NatsConnection,
  stream: string,
  seq: number,
  timeout: number
): Promise<void> => {
  const wanted = JSON.stringify({ seq, no_erase: false })
  const reply = await requestStream(nats, `$JS.API.STREAM.MSG.DELETE.${stream}`, wanted, { timeout })
  const { success, error } = reply.json<{ readonly success?: boolean; readonly error?: DeleteError }>()
  if (success === true || (error !== undefined && isGone(error))) return
  throw new Error(`${stream} did not erase message ${seq}: ${error?.description ?? "unknown error"}`)
}
