/** The edge's connection to NATS, which reports when it is down. */
import { type NatsConnection, NatsConnectionImpl, setTransportFactory } from "@nats-io/transport-node"
import { NodeTransport } from "@nats-io/transport-node/lib/node_transport.js"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { corked, STEADFAST } from "../../schemas/runtime/bus/connect.ts"
import { addressesOf } from "../../schemas/runtime/names.ts"

const RECONNECT_WAIT_MS = 250

export const connectBus = async (url: string, name: string): Promise<NatsConnection> => {
  const servers = busServers(url, "edge")
  if (servers === null) throw new TypeError("HUB_NATS_URL is no address of the bus")
  setTransportFactory({
    factory: () => corked(new NodeTransport()),
    dnsResolveFn: async (name) => [...(await addressesOf(name))]
  })
  return NatsConnectionImpl.connect({ ...servers, ...STEADFAST, name, reconnectTimeWait: RECONNECT_WAIT_MS })
}

export interface Link {
  readonly up: boolean
  readonly reconnects: number
}

/**
 * Follows the connection's state until the connection closes. Calls `renewed` after each reconnection, and logs errors
 * that the server reports.
 */
export const followLink = (nats: NatsConnection, renewed: () => void): Link => {
  const link = { up: true, reconnects: 0 }
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === "disconnect" || status.type === "staleConnection") link.up = false
      else if (status.type === "error") logNow("warn", "bus", { error: status.error })
      else if (status.type === "reconnect") {
        link.up = true
        link.reconnects++
        renewed()
      }
    }
    link.up = false
  })()
  return link
}
