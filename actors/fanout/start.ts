/** The role `webhooks` of an actor process: a worker on the shared consumer. */
import { randomBytes } from "node:crypto"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Asker } from "../../schemas/bus/asker.ts"
import { LeaseView } from "../../schemas/bus/lease-view.ts"
import { transportOver } from "../../schemas/bus/transport.ts"
import type { HubConfig } from "../../schemas/config.ts"
import type { Tracing } from "../../schemas/trace/tracing.ts"
import { KvLeases } from "../engine/leases.ts"
import { Poster } from "./post.ts"
import { deliverySource } from "./source.ts"
import { Worker } from "./worker.ts"

interface Parts {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly config: HubConfig
  readonly tracing: Tracing
  /** Of the node in the same process, where there is one. */
  readonly asker: Asker | null
}

const ownAsker = async ({ nats, manager, config }: Parts): Promise<Asker> => {
  const view = new LeaseView()
  await new KvLeases(nats, view).watch(manager)
  const { max_asks_in_flight, max_frame_bytes } = config.limits.service
  const complain = (error: unknown): void => console.error(JSON.stringify({ level: "error", at: "transport", error: String(error) }))
  return new Asker(transportOver(nats, complain), view, `webhooks-${randomBytes(8).toString("hex")}`, { maxInFlight: max_asks_in_flight, maxFrameBytes: max_frame_bytes })
}

export const startWebhooks = async (parts: Parts): Promise<{ readonly stop: () => Promise<void> }> => {
  const { nats, manager, config, tracing } = parts
  const asker = parts.asker ?? (await ownAsker(parts))
  const poster = new Poster({ production: config.env === "production", limits: config.limits.webhook })
  const worker = new Worker({ source: await deliverySource(nats, manager, config.limits, tracing), ask: (ask, span) => asker.ask(ask, span), poster, config, tracing })
  return {
    stop: async () => {
      await worker.stop()
      poster.close()
      if (parts.asker === null) asker.close()
    }
  }
}
