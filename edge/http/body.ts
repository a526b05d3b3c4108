/**
 * Reads a request's body within bounds.
 *
 * - Three limits apply: the endpoint's size (contract 21), a timeout for slow senders, and one budget for all bodies of
 *   this edge. Each client has a share of the budget. Bytes count from their arrival until the call has ended.
 * - Bytes are hashed as they arrive: signatures cover the hash, and stored bytes are named by it.
 * - A body in too many small pieces is refused, because a piece of one byte takes 200 bytes of memory and 5 µs of the
 *   processor.
 */
import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { Call } from "./call.ts"
import { type Refused, refuse } from "./refused.ts"
import type { Shares } from "./shares.ts"
import { after } from "../../schemas/runtime/clock.ts"

/** Requests that wait for "100 Continue" before they send their body. */
export const expectingContinue = new WeakSet<IncomingMessage>()

export const hasBody = (request: IncomingMessage): boolean =>
  request.headers["transfer-encoding"] !== undefined || (request.headers["content-length"] ?? "0") !== "0"

export const tooLarge = (maxBytes: number): Refusal => ({
  code: "request_too_large",
  message: `The request's body is larger than ${maxBytes} bytes.`,
  details: { max_bytes: maxBytes }
})

/** Checks only `Content-Length`, before a byte is read. */
export const announcesTooMuch = (request: IncomingMessage, maxBytes: number): boolean =>
  Number(request.headers["content-length"] ?? "0") > maxBytes

/** Any body may arrive in this many pieces, and in one more for each `PIECE_BYTES`. */
const PIECES_FREE = 256
const PIECE_BYTES = 128

const inPieces: Refusal = {
  code: "request_too_large",
  message: "The request's body arrives in too many small pieces. Send it whole, with Content-Length.",
  details: { rule: "pieces" }
}

const slow: Refusal = refusal("request_timeout", "The request's body did not arrive in time.")
const noRoom: Refusal = {
  code: "overloaded",
  message: "Too many request bodies are being read at the moment.",
  retryAfter: 1
}

export interface ReadBody {
  readonly bytes: Buffer
  /** Lower-case hex. */
  readonly sha256: string
}

export interface BodyBounds {
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly budget: Shares
}

/**
 * `held` is called with the bytes of the budget that the call now holds. The code that ends the call gives them back.
 */
export const readBody = (
  call: Call,
  response: ServerResponse,
  { maxBytes, timeoutMs, budget }: BodyBounds,
  held: (bytes: number) => void
): Effect.Effect<ReadBody, Refused> =>
  Effect.callback<ReadBody, Refused>((resume) => {
    const { request } = call
    if (announcesTooMuch(request, maxBytes)) return resume(Effect.fail(refuse(tooLarge(maxBytes))))
    const chunks: Array<Buffer> = []
    const hash = createHash("sha256")
    let [size, pieces] = [0, 0]
    const stop = (): void => {
      cancel()
      request.off("data", take).off("end", end).off("close", gone)
    }
    const fail = (why: Refusal): void => {
      stop()
      request.pause()
      resume(Effect.fail(refuse(why)))
    }
    const take = (chunk: Buffer): void => {
      if (size + chunk.length > maxBytes) return fail(tooLarge(maxBytes))
      if (!budget.take(call, chunk.length)) return fail(noRoom)
      size += chunk.length
      held(size)
      if (++pieces > PIECES_FREE + size / PIECE_BYTES) return fail(inPieces)
      hash.update(chunk)
      chunks.push(chunk)
    }
    const end = (): void => {
      stop()
      const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
      resume(Effect.succeed({ bytes, sha256: hash.digest("hex") }))
    }
    const gone = (): void => fail(slow)
    const cancel = after(call.clock, timeoutMs, () => fail(slow))
    request.on("data", take).on("end", end).on("close", gone)
    if (expectingContinue.delete(request)) response.writeContinue()
    return Effect.sync(stop)
  })

/**
 * Refuses. Closes the connection if the request has a body: it may not have been read to its end, and the beginning of
 * the next request is then unknown.
 */
export const closing = (call: Call, refusal: Refusal): Effect.Effect<never, Refused> => {
  if (hasBody(call.request)) call.headers["connection"] = "close"
  return Effect.fail(refuse(refusal))
}
