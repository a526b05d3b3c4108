/** A receiver of webhooks on this machine. It stores deliveries, and answers as the test says. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo, Socket } from "node:net"

export interface Delivered {
  /** Unix ms. */
  readonly at: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly id: string
}

/** Answers one request, or leaves it without an answer. */
export type Behaviour = (response: ServerResponse, delivered: Delivered, request: IncomingMessage) => void

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, headers)
    response.end("ok")
  }

export const healthy = answering(204)
/** Sends no answer. */
export const dead: Behaviour = () => undefined
export const reset: Behaviour = (_response, _delivered, request) => void request.socket.resetAndDestroy()
/** Sends the head of an answer, and nothing after it. */
export const hanging =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status, { "content-type": "text/plain" })
    response.write("a little")
  }
/** Sends a body without an end, as fast as the client reads it. */
export const endless: Behaviour = (response) => {
  response.writeHead(200)
  const chunk = Buffer.alloc(16_384, "x")
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on("drain", pour)
  response.on("error", () => undefined)
  pour()
}
/** Delays an answer, like a distant or busy machine. */
export const after =
  (ms: number, then: Behaviour): Behaviour =>
  (response, delivered, request) =>
    void setTimeout(() => then(response, delivered, request), ms)
/** Uses one behavior after the other, and then the last one for all further requests. */
export const inTurn = (...behaviours: ReadonlyArray<Behaviour>): Behaviour => {
  let turn = 0
  return (response, delivered, request) =>
    behaviours[Math.min(turn++, behaviours.length - 1)]?.(response, delivered, request)
}
export const closing = (status: number): Behaviour => answering(status, { connection: "close" })

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: Array<Delivered>
  /** Bytes that were sent over all connections. */
  readonly sentBytes: () => number
  readonly connections: () => number
  behave: (behaviour: Behaviour) => void
  /** Closes every connection at once, like a server that restarts. */
  readonly cut: () => void
  readonly stop: () => Promise<void>
}

export interface ReceiverOptions {
  readonly behaviour?: Behaviour
  readonly tls?: { readonly key: string; readonly cert: string }
  readonly port?: number
  /** The time after which idle connections are closed. */
  readonly keepAliveMs?: number
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  let behaviour = options.behaviour ?? healthy
  const received: Array<Delivered> = []
  const sockets = new Set<Socket>()
  let connections = 0
  let sent = 0
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => undefined)
    request.on("end", () => {
      const delivered = {
        at: Date.now(),
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
        id: String(request.headers["webhook-id"])
      }
      received.push(delivered)
      behaviour(response, delivered, request)
    })
  }
  const server = options.tls === undefined ? createServer(take) : createSecureServer(options.tls, take)
  server.keepAliveTimeout = options.keepAliveMs ?? 60_000
  server.on("connection", (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      sent += socket.bytesWritten
      sockets.delete(socket)
    })
  })
  server.on("tlsClientError", () => undefined)
  server.listen(options.port ?? 0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    received,
    sentBytes: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, sent),
    connections: () => connections,
    behave: (next) => {
      behaviour = next
    },
    cut,
    stop: async () => {
      cut()
      server.close()
      await once(server, "close")
    }
  }
}
