/**
 * Copies a stream out of JetStream and back into it, in the server's own archive format.
 *
 * Out: the server fixes the cut (`state.last_seq`), answers, and then sends the archive in chunks to an inbox. A chunk
 * is acknowledged when it is being written to the disk. The server has no more than WINDOW_BYTES unacknowledged, which
 * bounds the memory. An empty message ends the archive. A status other than 204 reports an error.
 *
 * In: the server answers with a subject and acknowledges each chunk that is sent there. An empty chunk ends the
 * archive, and is answered when the stream is restored. The server ends a transfer after 5 s of silence.
 */
import type { StreamConfig } from "@nats-io/jetstream"
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { newInbox } from "../../actors/log/inbox.ts"
import { onLine } from "../../actors/log/renewal.ts"
import { Fault } from "../cli/fault.ts"
import { chunksOf } from "./files.ts"

const CHUNK_BYTES = 131_072
const WINDOW_BYTES = 4_194_304
/**
 * The server stores every message of a chunk and flushes each before it answers. It gives up after 5 s, and a chunk of
 * half a megabyte can contain 9,000 messages.
 */
const CHUNK_BACK_BYTES = 16_384
const ANSWER_TIMEOUT_MS = 30_000
/** The time limit between two chunks. The server's own is 5 s without an acknowledgement. */
const SILENCE_MS = 30_000
/** The most milliseconds that the server may take to make a stream of the complete archive. */
const FINISH_TIMEOUT_MS = 3_600_000
const COMPLETE = 204

export interface Cut {
  readonly config: StreamConfig
  readonly state: {
    readonly first_seq: number
    readonly last_seq: number
    readonly messages: number
    readonly bytes: number
  }
}

export interface Copying extends Cut {
  /** Settles with the last chunk. */
  readonly copied: Promise<void>
}

interface ApiError {
  readonly error?: { readonly code?: number; readonly description?: string }
}

const errorText = ({ error }: ApiError): string => error?.description ?? "no answer that makes sense"

/** Resolves when the cut is fixed. The content at that time is then passed to `sink`, chunk by chunk. */
export const beginCopy = async (
  nats: NatsConnection,
  stream: string,
  sink: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal
): Promise<Copying> => {
  signal.throwIfAborted()
  const inbox = newInbox(nats)
  const chunks = nats.subscribe(inbox)
  try {
    const request = { deliver_subject: inbox, no_consumers: true, chunk_size: CHUNK_BYTES, window_size: WINDOW_BYTES }
    const reply = await nats.request(`$JS.API.STREAM.SNAPSHOT.${stream}`, JSON.stringify(request), {
      timeout: ANSWER_TIMEOUT_MS
    })
    const cut = reply.json<Partial<Cut> & ApiError>()
    if (cut.error !== undefined || cut.config === undefined || cut.state === undefined)
      throw new Fault(`${stream} cannot be copied: ${errorText(cut)}`)
    const { first_seq, last_seq, messages, bytes } = cut.state
    const copied = received(nats, stream, chunks, sink, signal).finally(() => chunks.unsubscribe())
    // The caller gets the error too, but perhaps only after another part has failed.
    copied.catch(() => undefined)
    return { config: cut.config, state: { first_seq, last_seq, messages, bytes }, copied }
  } catch (error) {
    chunks.unsubscribe()
    throw error
  }
}

type Chunks = AsyncIterable<Msg> & { readonly unsubscribe: () => void }

const received = async (
  nats: NatsConnection,
  stream: string,
  chunks: Chunks,
  sink: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal
): Promise<void> => {
  let why = "the connection to the bus was lost"
  const end = (reason: string) => (): void => {
    why = reason
    chunks.unsubscribe()
  }
  const silence = setTimeout(end("the server fell silent"), SILENCE_MS)
  const interrupt = end("interrupted")
  const forget = onLine(nats, end(why))
  signal.addEventListener("abort", interrupt)
  try {
    for await (const message of chunks) {
      silence.refresh()
      if (message.data.length === 0) {
        const status = message.headers?.code ?? 0
        if (status === 0 || status === COMPLETE) return
        throw new Fault(
          `${stream} was not copied: the server ended with ${status} ${message.headers?.description ?? ""}`
        )
      }
      await sink(message.data)
      message.respond()
    }
    throw new Fault(`${stream} was not copied: ${why}`)
  } finally {
    clearTimeout(silence)
    forget()
    signal.removeEventListener("abort", interrupt)
  }
}

export interface Restored {
  readonly last_seq: number
  readonly messages: number
}

/** Creates the stream from the archive in `path`. Throws a Fault with the server's message. */
export const copyBack = async (
  nats: NatsConnection,
  { config, state }: Cut,
  path: string,
  sent: (bytes: number) => void,
  signal: AbortSignal
): Promise<Restored> => {
  const { name } = config
  const reply = await nats.request(`$JS.API.STREAM.RESTORE.${name}`, JSON.stringify({ config, state }), {
    timeout: ANSWER_TIMEOUT_MS
  })
  const { deliver_subject: target, ...answer } = reply.json<{ readonly deliver_subject?: string } & ApiError>()
  if (target === undefined) throw new Fault(`${name} cannot be restored: ${errorText(answer)}`)
  for await (const chunk of chunksOf(path, CHUNK_BACK_BYTES)) {
    signal.throwIfAborted()
    const taken = await nats.request(target, chunk, { timeout: ANSWER_TIMEOUT_MS })
    if (taken.data.length > 0) throw new Fault(`${name} was not restored: ${errorText(taken.json<ApiError>())}`)
    sent(chunk.length)
  }
  const made = (await nats.request(target, undefined, { timeout: FINISH_TIMEOUT_MS })).json<
    { readonly state?: Restored } & ApiError
  >()
  if (made.state === undefined) throw new Fault(`${name} was not restored: ${errorText(made)}`)
  return made.state
}
