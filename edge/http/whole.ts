/** The moment at which a request is there with its body: until then, its connection has asked for nothing. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { hasBody } from "./body.ts"

/** `asks`: hears of the connection then; what it returns is called once the answer is out or given up. */
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
