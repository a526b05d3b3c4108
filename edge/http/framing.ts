/** Refuses a request whose framing (its length or end) is ambiguous. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { refusal } from "../../schemas/errors.ts"
import { misframed } from "../../schemas/runtime/framing.ts"
import { type Outside, refusalOutside } from "./raw-answer.ts"

/** Returns false if the request was refused. */
export const wellFramed = (outside: Outside, request: IncomingMessage, response: ServerResponse): boolean => {
  const fault = misframed(request)
  if (fault === null) return true
  const { status, headers, body } = refusalOutside(outside, refusal("bad_request", fault))
  request.resume()
  response.writeHead(status, headers).end(body)
  return false
}
