/** The role `webhooks` of an actor process: a worker on the shared consumer. */
import { randomBytes } from "node:crypto"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Asker } from "../../schemas/bus/asker.ts"
import { LeaseView } from "../../schemas/bus/lease-view.ts"
import { busRoleOf } from "../../schemas/bus/roles.ts"
import { transportOver } from "../../schemas/bus/transport.ts"
import type { HubConfig } from "../../schemas/config.ts"
import type { ProcessMetrics } from "../metrics/process.ts"
import { webhookMetrics } from "../metrics/webhooks.ts"
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
  readonly metrics: ProcessMetrics
}

const ownAsker = async ({ nats, config, metrics }: Parts): Promise<Asker> => {
  const view = new LeaseView()
  await new KvLeases(nats, view).watch()
  const { max_asks_in_flight, max_frame_bytes } = config.limits.service
  const complain = (error: unknown): void =>
    console.error(JSON.stringify({ level: "error", at: "transport", error: String(error) }))
  const identity = { role: busRoleOf(config.roles), name: `webhooks-${randomBytes(8).toString("hex")}` }
  const bounds = { maxInFlight: max_asks_in_flight, maxFrameBytes: max_frame_bytes }
  return metrics.observed(new Asker(transportOver(nats, complain), view, identity, bounds, metrics.asks))
}

export const startWebhooks = async (parts: Parts): Promise<{ readonly stop: () => Promise<void> }> => {
  const { nats, manager, config, metrics, tracing } = parts
  const asker = parts.asker ?? (await ownAsker(parts))
  const poster = new Poster({ production: config.env === "production", limits: config.limits.webhook })
  const told = webhookMetrics(metrics, manager)
  const source = deliverySource(nats, tracing)
  const worker = new Worker({
    source,
    ask: (ask, span) => asker.ask(ask, span),
    poster,
    config,
    tracing,
    observer: told.observer
  })
  told.follow(worker)
  return {
    stop: async () => {
      await worker.stop()
      poster.close()
      if (parts.asker === null) asker.close()
    }
  }
}
