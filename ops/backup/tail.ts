/**
 * The messages after a copied stream's cut that belong to the backup, as lines of JSON.
 *
 * - The log's cut may be within a batch, which must be there completely or not at all. The tail has the rest of the
 *   batch.
 * - A stream that keeps one message a subject removes the old message when a new one is written. If that happens while
 *   the archive is read, the archive may have neither: the old one is removed before it is read, and the new one is
 *   after the cut. So the tail has everything that arrived after the cut, up to an end of the stream that is read after
 *   the archive. Any replica may answer. If it is behind, the request is repeated.
 */
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import type { JetStreamManager, NextMsgRequest, StoredMsg } from "@nats-io/jetstream"
import { headers, type Msg, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node"
import { directGet } from "../../actors/log/direct-get.ts"
import { Fault } from "../cli/fault.ts"
import type { HashedFile } from "./files.ts"

/** The most messages of a tail. If a stream gets more, the backup fails and must be repeated at a quieter time. */
const TAIL_MAX = 500_000
const PAGE = 500
/** Half of the largest page that a server with the usual configuration sends. */
const PAGE_BYTES = 33_554_432
const NEXT_TRIES = 200
const NEXT_RETRY_MS = 10
const PUBLISH_TIMEOUT_MS = 60_000

interface Line {
  readonly seq: number
  readonly subject: string
  /** Unix ms. */
  readonly at: number
  readonly headers: ReadonlyArray<readonly [string, string]>
  /** The payload in base64. */
  readonly data: string
}

const nextOf = (manager: JetStreamManager, stream: string, seq: number): Promise<StoredMsg | null> => {
  // The server accepts this option here as in a direct get, but the client's types allow it only there.
  const first: { readonly seq: number } & NextMsgRequest = { seq, next_by_subj: ">" }
  return manager.streams.getMessage(stream, first)
}

/** Headers that a direct get adds to a message. */
const ADDED = new Set([
  "nats-stream",
  "nats-subject",
  "nats-sequence",
  "nats-time-stamp",
  "nats-num-pending",
  "nats-last-sequence"
])

const lineOf = (place: Pick<Line, "seq" | "subject" | "at">, header: MsgHdrs | undefined, data: Uint8Array): Buffer => {
  const all = [...(header ?? [])].flatMap(([name, values]) => values.map((value) => [name, value] as const))
  const line: Line = {
    ...place,
    headers: all.filter(([name]) => !ADDED.has(name.toLowerCase())),
    data: Buffer.from(data).toString("base64")
  }
  return Buffer.from(`${JSON.stringify(line)}\n`)
}

const storedLine = ({ seq, subject, time, header, data }: StoredMsg): Buffer =>
  lineOf({ seq, subject, at: time.getTime() }, header, data)

const gotLine = ({ headers: header, data }: Msg): Buffer =>
  lineOf(
    {
      seq: seqOf(header),
      subject: header?.get("Nats-Subject") ?? "",
      at: Date.parse(header?.get("Nats-Time-Stamp") ?? "")
    },
    header,
    data
  )

const seqOf = (header: MsgHdrs | undefined): number => Number(header?.get("Nats-Sequence"))

export interface Source {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
}

/** Copies all messages after `last`. Resolves to their number. */
export const copyRest = async (
  { nats, manager }: Source,
  stream: string,
  last: number,
  file: HashedFile,
  signal: AbortSignal
): Promise<number> => {
  const { last_seq: least } = (await manager.streams.info(stream)).state
  let [seq, messages] = [last, 0]
  for (;;) {
    signal.throwIfAborted()
    const page: Array<Msg> = []
    await directGet(nats, stream, { seq: seq + 1, next_by_subj: ">", batch: PAGE }, (message) => page.push(message))
    for (const message of page) await file.write(gotLine(message))
    messages += page.length
    seq = page.length === 0 ? seq : seqOf(page.at(-1)?.headers)
    if (messages > TAIL_MAX)
      throw new Fault(`${stream} is written to faster than it can be copied: back up at a quieter time`)
    if (!isEnd(page)) continue
    // The message at `least` may have been deleted.
    if (seq >= least || (await nextOf(manager, stream, seq + 1)) === null) return messages
    await delay(NEXT_RETRY_MS)
  }
}

/** True if the server ended a page for another reason than its length or size. */
const isEnd = (page: ReadonlyArray<Msg>): boolean =>
  page.length < PAGE && page.reduce((sum, { data }) => sum + data.length, 0) < PAGE_BYTES

/** Copies the rest of the batch that contains `last`. Resolves to the number of messages. */
export const copyRestOfBatch = async (
  manager: JetStreamManager,
  stream: string,
  last: number,
  file: HashedFile
): Promise<number> => {
  const cut = last === 0 ? null : await nextOf(manager, stream, last)
  // If the last message has been erased since, the next message shows whether its batch had begun before.
  let open = cut?.seq === last ? goesOn(cut) : cut !== null && beganBy(cut, last)
  let messages = 0
  for (let seq = last; open; messages++) {
    const message = await soon(manager, stream, seq + 1)
    await file.write(storedLine(message))
    seq = message.seq
    open = goesOn(message)
  }
  return messages
}

const goesOn = ({ header }: StoredMsg): boolean => header.has("Nats-Batch-Id") && !header.has("Nats-Batch-Commit")

const beganBy = ({ header, seq }: StoredMsg, last: number): boolean =>
  header.has("Nats-Batch-Id") && seq - Number(header.get("Nats-Batch-Sequence")) + 1 <= last

/** Waits for the message, because the server may be storing its batch at this moment. */
const soon = async (manager: JetStreamManager, stream: string, seq: number): Promise<StoredMsg> => {
  for (let tries = 0; tries < NEXT_TRIES; tries++) {
    const message = await nextOf(manager, stream, seq)
    if (message !== null) return message
    await delay(NEXT_RETRY_MS)
  }
  throw new Fault(`${stream} ends inside a batch: try again`)
}

/**
 * Headers of the server that are kept when a message is written again. Its other headers described the first writing.
 */
const KEPT = new Set(["nats-schedule", "nats-schedule-target", "nats-schedule-ttl"])
const TTL = "nats-ttl"

/** The remaining seconds of a message with this time to live; `null` if it has expired. */
const leftOf = (ttl: string, at: number): number | null => {
  const seconds = Number(/^(\d+)s?$/.exec(ttl)?.[1] ?? Number.NaN)
  const left = Math.ceil(seconds - (Date.now() - at) / 1000)
  return left > 0 ? left : null
}

const INCREMENT = "nats-incr"

/** Restores a counter. A counter accepts only increments, so it is increased to the value in the line. */
const countUp = async (nats: NatsConnection, { subject, data }: Line): Promise<number> => {
  const wanted = BigInt((JSON.parse(Buffer.from(data, "base64").toString()) as { readonly val: string }).val)
  const at = await stepped(nats, subject, 0n)
  return wanted > at.value ? (await stepped(nats, subject, wanted - at.value)).seq : at.seq
}

const stepped = async (
  nats: NatsConnection,
  subject: string,
  by: bigint
): Promise<{ readonly seq: number; readonly value: bigint }> => {
  const more = headers()
  more.set("Nats-Incr", String(by))
  const { seq, val, error } = (
    await nats.request(subject, undefined, { headers: more, timeout: PUBLISH_TIMEOUT_MS })
  ).json<Stepped>()
  if (seq === undefined || val === undefined)
    throw new Fault(`${subject} was not counted up: ${error?.description ?? "no answer that makes sense"}`)
  return { seq, value: BigInt(val) }
}

interface Stepped {
  readonly seq?: number
  readonly val?: string
  readonly error?: { readonly description?: string }
}

/**
 * Writes the tail after the archive's messages. With `exact`, each message must get its earlier sequence. Resolves to
 * the last sequence written, or to `last`.
 */
export const writeTail = async (nats: NatsConnection, path: string, last: number, exact: boolean): Promise<number> => {
  let written = last
  for await (const text of createInterface({ input: createReadStream(path) })) {
    const line = JSON.parse(text) as Line
    if (line.headers.some(([name]) => name.toLowerCase() === INCREMENT)) {
      written = await countUp(nats, line)
      continue
    }
    const more = headers()
    let over = false
    for (const [name, value] of line.headers) {
      const known = name.toLowerCase()
      if (known === TTL) {
        const left = leftOf(value, line.at)
        if (left === null) over = true
        else more.set("Nats-TTL", `${left}s`)
      } else if (!known.startsWith("nats-") || KEPT.has(known)) more.append(name, value)
    }
    if (over) continue
    if (exact) more.set("Nats-Expected-Last-Sequence", String(line.seq - 1))
    const reply = await nats.request(line.subject, Buffer.from(line.data, "base64"), {
      headers: more,
      timeout: PUBLISH_TIMEOUT_MS
    })
    const { seq, error } = reply.json<{ readonly seq?: number; readonly error?: { readonly description?: string } }>()
    if (seq === undefined)
      throw new Fault(`${line.subject} was not written: ${error?.description ?? "no answer that makes sense"}`)
    written = seq
  }
  return written
}
