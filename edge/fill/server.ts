/**
 * The local service: HTTP on 127.0.0.1 for the agent on the same machine. Requests that come through a browser are
 * refused.
 *
 * Invariants
 *  - `X-Hub-Vault`, `Origin` and `Host` are checked before the body is read. A web page cannot send `X-Hub-Vault` here,
 *    and its browser adds `Origin`. A foreign `Host` shows that another name was pointed at this address.
 *  - Users of the machine who are not allowed are refused.
 *  - One fill runs at a time. A few may wait, and further ones are refused.
 *  - An answer is plain JSON and contains no secret. Unexpected errors are reported without their messages.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { misframed } from "../../schemas/runtime/framing.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { Pipelined, PIPELINED_MAX } from "../../schemas/runtime/pipelined.ts"
import { LEAVING_MAX, Places } from "../../schemas/runtime/places.ts"
import { onWhole } from "../http/whole.ts"
import { isFrom } from "./peer.ts"
import { invalid, Refused } from "./refusal.ts"

const HOST = "127.0.0.1"
const BODY_MAX_BYTES = 65_536
const HEADERS_TIMEOUT_MS = 5_000
const REQUEST_TIMEOUT_MS = 10_000
const CONNECTIONS_MAX = 32
const WAITING_MAX = 8

export interface Endpoint {
  readonly method: "GET" | "POST"
  /** `signal` is aborted when the caller disconnects. */
  readonly run: (
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal
  ) => Promise<Readonly<Record<string, unknown>>>
}
export type Endpoints = Readonly<Record<string, Endpoint>>

const headersOf = ({ rawHeaders }: IncomingMessage, name: string): ReadonlyArray<string> =>
  rawHeaders.flatMap((_, at) =>
    at % 2 === 0 && rawHeaders[at]?.toLowerCase() === name ? [rawHeaders[at + 1] ?? ""] : []
  )

const guarded = (request: IncomingMessage, port: number): void => {
  const fault = misframed(request)
  if (fault !== null) throw new Refused("bad_request", fault)
  const [host] = headersOf(request, "host")
  const [mark = "", ...more] = headersOf(request, "x-hub-vault")
  if (mark !== "1" || more.length > 0) throw new Refused("request_refused", "Every request needs X-Hub-Vault: 1.")
  if (headersOf(request, "origin").length > 0) throw new Refused("request_refused", "No request may have an Origin.")
  if (![`${HOST}:${port}`, `localhost:${port}`].includes(host ?? ""))
    throw new Refused("request_refused", `Host must be ${HOST}:${port} or localhost:${port}.`)
}

const isOwn = ({ socket }: IncomingMessage, users: ReadonlyArray<number>): Promise<boolean> =>
  isFrom(users, {
    client: { address: socket.remoteAddress ?? "", port: socket.remotePort ?? 0 },
    service: { address: socket.localAddress ?? "", port: socket.localPort ?? 0 }
  })

const bodyOf = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  const parts: Array<Buffer> = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > BODY_MAX_BYTES) throw new Refused("request_too_large", `A body has at most ${BODY_MAX_BYTES} bytes.`)
    parts.push(part)
  }
  if (bytes === 0) return {}
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)))
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // The error is thrown below.
  }
  throw invalid("body", "The body must be a JSON object.")
}

/**
 * Runs calls one after the other. A caller that disconnects while it waits frees its place, and its call never begins.
 * Otherwise a caller that repeats a call after a timeout would have it done twice.
 */
const oneAtATime = () => {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return <A>(work: () => Promise<A>, signal: AbortSignal): Promise<A> => {
    if (waiting > WAITING_MAX) throw new Refused("fill_busy", "Other fills are under way; ask again.")
    waiting++
    const turn = last.then(() => {
      signal.removeEventListener("abort", gone)
      if (signal.aborted) throw new Refused("request_refused", "The caller has gone.")
      return work().finally(() => waiting--)
    })
    const gone = (): void => void waiting--
    signal.addEventListener("abort", gone, { once: true })
    if (signal.aborted) gone()
    last = turn.catch(() => undefined)
    return turn
  }
}

const errorAnswer = (error: unknown): { readonly status: number; readonly body: object } => {
  if (error instanceof Refused) return error
  // The message of the error may quote a secret, so only its name is printed.
  process.stderr.write(`hub fill: ${error instanceof Error ? error.name : "a fault"} in an answer\n`)
  return { status: 500, body: { status: "refused", code: "internal_error", reason: "The fill service failed." } }
}

const UNREAD: ReadonlySet<unknown> = new Set(["bad_request", "request_refused", "request_too_large"])

const respond = (response: ServerResponse, status: number, body: object): void => {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": bytes.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    // The body of such a request was not read to its end, so the connection is closed.
    ...("code" in body && UNREAD.has(body.code) ? { connection: "close" } : {})
  })
  response.end(bytes)
}

const refuseToPipeline = (response: ServerResponse): void => {
  response.setHeader("connection", "close")
  const { status, body } = new Refused("fill_busy", `A connection may have ${PIPELINED_MAX} requests under way.`)
  respond(response, status, body)
}

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

export interface LocalServer {
  readonly url: string
  /** Waits for fills under way before it stops. */
  readonly stop: () => Promise<void>
}

export const serve = (
  { port, users }: { readonly port: number; readonly users: ReadonlyArray<number> },
  endpoints: Endpoints
): Promise<LocalServer> => {
  const queued = oneAtATime()
  const answer = async (request: IncomingMessage, signal: AbortSignal): Promise<object> => {
    guarded(request, portOf(server))
    if (!(await isOwn(request, users)))
      throw new Refused("request_refused", "Requests are answered to the user alone whom the service runs for.")
    const path = (request.url ?? "").split("?", 1)[0] ?? ""
    const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined
    if (endpoint === undefined) throw new Refused("not_found", "There is no such endpoint.")
    if (request.method !== endpoint.method)
      throw new Refused("method_not_allowed", `This endpoint takes ${endpoint.method}.`)
    const body = await bodyOf(request)
    return endpoint.method === "GET" ? endpoint.run(body, signal) : queued(() => endpoint.run(body, signal), signal)
  }
  const pipelined = new Pipelined(machineClock)
  const places = new Places<Socket>(CONNECTIONS_MAX, CONNECTIONS_MAX, machineClock)
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false
    },
    (request, response) => {
      if (!pipelined.admits(request.socket, response, request)) return refuseToPipeline(response)
      onWhole(request, response, (socket) => places.asks(socket))
      const gone = new AbortController()
      response.once("close", () => gone.abort())
      answer(request, gone.signal).then(
        (body) => respond(response, 200, body),
        (error: unknown) => {
          const { status, body } = errorAnswer(error)
          respond(response, status, body)
        }
      )
    }
  )
  server.maxConnections = CONNECTIONS_MAX + LEAVING_MAX
  server.on("connection", (socket) => {
    pipelined.meet(socket)
    places.meet(socket, HOST)
  })
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, HOST, () =>
      resolve({
        url: `http://${HOST}:${portOf(server)}`,
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped())
            server.closeIdleConnections()
          })
      })
    )
  })
}
