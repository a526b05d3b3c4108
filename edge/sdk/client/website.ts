/**
 * Proves an agent's identity to websites (spec 5.3).
 *
 * Invariants
 *  - A proof is valid for one request: it covers method, host and target as they are sent, a new nonce, and the time.
 *    It does not cover the body.
 *  - It is sent only to hosts that the caller named; `proveTo` names further ones. A redirect to another host is
 *    followed without proof and without the announcing User-Agent. Otherwise a website could collect agents' numbers by
 *    redirects.
 *  - Every request to one of these hosts has its own proof. At most five redirects are followed. Headers of one origin
 *    (Authorization, Cookie) are not sent to another, and redirects from https to http are refused.
 *  - No proof is sent in clear text, except to this machine.
 */
import { identityString, userAgentOf } from "../../../schemas/signing/identity.ts"
import { normaliseHost } from "../../../schemas/signing/request.ts"
import { API_VERSION } from "../../../schemas/version.ts"
import { isLoopback, requireSecure } from "./address.ts"
import { clientError, invalid } from "./errors.ts"
import type { AgentKey } from "./key.ts"
import { freshNonce } from "./transport.ts"

const REDIRECTS_MAX = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Headers that must not be sent to another origin. */
const BOUND_HEADERS = ["authorization", "cookie", "proxy-authorization"]
const BODY_HEADERS = ["content-type", "content-length", "content-encoding", "content-language", "content-location"]
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,32}$/

export interface PublicIdentity {
  /** The agent's number, `HX-…`. */
  readonly number: string
  readonly idUrl: string
}

export interface ProofHeaders {
  readonly "Hub-Id": string
  readonly "Hub-Timestamp": string
  readonly "Hub-Nonce": string
  readonly "Hub-Signature": string
  readonly "User-Agent": string
}

export interface ToProve {
  readonly method?: string
  readonly url: string | URL
  /** The request target, if your HTTP library sends another form than the address has. */
  readonly path?: string
}

export interface Prover {
  readonly key: AgentKey
  readonly identity: PublicIdentity
  /** Unix seconds. */
  readonly timestamp: () => string
}

const parse = (url: string | URL): URL => {
  const text = String(url)
  if (!URL.canParse(text)) throw invalid("url", "must be an http or https address")
  return new URL(text)
}

/** The method is signed in upper case. fetch converts only these methods to upper case. */
const NORMALISED: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH"])

const methodOf = (method = "GET"): string => {
  if (!TOKEN.test(method)) throw invalid("method", "must be an HTTP method")
  return NORMALISED.has(method.toUpperCase()) ? method.toUpperCase() : method
}

export const proofHeaders = async (prover: Prover, toProve: ToProve): Promise<ProofHeaders> => {
  const url = parse(toProve.url)
  requireSecure(url, false)
  const host = normaliseHost(url.host)
  if (host === null) throw invalid("url", "must name a host")
  const [timestamp, nonce] = [prover.timestamp(), freshNonce()]
  const path = toProve.path ?? `${url.pathname}${url.search}`
  if (!/^[/*][\x21-\x7e]*$/.test(path)) throw invalid("path", "must be a request target")
  const { number, idUrl } = prover.identity
  return {
    "Hub-Id": number,
    "Hub-Timestamp": timestamp,
    "Hub-Nonce": nonce,
    "Hub-Signature": await prover.key.sign(
      identityString({ method: methodOf(toProve.method), host, path, timestamp, nonce })
    ),
    "User-Agent": userAgentOf(API_VERSION, number, idUrl)
  }
}

export interface ProvenInit extends RequestInit {
  /** Hosts of redirects that get a proof as well, such as `["www.shop.example"]`. */
  readonly proveTo?: ReadonlyArray<string>
}

interface Hop {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: RequestInit["body"]
}

/** The headers of a request with its proof. The announcement is appended to the caller's own User-Agent. */
const proven = async (prover: Prover, { url, method, headers }: Hop): Promise<Headers> => {
  const whole = new Headers(headers)
  for (const [name, value] of Object.entries(await proofHeaders(prover, { method, url }))) {
    const own = name === "User-Agent" ? headers.get(name) : null
    whole.set(name, own === null ? value : `${own} ${value}`)
  }
  return whole
}

const isStream = (body: RequestInit["body"]): boolean =>
  typeof body === "object" && body !== null && (body instanceof ReadableStream || Symbol.asyncIterator in body)

const nextHop = (hop: Hop, status: number, location: string): Hop => {
  if (!URL.canParse(location, hop.url.href))
    throw clientError("unexpected_redirect", "the website redirects to what is no address", { status })
  const url = new URL(location, hop.url.href)
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw clientError("unexpected_redirect", "the website redirects to what is no web address", { status })
  if (url.protocol === "http:" && hop.url.protocol === "https:")
    throw clientError("insecure_address", "the website redirects from https to http", { status })
  const headers = new Headers(hop.headers)
  if (url.origin !== hop.url.origin) for (const name of BOUND_HEADERS) headers.delete(name)
  const becomesGet = (status === 303 && hop.method !== "HEAD") || (status < 303 && hop.method === "POST")
  if (!becomesGet) {
    if (isStream(hop.body))
      throw clientError("unexpected_redirect", "the website redirects a body that can be sent only once", { status })
    return { ...hop, url, headers }
  }
  for (const name of BODY_HEADERS) headers.delete(name)
  return { url, method: "GET", headers, body: undefined }
}

const named = (host: string): string => {
  const line = normaliseHost(host)
  if (line === null) throw invalid("proveTo", "must be host names")
  return line
}

/** `fetch` with a proof in each request to a named host, also after redirects. */
export const provenFetch = async (
  prover: Prover,
  send: typeof fetch,
  input: string | URL,
  init: ProvenInit = {}
): Promise<Response> => {
  const { proveTo = [], redirect = "follow", headers, body, method, ...rest } = init
  let hop: Hop = { url: parse(input), method: methodOf(method), headers: new Headers(headers), body: body ?? undefined }
  requireSecure(hop.url, false)
  const hosts = new Set([normaliseHost(hop.url.host), ...proveTo.map(named)])
  for (let redirects = 0; ; redirects++) {
    const mayProve = hosts.has(normaliseHost(hop.url.host)) && (hop.url.protocol === "https:" || isLoopback(hop.url))
    const sent = mayProve ? await proven(prover, hop) : hop.headers
    const response = await send(hop.url, {
      ...rest,
      method: hop.method,
      headers: sent,
      redirect: "manual",
      ...(hop.body === undefined ? {} : { body: hop.body })
    })
    const location = response.headers.get("location")
    if (
      redirect === "manual" ||
      (response.type !== "opaqueredirect" && (!REDIRECTS.has(response.status) || location === null))
    )
      return response
    await response.body?.cancel()
    if (redirect === "error" || location === null)
      throw clientError("unexpected_redirect", "the website redirects", { status: response.status })
    if (redirects === REDIRECTS_MAX)
      throw clientError("too_many_redirects", `the website redirects more than ${REDIRECTS_MAX} times`)
    hop = nextHop(hop, response.status, location)
  }
}
