/**
 * The private port for metrics. It serves `GET /metrics` for a scraper and `GET /ready` for tools that restart
 * processes one after the other. Node's parts are described by their shapes, so that schemas/ need not import them;
 * edge and actors pass them in.
 *
 * It is for the operators' private network. It requires no signature and shows nothing secret.
 */
import { logNow } from "../log/log.ts"
import { type Framed, misframed } from "../framing.ts"
import { type Connection, LEAVING_MAX, Places } from "../places.ts"
import type { Meter } from "./meter.ts"

interface SocketShape extends Connection {
  readonly remoteAddress?: string | undefined
}

interface RequestShape extends Framed {
  readonly socket: SocketShape
  readonly method?: string | undefined
  readonly url?: string | undefined
}

interface ResponseShape {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body?: string): unknown
  once(event: "close", listener: () => void): unknown
}

interface ServerShape {
  maxConnections: number
  timeout: number
  listen(options: { port: number; host?: string; backlog: number }, ready: () => void): unknown
  on(event: "connection", listener: (socket: SocketShape) => void): unknown
  once(event: "error", listener: (error: Error & { readonly code?: string }) => void): unknown
  close(done: () => void): unknown
  closeAllConnections(): void
}

interface ServerOptions {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
  readonly maxHeaderSize: number
}

export type CreateServer = (
  options: ServerOptions,
  handler: (request: RequestShape, response: ResponseShape) => void
) => ServerShape

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
const ALLOW = "GET, HEAD"
const HEADERS_WITHIN_MS = 5_000
const IDLE_MS = 60_000
const HEADER_MAX_BYTES = 8_192
const CONNECTIONS_MAX = 32
const CLIENT_CONNECTIONS_MAX = 16

/** The port cannot be opened. The message is one line that names the setting. */
export class MetricsPortProblem extends Error {}

export interface ListenAt {
  /** The port; 0 for none. */
  readonly port: number
  /** The address to listen on; `null` for every interface. */
  readonly host: string | null
  /** True from the end of the start until the process is asked to end. */
  readonly ready: () => boolean
}

/** Resolves, once the port is open, to a function that closes it. Rejects with MetricsPortProblem. */
export const listenForScrapes = async (
  createServer: CreateServer,
  meter: Meter,
  { port, host, ready }: ListenAt
): Promise<() => Promise<void>> => {
  if (port === 0) return () => Promise.resolve()
  const places = new Places<SocketShape>(CONNECTIONS_MAX, CLIENT_CONNECTIONS_MAX, meter.clock)
  const server = createServer(
    {
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: HEADERS_WITHIN_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: HEADERS_WITHIN_MS,
      maxHeaderSize: HEADER_MAX_BYTES
    },
    (request, response) => {
      response.once("close", places.asks(request.socket))
      if (!request.socket.destroyed) void answer(meter, ready, request, response)
    }
  )
  server.maxConnections = CONNECTIONS_MAX + LEAVING_MAX
  server.on("connection", (socket) => places.meet(socket, socket.remoteAddress ?? ""))
  server.timeout = IDLE_MS
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new MetricsPortProblem(problemOf(error, port))))
    server.listen({ port, backlog: CONNECTIONS_MAX, ...(host === null ? {} : { host }) }, resolve)
  })
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
}

const problemOf = ({ code, message }: Error & { readonly code?: string }, port: number): string => {
  if (code === "EADDRINUSE")
    return `HUB_METRICS_PORT: port ${port} is already in use; give this process another one, or 0 for none`
  if (code === "EACCES") return `HUB_METRICS_PORT: port ${port} may not be opened by this user; take one above 1023`
  return `HUB_METRICS_PORT: port ${port} cannot be opened (${code ?? message})`
}

const answer = async (
  meter: Meter,
  ready: () => boolean,
  request: RequestShape,
  response: ResponseShape
): Promise<void> => {
  const { method, url = "/" } = request
  const fault = misframed(request)
  if (fault !== null) return plain(response, 400, `${fault}\n`, { connection: "close" })
  const path = url.split("?")[0]
  if (path !== "/metrics" && path !== "/ready") return plain(response, 404, "Only /metrics and /ready are here.\n")
  if (method !== "GET" && method !== "HEAD")
    return plain(response, 405, "Only GET and HEAD are possible here.\n", { allow: ALLOW })
  if (path === "/ready")
    return ready()
      ? plain(response, 200, "ready\n", {}, method === "HEAD")
      : plain(response, 503, "not ready\n", {}, method === "HEAD")
  try {
    const body = await meter.scrape()
    plain(response, 200, body, {}, method === "HEAD")
  } catch (error) {
    logNow("error", "metrics", { error })
    plain(response, 500, "The metrics cannot be told.\n")
  }
}

const utf8 = new TextEncoder()

const plain = (
  response: ResponseShape,
  status: number,
  body: string,
  more: Readonly<Record<string, string>> = {},
  headOnly = false
): void => {
  response.writeHead(status, {
    "content-type": CONTENT_TYPE,
    "content-length": String(utf8.encode(body).length),
    "cache-control": "no-store",
    ...more
  })
  response.end(headOnly ? undefined : body)
}
