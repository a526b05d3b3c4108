/** Metrics of the log's replicas. A missing replica must be noticed before the next one is lost. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Meter } from "../../../schemas/runtime/metrics/meter.ts"
import { streams } from "../../../schemas/subjects.ts"
import { type Replicas, replicasIn } from "../../queries/replicas.ts"

export const replicaMetrics = (meter: Meter, manager: JetStreamManager): void => {
  let replicas: Replicas | null = null
  meter.collect(async () => {
    replicas = null
    replicas = await manager.streams.info(streams.events).then(replicasIn, () => null)
  })
  meter.gauge("hub_log_replicas", "Replicas that the log is to have.", () => replicas?.wanted ?? null)
  meter.gauge("hub_log_replicas_current", "Replicas that have all of the log.", () => replicas?.current ?? null)
}
