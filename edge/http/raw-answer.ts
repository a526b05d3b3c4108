/** Answers on a connection where no request has come about, or none will be read. */
import { randomUUID } from "node:crypto"
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { commonHeaders, errorBody, retryAfterOf, statusOf } from "./respond.ts"

interface ParserError extends Error {
  readonly code?: string
}

const clientErrorOf = (error: ParserError): Refusal => {
  if (error.code === "HPE_HEADER_OVERFLOW")
    return refusal("header_fields_too_large", "The request's headers are too large.")
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    return refusal("request_timeout", "The request did not arrive in time.")
  return refusal("bad_request", "What arrived is no HTTP request.")
}

/** A refusal outside the pipeline, after which the connection closes. */
export const refusalOutside = (
  refused: Refusal
): { readonly status: number; readonly headers: Record<string, string>; readonly body: string } => {
  const retryAfter = retryAfterOf(refused)
  const body = errorBody(refused)
  return {
    status: statusOf(refused),
    headers: {
      ...commonHeaders(randomUUID()),
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
      "content-type": "application/json; charset=utf-8",
      "content-length": String(Buffer.byteLength(body)),
      connection: "close"
    },
    body
  }
}

/** Says no on a connection whose request nobody reads. Our side ends with it. */
export const refuseOn = (socket: Duplex, refused: Refusal): void => {
  const { status, headers, body } = refusalOutside(refused)
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n${lines}\r\n${body}`)
}

export const answerClientError = (error: ParserError, socket: Duplex & { readonly _httpMessage?: unknown }): void => {
  // With an answer under way on this connection, a second one would be read as part of it.
  if (
    !socket.writable ||
    error.code === "ECONNRESET" ||
    (socket._httpMessage !== undefined && socket._httpMessage !== null)
  ) {
    socket.destroy()
    return
  }
  refuseOn(socket, clientErrorOf(error))
}
