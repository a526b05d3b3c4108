/** The HTTP server of the console. Its limits are low, because only a few operators use it. */
import { randomBytes, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Cause, Effect, type Scope } from "effect"
import { Clients } from "../../edge/http/address.ts"
import { hasBody, readBody } from "../../edge/http/body.ts"
import { Call } from "../../edge/http/call.ts"
import { docUrlsOf } from "../../edge/http/doc-urls.ts"
import { refuse, Refused } from "../../edge/http/refused.ts"
import type { Response } from "../../edge/http/respond.ts"
import { send } from "../../edge/http/send.ts"
import { Shares } from "../../edge/http/shares.ts"
import { onWhole } from "../../edge/http/whole.ts"
import { refusal } from "../../schemas/errors.ts"
import { misframed } from "../../schemas/runtime/framing.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { LEAVING_MAX, Places } from "../../schemas/runtime/places.ts"
import { Desk } from "./desk.ts"
import { answerLinks, Links } from "./links.ts"
import { Live } from "./live.ts"
import type { ConsolePage } from "./page.ts"
import type { ConsoleParts } from "./parts.ts"

const DEADLINE_MS = 10_000
const HEADERS_MS = 10_000
const HEADER_MAX_BYTES = 16_384
const BODY_MAX_BYTES = 16_384
const BODY_MS = 10_000
const BODIES_MAX_BYTES = 1_048_576
const CONNECTIONS_MAX = 128
const CLIENT_CONNECTIONS_MAX = 64
const CHECK_MS = 2000
const ADDRESS_KEY_BYTES = 32

/** Listens for as long as the scope is open. */
export const serveConsole = (
  parts: ConsoleParts,
  pages: ReadonlyArray<ConsolePage>
): Effect.Effect<Server, ConfigurationFault, Scope.Scope> =>
  Effect.gen(function* () {
    const { clock, config, service } = parts
    const [links, live] = [new Links(clock), new Live(clock)]
    const desk = new Desk(parts, pages, links, live)
    if (config.console.links)
      yield* Effect.acquireRelease(
        Effect.promise(() => answerLinks(service.nats, links, config.console.url)),
        (end) => Effect.sync(end)
      )
    // Clients are counted separately from those of edges, with a key of this process.
    const clients = new Clients(randomBytes(ADDRESS_KEY_BYTES), config.trustProxy, [])
    const installation = { basePath: "", docUrls: docUrlsOf(config.baseUrl) }
    const bodies = new Shares(BODIES_MAX_BYTES, BODIES_MAX_BYTES)
    const run = Effect.runForkWith(yield* Effect.context<never>())

    const bodyOf = (
      call: Call,
      response: ServerResponse,
      hold: (bytes: number) => void
    ): Effect.Effect<void, Refused> =>
      hasBody(call.request)
        ? Effect.map(
            readBody(call, response, { maxBytes: BODY_MAX_BYTES, timeoutMs: BODY_MS, budget: bodies }, hold),
            ({ bytes, sha256 }) => {
              call.body = bytes
              call.bodySha256 = sha256
            }
          )
        : Effect.void

    const failed = (call: Call, cause: Cause.Cause<unknown>): Response => {
      const error = Cause.squash(cause)
      if (error instanceof Refused) return desk.refused(call, error.refusal)
      logNow("error", "console", { request: call.id, error })
      return desk.said(500, "Something went wrong", `The log of this process tells it, under ${call.id}.`)
    }

    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      const now = wallMs(clock)
      const network = clients.of(request)
      const call = new Call(clock, randomUUID(), request, network, installation, now, now + DEADLINE_MS)
      let held = 0
      const hold = (bytes: number): void => void (held = bytes)
      const fault = misframed(request)
      if (fault !== null) call.headers["connection"] = "close"
      const answered = Effect.andThen(
        fault === null ? bodyOf(call, response, hold) : Effect.fail(refuse(refusal("bad_request", fault))),
        Effect.suspend(() => desk.answer(call, response))
      )
      const fiber = run(
        Effect.map(
          Effect.catchCause(answered, (cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.succeed(null) : Effect.succeed(failed(call, cause))
          ),
          (answer) => {
            bodies.give(network, held)
            held = 0
            if (answer === null) return
            Object.assign(answer.headers, call.headers)
            if (call.cookies.length > 0) response.setHeader("set-cookie", call.cookies)
            send(request, response, answer)
          }
        )
      )
      response.on("close", () => {
        if (response.writableEnded) return
        fiber.interruptUnsafe()
      })
    }

    const server = createServer({
      maxHeaderSize: HEADER_MAX_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: HEADERS_MS + BODY_MS,
      // Node checks for slow connections at this interval.
      connectionsCheckingInterval: CHECK_MS,
      requireHostHeader: false
    })
    // Behind a proxy all connections come from the proxy.
    const clientMax = clients.direct ? CLIENT_CONNECTIONS_MAX : CONNECTIONS_MAX
    const places = new Places<Socket>(CONNECTIONS_MAX, clientMax, clock)
    server.maxConnections = CONNECTIONS_MAX + LEAVING_MAX
    server.on("connection", (socket: Socket) => places.meet(socket, clients.at(socket.remoteAddress ?? "").client))
    server.on("request", (request, response) => {
      onWhole(request, response, (socket) => places.asks(socket))
      if (!request.socket.destroyed) handle(request, response)
    })
    yield* Effect.acquireRelease(listen(server, config.console), () => stop(server, live))
    return server
  })

const listen = (
  server: Server,
  { host, port }: { readonly host: string; readonly port: number }
): Effect.Effect<void, ConfigurationFault> =>
  Effect.callback<void, ConfigurationFault>((resume) => {
    const refused = (error: NodeJS.ErrnoException): void => {
      const why =
        error.code === "EADDRINUSE" ? "is already in use" : `cannot be opened (${error.code ?? error.message})`
      resume(Effect.fail(new ConfigurationFault({ message: `HUB_CONSOLE_PORT: port ${port} ${why}` })))
    }
    server.once("error", refused)
    server.listen({ port, host }, () => {
      server.off("error", refused)
      resume(Effect.void)
    })
  })

const stop = (server: Server, live: Live): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    live.close()
    server.closeAllConnections()
  })
