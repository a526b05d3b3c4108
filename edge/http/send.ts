/**
 * An answer on its way to the socket.
 *
 * Invariants
 *  - Headers and a text are sent in one write.
 *  - A client that is refused before its body was read to the end gets the answer before the connection closes. This
 *    side of the connection ends first, and further bytes are read and dropped for a while. Closing at once would reset
 *    the connection, and the client might never see why.
 *  - A stream that breaks closes the connection, so that a part is never taken for the whole. A client that disconnects
 *    ends the stream.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream"
import type { Response } from "./respond.ts"

/** The most bytes of an unwanted body that are read and dropped. */
const DROPPED_MAX_BYTES = 1_048_576
/** Milliseconds that a client has to close its side. */
const CLOSE_WITHIN_MS = 2_000

/** Frees the resources of an unsent answer. A stream that is not read would never end by itself. */
export const discard = ({ body }: Response): void => {
  if (isStream(body)) body.destroy()
}

export const send = (request: IncomingMessage, response: ServerResponse, answer: Response): void => {
  const { body, headers, status } = answer
  if (response.destroyed || response.writableEnded) return discard(answer)
  if (!request.complete) response.prependOnceListener("finish", () => leave(request, response))
  response.writeHead(status, headers)
  if (request.method === "HEAD" || body === null) {
    discard(answer)
    response.end()
  } else if (isStream(body)) {
    pipeline(body, response, (error) => {
      if (error) response.destroy()
    })
  } else response.end(body)
}

const isStream = (body: Response["body"]): body is Readable =>
  typeof body === "object" && body !== null && !(body instanceof Uint8Array)

/**
 * Takes the place of Node's own handling, which closes the socket at once, or reads the rest of the body without a
 * limit.
 */
const leave = (request: IncomingMessage, response: ServerResponse & { _last?: boolean }): void => {
  if (request.complete || request.destroyed) return
  const { socket } = request
  const part = (): void => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), CLOSE_WITHIN_MS)
    socket.once("close", () => clearTimeout(timer))
  }
  if (response._last === true) {
    response._last = false
    part()
  }
  let dropped = 0
  request.on("data", (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped <= DROPPED_MAX_BYTES) return
    request.pause()
    part()
  })
  request.resume()
}
