/** Real servers and one connection for the tests of the engine's parts. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { ensureStreams } from "../../../actors/log/streams.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { connectTo, type OpenServers, openServers, type Servers, startServers } from "../../harness/index.ts"

export interface EngineBus {
  readonly servers: OpenServers
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  /** One more connection, closed with the rest. */
  readonly connection: () => Promise<NatsConnection>
  readonly stop: () => Promise<void>
}

export interface OwnBus extends EngineBus {
  readonly servers: Servers
}

/** On the worker's servers. */
export const startBus = (): Promise<EngineBus> => openServers().then(busOn)

/** On servers of its own, for a test that kills them. */
export const startOwnBus = async (): Promise<OwnBus> => {
  const servers = await startServers()
  return { ...(await busOn(servers)), servers }
}

const busOn = async (servers: OpenServers): Promise<EngineBus> => {
  const all: Array<NatsConnection> = []
  const connection = async () => {
    const nats = await connectTo(servers.nats.url, { maxReconnectAttempts: -1, reconnectTimeWait: 50 })
    all.push(nats)
    return nats
  }
  const nats = await connection()
  return {
    servers,
    nats,
    manager: await ensureStreams(nats, LIMITS, 1),
    connection,
    stop: async () => {
      await Promise.all(all.map((one) => one.close()))
      await servers.stop()
    }
  }
}
