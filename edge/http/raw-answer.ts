/** Refusals outside the pipeline: for bytes that are not a request, and for requests that the pipeline does not get. */
import { randomUUID } from "node:crypto"
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { Clock } from "effect"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { DocUrls } from "./doc-urls.ts"
import { commonHeaders, errorBody, retryAfterOf, statusOf } from "./respond.ts"
import { after } from "../../schemas/runtime/clock.ts"

interface ParserError extends Error {
  readonly code?: string
}

const clientErrorOf = (error: ParserError): Refusal => {
  if (error.code === "HPE_HEADER_OVERFLOW")
    return refusal("header_fields_too_large", "The request's headers are too large.")
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    return refusal("request_timeout", "The request did not arrive in time.")
  return refusal("bad_request", "This is not an HTTP request.")
}

export interface Outside {
  readonly clock: Clock.Clock
  readonly docUrls: DocUrls
}

/** A refusal outside the pipeline, after which the connection closes. */
export const refusalOutside = (
  { clock, docUrls }: Outside,
  refused: Refusal
): { readonly status: number; readonly headers: Record<string, string>; readonly body: string } => {
  const retryAfter = retryAfterOf(refused)
  const body = errorBody(refused, docUrls)
  return {
    status: statusOf(refused),
    headers: {
      ...commonHeaders(clock, randomUUID()),
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
      "content-type": "application/json; charset=utf-8",
      "content-length": String(Buffer.byteLength(body)),
      connection: "close"
    },
    body
  }
}

/** Refuses on a connection that has no response object, and ends this side of the connection. */
export const refuseOn = (outside: Outside, socket: Duplex, refused: Refusal): void => {
  const { status, headers, body } = refusalOutside(outside, refused)
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n${lines}\r\n${body}`)
}

/** The answer under way on a connection, in a field that Node adds. */
interface UnderWay {
  readonly headersSent: boolean
  readonly writableEnded: boolean
  readonly req: { readonly complete: boolean }
  once(event: "close", listener: () => void): unknown
}

type Connection = Duplex & { readonly _httpMessage?: UnderWay | null }

/** Milliseconds that a client has to close its side after its malformed request was answered. */
const CLOSE_WITHIN_MS = 2_000

/**
 * Destroys the connection after `CLOSE_WITHIN_MS`, so that handlers that wait for the rest of a request learn of its
 * end.
 */
const closeSoon = (clock: Clock.Clock, socket: Duplex): void => {
  const cancel = after(clock, CLOSE_WITHIN_MS, () => socket.destroy())
  socket.once("close", cancel)
}

/** Connections whose malformed bytes were reported before. Node reports the bytes after them too. */
const malformed = new WeakSet<Duplex>()

/**
 * Malformed bytes may follow complete requests, which are answered first. They may also be part of the body of the
 * request under way. If the answer to that request has begun, the connection is closed without a refusal, because the
 * client would read the refusal as a part of the answer.
 */
export const answerClientError = (outside: Outside, error: ParserError, socket: Connection): void => {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy()
  if (malformed.has(socket)) return
  malformed.add(socket)
  socket.pause()
  refuseLast(outside, error, socket)
}

const refuseLast = (outside: Outside, error: ParserError, socket: Connection): void => {
  const underWay = socket._httpMessage ?? null
  if (underWay?.req.complete === true) {
    // When an answer has been sent, Node writes that of the next request.
    underWay.once("close", () => {
      if (socket.writable) refuseLast(outside, error, socket)
    })
    return
  }
  if (underWay?.writableEnded === true) socket.end()
  else if (underWay?.headersSent === true) return void socket.destroy()
  else refuseOn(outside, socket, clientErrorOf(error))
  socket.resume()
  closeSoon(outside.clock, socket)
}
