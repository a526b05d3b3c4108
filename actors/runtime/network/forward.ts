/**
 * Connects compartments to a service that listens only on the host's loopback. One address and port, which the firewall
 * opens only to compartments, is forwarded to `127.0.0.1` at the same port.
 *
 * The service sees each compartment at a separate loopback address (10.213.x.y as 127.213.x.y), so that it counts them
 * separately. The number of connections is limited, in all and for each compartment. An idle connection is ended.
 */
import { connect, createServer, type Server, type Socket } from "node:net"
import { pipeline } from "node:stream/promises"
import { NetworkFault } from "./programs.ts"

const CONNECTIONS_MAX = 512
const CONNECTIONS_EACH_MAX = 64
const BACKLOG_MAX = 128
/** Longer than the service waits with an answer, or pauses between two events. */
const IDLE_MS = 10 * 60_000
const LOOPBACK = "127.0.0.1"

export interface ForwardSettings {
  readonly address: string
  readonly port: number
  /** Addresses from which connections are accepted. */
  readonly allowed: ReadonlySet<string>
}

const loopbackOf = (address: string): string => `127.${address.split(".").slice(1).join(".")}`

export class Forward {
  readonly #settings: ForwardSettings
  readonly #open = new Set<Socket>()
  readonly #counts = new Map<string, number>()
  #server: Server | undefined

  constructor(settings: ForwardSettings) {
    this.#settings = settings
  }

  get listening(): boolean {
    return this.#server?.listening ?? false
  }

  async listen(): Promise<void> {
    if (this.listening) return
    const { address, port } = this.#settings
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket))
    server.maxConnections = CONNECTIONS_MAX
    await new Promise<void>((resolve, reject) => {
      server.once("error", ({ message }) => reject(new NetworkFault(`the forward to the service: ${message}`)))
      server.listen({ host: address, port, backlog: BACKLOG_MAX }, resolve)
    })
    // One connection could not be accepted. This does not affect the next one.
    server.on("error", () => {})
    this.#server = server
  }

  #accept(inside: Socket): void {
    const from = inside.remoteAddress ?? ""
    const count = this.#counts.get(from) ?? 0
    if (!this.#settings.allowed.has(from) || count >= CONNECTIONS_EACH_MAX) {
      inside.destroy()
      return
    }
    this.#counts.set(from, count + 1)
    inside.once("close", () => {
      const left = (this.#counts.get(from) ?? 1) - 1
      if (left > 0) this.#counts.set(from, left)
      else this.#counts.delete(from)
    })
    const { port } = this.#settings
    const service = connect({
      host: LOOPBACK,
      port,
      localAddress: loopbackOf(from),
      allowHalfOpen: true,
      noDelay: true
    })
    this.#join(inside, service)
  }

  #join(inside: Socket, service: Socket): void {
    for (const socket of [inside, service]) {
      this.#open.add(socket)
      socket.once("close", () => this.#open.delete(socket))
      socket.setTimeout(IDLE_MS, () => socket.destroy())
    }
    const end = (): void => {
      inside.destroy()
      service.destroy()
    }
    void Promise.all([pipeline(inside, service), pipeline(service, inside)]).then(end, end)
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of this.#open) socket.destroy()
    await closed
  }
}
