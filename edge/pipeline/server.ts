/**
 * The HTTP server below the pipeline: the bounds of Node's parser and sockets, and answers to bytes that never become a
 * request.
 *
 * Stopping: first the edge serves until balancers no longer use it (edge/http/leaving.ts). Then it accepts no new
 * connections and closes idle ones. Requests under way may continue until their deadline, and are interrupted then.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { type Clock, Effect, type Scope } from "effect"
import type { Limits } from "../../schemas/limits.ts"
import { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"
import { expectingContinue } from "../http/body.ts"
import { Doorkeeper, type DoorParts, LINGERING_MAX } from "../http/doorkeeper.ts"
import { wellFramed } from "../http/framing.ts"
import type { Leaving } from "../http/leaving.ts"
import type { Pipeline } from "./pipeline.ts"
import { answerClientError } from "../http/raw-answer.ts"
import { after, every } from "../../schemas/runtime/clock.ts"

/** Time after the deadline of a request in which its answer is sent. */
const SENDING_MS = 1_000
const CLOCK_CHECK_MS = 1_000
/** Requests that one connection may send before it is closed. */
const REQUESTS_PER_SOCKET_MAX = 100_000
const BACKLOG = 1_024
const IDLE_CHECK_MS = 20

export interface ListenOptions extends DoorParts {
  readonly port: number
  readonly bind: string | null
  readonly limits: Limits
  readonly leaving: Leaving
}

/** Listens for as long as the scope is open. */
export const serve = (
  pipeline: Pipeline,
  options: ListenOptions
): Effect.Effect<Server, ConfigurationFault, Scope.Scope> =>
  Effect.gen(function* () {
    const door = new Doorkeeper(options)
    const handler = (request: IncomingMessage, response: ServerResponse): void => {
      if (!door.admits(request, response) || !wellFramed(options, request, response)) return
      // The edge is stopping, so the next request on this connection would not be served.
      if (options.leaving.now) response.shouldKeepAlive = false
      pipeline.handle(request, response)
    }
    const server = makeServer(options.limits.service)
    server.on("connection", (socket: Socket) => {
      options.leaving.met()
      door.meet(socket)
    })
    server.on("request", handler)
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      expectingContinue.add(request)
      handler(request, response)
    })
    // An unknown expectation is ignored, and the request is answered without it.
    server.on("checkExpectation", handler)
    server.on("clientError", (error, socket) => answerClientError(options, error, socket))
    yield* Effect.acquireRelease(listen(server, options), () =>
      Effect.promise(() => stop(options.clock, server, options.limits))
    )
    return server
  })

const makeServer = (service: Limits["service"]): Server => {
  const server = createServer({
    maxHeaderSize: service.max_header_bytes,
    headersTimeout: service.headers_timeout_ms,
    // Bodies have a separate timeout (edge/http/body.ts). This timeout is longer than the time for headers and body
    // together.
    requestTimeout:
      service.headers_timeout_ms + Math.max(service.body_timeout_ms, service.upload_timeout_ms) + CLOCK_CHECK_MS,
    keepAliveTimeout: service.keep_alive_timeout_ms,
    connectionsCheckingInterval: Math.min(CLOCK_CHECK_MS, service.headers_timeout_ms),
    // edge/http/framing.ts checks this, and answers in the service's own form.
    requireHostHeader: false,
    noDelay: true
  })
  // One more than allowed, so that too many headers are noticed and not dropped silently.
  server.maxHeadersCount = service.max_headers + 1
  // Clients share the connections (edge/http/doorkeeper.ts). Refused ones use additional places for a moment.
  server.maxConnections = service.max_connections_per_edge + LINGERING_MAX
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET_MAX
  // Ends a connection on which no byte is read or written for this long.
  server.timeout = service.request_deadline_ms + service.keep_alive_timeout_ms
  return server
}

const listen = (server: Server, { port, bind }: ListenOptions): Effect.Effect<void, ConfigurationFault> =>
  Effect.callback<void, ConfigurationFault>((resume) => {
    const failed = (error: NodeJS.ErrnoException): void =>
      resume(Effect.fail(new ConfigurationFault({ message: listenProblem(error, port) })))
    server.once("error", failed)
    server.listen({ port, backlog: BACKLOG, ...(bind === null ? {} : { host: bind }) }, () => {
      server.off("error", failed)
      resume(Effect.void)
    })
  })

const listenProblem = (error: NodeJS.ErrnoException, port: number): string => {
  if (error.code === "EADDRINUSE") return `HUB_PORT: port ${port} is already in use`
  if (error.code === "EACCES") return `HUB_PORT: port ${port} may not be opened by this user`
  return `HUB_PORT: port ${port} cannot be opened (${error.code ?? error.message})`
}

const stop = (clock: Clock.Clock, server: Server, { service }: Limits): Promise<void> =>
  new Promise((resolve) => {
    // A kept-alive connection is idle again only when its answer has been sent.
    const endIdle = every(clock, IDLE_CHECK_MS, () => server.closeIdleConnections())
    const endCut = after(clock, service.request_deadline_ms + SENDING_MS, () => server.closeAllConnections())
    server.close(() => {
      endIdle()
      endCut()
      resolve()
    })
    server.closeIdleConnections()
  })
