/**
 * The connection of a node to NATS: it never gives up.
 *
 * The client library writes to its socket at the end of every microtask in which something was published. Under load
 * that is a system call for each message, on both sides, and a third of what a command costs. Here what one turn of the
 * event loop brings is written together, at the end of that turn: nothing waits for a clock.
 */
import type { Socket } from "node:net"
import { type NatsConnection, NatsConnectionImpl, setTransportFactory } from "@nats-io/transport-node"
import { NodeTransport, nodeResolveHost } from "@nats-io/transport-node/lib/node_transport.js"
import type { busServers } from "../../bus/servers.ts"

/** A server whose machine is gone says nothing: after so much silence the line is given up, and another one tried. */
const PING_INTERVAL_MS = 2000
const PINGS_UNANSWERED_MAX = 2
const CONNECT_TIMEOUT_MS = 2000

/** The library's own, but for when it writes. */
class CorkedTransport extends NodeTransport {
  private corked: Socket | null = null

  override send(frame: Uint8Array): void {
    if (this.corked === null && !this.isClosed && this.socket !== undefined) {
      this.corked = this.socket
      this.corked.cork()
      setImmediate(() => this.uncork())
    }
    super.send(frame)
  }

  /** What this turn has brought goes before the line does. */
  override close(error?: Error): Promise<void> {
    this.uncork()
    return super.close(error)
  }

  private uncork(): void {
    this.corked?.uncork()
    this.corked = null
  }
}

export interface ConnectOptions {
  readonly servers: NonNullable<ReturnType<typeof busServers>>
  /** Shown by the server. */
  readonly name: string
  readonly reconnectMs: number
}

/** Rejects never: it waits for the first server as for all later ones. */
export const connectNode = ({ servers, name, reconnectMs }: ConnectOptions): Promise<NatsConnection> => {
  setTransportFactory({ factory: () => new CorkedTransport(), dnsResolveFn: nodeResolveHost })
  return NatsConnectionImpl.connect({
    ...servers,
    name,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectMs,
    waitOnFirstConnect: true,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    timeout: CONNECT_TIMEOUT_MS,
    // Without their stacks: one is made for every request otherwise.
    noAsyncTraces: true
  })
}
