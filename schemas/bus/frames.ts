/**
 * Frames: the form in which asks and replies are sent between an edge and an actor node.
 *
 * One bus message carries all asks (or replies) that were collected while the last message was being written. Otherwise
 * most of the cost of a small request would be that of its message.
 *  - Ask frame, to `hub.node.<session>.<role>`, reply subject `hub.reply.<role>.<asker>.<session>`: JSON, `[[ask
 *    number, Ask, ms left], ...]`. The reader counts the remaining time from the moment it reads the frame, so machines
 *    need not agree on the time. (Older releases send no third part, and read the ask's own `deadline`.)
 *  - Reply frame: [u32 length of the index, big-endian][the index][bodies in its order]; the index is JSON, `[[ask
 *    number, ReplyHead, bytes of the body], ...]`. A body is complete JSON (the `data` of the envelope): edges pass it
 *    on without parsing it. A frame is encoded and parsed as a whole, not ask by ask. A malformed frame is refused
 *    completely, and nothing in it has been started. Ask numbers (integers from 1 to 2^32 - 1) have a meaning only for
 *    the edge. A reply with a number that is no longer waited for is dropped.
 */
import type { Refusal } from "../errors.ts"

/**
 * A signature that the edge has verified. The node that owns the key's shard checks and records the nonce (spec 5.1).
 */
export interface SignedBy {
  /** `hx` form of the public key that signed. */
  readonly key: string
  /** The public key itself, standard base64. */
  readonly publicKey: string
  readonly nonce: string
  /** The time of the signature in Unix seconds. Edges of an earlier release do not send it. */
  readonly at?: number | undefined
  /**
   * True after a node has recorded the nonce and found the key's agent. The agent's node then does not check the nonce
   * again.
   */
  readonly settled?: boolean
}

export interface Ask {
  /**
   * The unique id of the ask. A repetition has the same id. It is also the command's id in the log, unless `command` is
   * given.
   */
  readonly id: string
  readonly kind: string
  readonly actor: string
  /** `<noun>.<verb>`, a name in that actor kind's inventory. */
  readonly op: string
  readonly input: unknown
  readonly by?: SignedBy | undefined
  /**
   * Rate-limit buckets of the agent to draw from before the operation, in this order, and then the bucket `agent`
   * (contract 11). Absent for an unsigned ask, and if an earlier ask of the request has drawn already.
   */
  readonly draw?: ReadonlyArray<string> | undefined
  /** True if a suspended agent may use the operation although it writes (spec 3.1: deletion, key rotation). */
  readonly whileSuspended?: true | undefined
  /** The operation is closed to a provisional agent (contract 22). */
  readonly admittedOnly?: true | undefined
  /** The time, by this process's own clock in Unix ms, after which nobody waits for the answer. */
  readonly deadline: number
  readonly trace?: string
  /** The reason that an operator gave. It is recorded in the commit. */
  readonly why?: string | undefined
  /** W3C trace context of the asking step. Absent if the trace is not sampled. */
  readonly traceparent?: string | undefined
  /**
   * True if the command was carried out before, and only its answer is wanted. If the first answer is forgotten, the
   * actor makes one from its present state.
   */
  readonly again?: true | undefined
  /** A command id in place of `id`: requests with the same Idempotency-Key are the same command (contract 13). */
  readonly command?: string | undefined
}

export interface RateState {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds at which the window ends. */
  readonly reset: number
}

export interface ReplyHead {
  readonly refused?: Refusal
  /**
   * The source of a refusal: the actor's gate, or `bus` if no actor could be asked. Absent for a refusal by the actor
   * itself.
   */
  readonly by?: "gate" | "bus"
  /** The agent bucket after this draw (spec 4.1.7). */
  readonly rate?: RateState
  /** Set if the node no longer owns the shard: `owner` is the new owner, if it is known. */
  readonly notOwner?: { readonly shard: number; readonly owner: string | null }
  /**
   * Set with `notOwner` if this release does not know the operation, or an event in the actor's log. A node of another
   * release may know it. (Older releases know only `notOwner`, and try again.)
   */
  readonly elsewhere?: true
  /** Set if the key now belongs to an agent on another node. The ask must be sent there, with `by.settled`. */
  readonly moved?: { readonly agent: string }
}

const INDEX_AT = 4
/**
 * The most bytes of a part in a frame in addition to its JSON and its body: two numbers of ten digits, and punctuation.
 */
const AROUND_MAX = 32

/**
 * Splits collected parts into as many frames as needed. A part that is too large for a frame with others is sent alone.
 */
export const inFrames = <Part>(
  parts: ReadonlyArray<Part>,
  bytesOf: (part: Part) => number,
  maxBytes: number
): ReadonlyArray<ReadonlyArray<Part>> => {
  const frames: Array<ReadonlyArray<Part>> = []
  let from = 0
  let size = 0
  for (const [index, part] of parts.entries()) {
    const bytes = bytesOf(part)
    if (index > from && size + bytes > maxBytes) {
      frames.push(parts.slice(from, index))
      from = index
      size = 0
    }
    size += bytes
  }
  frames.push(from === 0 ? parts : parts.slice(from))
  return frames
}

export interface AskPart {
  readonly number: number
  readonly ask: Ask
}

export interface ReplyPart {
  readonly number: number
  readonly head: ReplyHead
  readonly body: Uint8Array
}

/** Encodes an ask as JSON. Call this only once for an ask, even if it is sent again. */
export const encodeAsk = (ask: Ask): string => JSON.stringify(ask)

export interface PackedAsk {
  readonly number: number
  /** The result of `encodeAsk`. */
  readonly ask: string
  /** The result of `askBytes`, counted once however often the ask is sent. */
  readonly bytes: number
  /** Unix ms, as in the ask. */
  readonly deadline: number
}

const LEFT_MAX_MS = 9_999_999_999

/** The most bytes of an ask in a frame. */
export const askBytes = (ask: string): number => Buffer.byteLength(ask) + AROUND_MAX

/** `now` is in Unix ms. */
export const packAsks = (parts: ReadonlyArray<PackedAsk>, now = Date.now()): Uint8Array => {
  let frame = ""
  for (const { number, ask, deadline } of parts) {
    const left = Math.min(LEFT_MAX_MS, Math.max(0, Math.round(deadline - now)))
    frame += `${frame === "" ? "[" : ","}[${number},${ask},${left}]`
  }
  return Buffer.from(`${frame === "" ? "[" : frame}]`)
}

/**
 * Deadlines are converted to the reader's clock (`now`, Unix ms). Throws a SyntaxError if the frame is cut or is no
 * list of asks.
 */
export const unpackAsks = (frame: Uint8Array, now = Date.now()): ReadonlyArray<AskPart> =>
  listIn(frame, 0, frame.length).map((part) => {
    const [number, ask, left] = part as [number, Ask, number?]
    return { number, ask: left === undefined ? ask : { ...ask, deadline: now + left } }
  })

const EMPTY_HEAD = "{}"

export const encodeHead = (head: ReplyHead): string =>
  head.refused === undefined &&
  head.rate === undefined &&
  head.notOwner === undefined &&
  head.elsewhere === undefined &&
  head.moved === undefined
    ? EMPTY_HEAD
    : JSON.stringify(head)

export interface PackedReply {
  readonly number: number
  /** The result of `encodeHead`. */
  readonly head: string
  readonly body: Uint8Array
}

export const replyBytes = ({ head, body }: PackedReply): number => Buffer.byteLength(head) + body.length + AROUND_MAX

export const packReplies = (parts: ReadonlyArray<PackedReply>): Uint8Array => {
  let index = ""
  let bodies = 0
  for (const { number, head, body } of parts) {
    index += `${index === "" ? "[" : ","}[${number},${head},${body.length}]`
    bodies += body.length
  }
  const text = `${index === "" ? "[" : index}]`
  const bytes = Buffer.byteLength(text)
  const out = Buffer.allocUnsafe(INDEX_AT + bytes + bodies)
  out.writeUInt32BE(bytes)
  out.write(text, INDEX_AT)
  let at = INDEX_AT + bytes
  for (const { body } of parts) {
    out.set(body, at)
    at += body.length
  }
  return out
}

/** Throws a RangeError or SyntaxError for a frame that is cut or has no index. Bodies are views into the frame. */
export const unpackReplies = (frame: Uint8Array): ReadonlyArray<ReplyPart> => {
  if (frame.length < INDEX_AT) throw new RangeError("The frame ends before its index")
  const bodiesAt = INDEX_AT + new DataView(frame.buffer, frame.byteOffset).getUint32(0)
  if (bodiesAt > frame.length) throw new RangeError("The frame ends inside its index")
  let at = bodiesAt
  const parts = listIn(frame, INDEX_AT, bodiesAt).map((part) => {
    const [number, head, bytes] = part as [number, ReplyHead, number]
    const body = frame.subarray(at, at + bytes)
    at += bytes
    return { number, head, body }
  })
  if (at !== frame.length) throw new RangeError("The frame ends inside a reply")
  return parts
}

const listIn = (frame: Uint8Array, from: number, to: number): ReadonlyArray<unknown> => {
  const list: unknown = JSON.parse(Buffer.from(frame.buffer, frame.byteOffset + from, to - from).toString("utf8"))
  if (!Array.isArray(list) || !list.every(Array.isArray)) throw new SyntaxError("The frame is no list")
  return list
}
