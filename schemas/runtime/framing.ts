/**
 * Detects requests that our server and a proxy in front of it could read differently (RFC 9112, 3.2 and 6.1). Node's
 * parser refuses two lengths, and a length together with a coding. Node's types are described by their shape.
 */

/** The part of a request that shows its framing. */
export interface Framed {
  /** Names and values alternate. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly httpVersion: string
}

/** A name or an address, and a port (RFC 3986, 3.2). An empty one, a user, a path or a list does not match. */
const HOST = /^(?:[\w.~%!$&'()*+;=-]+|\[[\w.~%!$&'()*+;=:-]+\])(?::\d{0,5})?$/

const hostsOf = ({ rawHeaders }: Framed): ReadonlyArray<string> => {
  const hosts: Array<string> = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts.push(rawHeaders[at + 1] ?? "")
  }
  return hosts
}

/** Returns the fault of the request as a sentence; `null` if there is none. Its connection must end then. */
export const misframed = (request: Framed): string | null => {
  const hosts = hostsOf(request)
  const [host] = hosts
  if (hosts.length > 1) return "The request has more than one Host header. Send one."
  if (host === undefined && request.httpVersion === "1.1") return "The request has no Host header. Send one."
  if (host !== undefined && !HOST.test(host)) return "The Host header is no host name with an optional port."
  const coding = request.headers["transfer-encoding"]
  if (coding !== undefined && request.httpVersion === "1.0") return "HTTP/1.0 has no Transfer-Encoding."
  if (coding !== undefined && String(coding).trim().toLowerCase() !== "chunked")
    return "The only Transfer-Encoding that is understood is chunked."
  return null
}
