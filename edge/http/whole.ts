/**
 * Finds the moment when a request has arrived with its whole body. Until then its connection counts as one without a
 * request.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { hasBody } from "./body.ts"

/** `asks` is called at that moment. The function that it returns is called when the response closes. */
export const onWhole = (
  request: IncomingMessage,
  response: ServerResponse,
  asks: (socket: Socket) => () => void
): void => {
  const act = (): void => {
    if (response.closed) return
    response.once("close", asks(request.socket))
  }
  if (hasBody(request)) request.once("end", act)
  else act()
}
