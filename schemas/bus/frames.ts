/**
 * Frames: how asks and replies travel between an edge and an actor node.
 *
 * One bus message carries as many asks (or replies) as gathered while the last message was being written;
 * that is where most of the cost of a small request would otherwise go.
 *  - Ask frame, to `hub.node.<session>.<role>`, reply subject `hub.reply.<role>.<asker>.<session>`:
 *    repeated [u32 ask number][u32 length][JSON of Ask, UTF-8].
 *  - Reply frame: repeated [u32 ask number][u32 head length][u32 body length][JSON of ReplyHead][body].
 *    The body is ready JSON (the `data` of the envelope): edges pass it on without parsing it.
 * Integers are big-endian. A frame that does not parse is refused whole: nothing in it was begun.
 * Ask numbers are the edge's own and mean nothing to the node; a reply to a number that is no longer
 * waited for is dropped.
 */
import type { Refusal } from "../errors.ts"

/** A signature that the edge has verified. The node that owns the key judges its nonce (spec 5.1). */
export interface SignedBy {
  /** `hx` form of the public key that signed. */
  readonly key: string
  /** The public key itself, standard base64. */
  readonly publicKey: string
  readonly nonce: string
  /** True once a node has recorded the nonce and resolved the key: the ask only moves on to the agent. */
  readonly settled?: boolean
}

export interface Ask {
  /** Unique per client request; the edge repeats it when it tries again. Also the command's id in the log. */
  readonly id: string
  readonly kind: string
  readonly actor: string
  /** `<noun>.<verb>`, a name in that actor kind's inventory. */
  readonly op: string
  readonly input: unknown
  readonly by?: SignedBy
  /**
   * Rate-limit buckets of the agent to draw one from before the operation, in order, the `agent` bucket after them
   * (contract 11). Absent on an ask whose signature is settled: nothing is drawn again.
   */
  readonly draw?: ReadonlyArray<string>
  /** The operation is open to a suspended agent although it writes (spec 3.1: deletion, key rotation). */
  readonly whileSuspended?: true
  /** Unix ms after which nobody waits any more. */
  readonly deadline: number
  readonly trace?: string
  /** W3C trace context of the step that asks; absent where it is not sampled. */
  readonly traceparent?: string | undefined
  /** A command id other than `id`: the same Idempotency-Key is the same command (contract 13). */
  readonly command?: string
}

export interface RateState {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds at which the window ends. */
  readonly reset: number
}

export interface ReplyHead {
  readonly refused?: Refusal
  /** The agent bucket after this draw (spec 4.1.7). */
  readonly rate?: RateState
  /** The node does not own the shard (any more): ask again, of `owner` where it is known. */
  readonly notOwner?: { readonly shard: number; readonly owner: string | null }
  /** The key now belongs to an agent that lives elsewhere: ask there, with `by.settled`. */
  readonly moved?: { readonly agent: string }
}

const utf8 = new TextEncoder()
const text = new TextDecoder()

export interface AskPart {
  readonly number: number
  readonly ask: Ask
}

export interface ReplyPart {
  readonly number: number
  readonly head: ReplyHead
  readonly body: Uint8Array
}

export const encodeAsk = (ask: Ask): Uint8Array => utf8.encode(JSON.stringify(ask))

export const packAsks = (parts: ReadonlyArray<{ readonly number: number; readonly bytes: Uint8Array }>): Uint8Array => {
  let size = 0
  for (const part of parts) size += 8 + part.bytes.length
  const out = new Uint8Array(size)
  const view = new DataView(out.buffer)
  let at = 0
  for (const { number, bytes } of parts) {
    view.setUint32(at, number)
    view.setUint32(at + 4, bytes.length)
    out.set(bytes, at + 8)
    at += 8 + bytes.length
  }
  return out
}

/** Throws a RangeError or SyntaxError on a frame that is cut or is not JSON. */
export const unpackAsks = (frame: Uint8Array): ReadonlyArray<AskPart> => {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const parts: Array<AskPart> = []
  let at = 0
  while (at < frame.length) {
    const number = view.getUint32(at)
    const length = view.getUint32(at + 4)
    if (at + 8 + length > frame.length) throw new RangeError("The frame ends inside an ask")
    parts.push({ number, ask: JSON.parse(text.decode(frame.subarray(at + 8, at + 8 + length))) as Ask })
    at += 8 + length
  }
  return parts
}

const EMPTY_HEAD = utf8.encode("{}")

export const encodeHead = (head: ReplyHead): Uint8Array =>
  head.refused === undefined && head.rate === undefined && head.notOwner === undefined && head.moved === undefined
    ? EMPTY_HEAD
    : utf8.encode(JSON.stringify(head))

export const packReplies = (
  parts: ReadonlyArray<{ readonly number: number; readonly head: Uint8Array; readonly body: Uint8Array }>
): Uint8Array => {
  let size = 0
  for (const part of parts) size += 12 + part.head.length + part.body.length
  const out = new Uint8Array(size)
  const view = new DataView(out.buffer)
  let at = 0
  for (const { number, head, body } of parts) {
    view.setUint32(at, number)
    view.setUint32(at + 4, head.length)
    view.setUint32(at + 8, body.length)
    out.set(head, at + 12)
    out.set(body, at + 12 + head.length)
    at += 12 + head.length + body.length
  }
  return out
}

/** Throws a RangeError or SyntaxError on a frame that is cut or is not JSON. Bodies are views into the frame. */
export const unpackReplies = (frame: Uint8Array): ReadonlyArray<ReplyPart> => {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const parts: Array<ReplyPart> = []
  let at = 0
  while (at < frame.length) {
    const number = view.getUint32(at)
    const headLength = view.getUint32(at + 4)
    const bodyLength = view.getUint32(at + 8)
    const headAt = at + 12
    const bodyAt = headAt + headLength
    if (bodyAt + bodyLength > frame.length) throw new RangeError("The frame ends inside a reply")
    const head = JSON.parse(text.decode(frame.subarray(headAt, bodyAt))) as ReplyHead
    parts.push({ number, head, body: frame.subarray(bodyAt, bodyAt + bodyLength) })
    at = bodyAt + bodyLength
  }
  return parts
}
