/** Real servers and one connection for the tests of the engine's parts. */
import type { JetStreamManager } from "@nats-io/jetstream"
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { ensureStreams } from "../../../actors/log/streams.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { type Servers, startServers } from "../../harness/index.ts"

export interface EngineBus {
  readonly servers: Servers
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  /** One more connection, closed with the rest. */
  readonly connection: () => Promise<NatsConnection>
  readonly stop: () => Promise<void>
}

export const startBus = async (): Promise<EngineBus> => {
  const servers = await startServers()
  const all: Array<NatsConnection> = []
  const connection = async () => {
    const nats = await connect({ servers: servers.nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 })
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
