/** Refuses a request that could mean one thing to this server and another to a proxy before it. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { type Outside, refusalOutside } from "./raw-answer.ts"

const hostsOf = ({ rawHeaders }: IncomingMessage): number => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++
  }
  return hosts
}

/** Returns the fault of a request that RFC 9112 has refused (3.2 and 6.1); `null` where there is none. */
const misframed = (request: IncomingMessage): Refusal | null => {
  const hosts = hostsOf(request)
  if (hosts > 1) return refusal("bad_request", "The request has more than one Host header. Send one.")
  if (hosts === 0 && request.httpVersion === "1.1")
    return refusal("bad_request", "The request has no Host header. Send one.")
  const coding = request.headers["transfer-encoding"]
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked")
    return refusal("bad_request", "The only Transfer-Encoding that is understood is chunked.")
  return null
}

/** Returns false where the request was refused: its connection ends behind the answer. */
export const wellFramed = (outside: Outside, request: IncomingMessage, response: ServerResponse): boolean => {
  const refused = misframed(request)
  if (refused === null) return true
  const { status, headers, body } = refusalOutside(outside, refused)
  request.resume()
  response.writeHead(status, headers).end(body)
  return false
}
