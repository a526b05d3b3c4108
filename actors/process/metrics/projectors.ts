/**
 * The metrics of projectors. Only the node that runs a projection knows its position, so other nodes leave that out.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Clock } from "effect"
import { wallMs } from "../../../schemas/runtime/clock.ts"
import type { Meter } from "../../../schemas/runtime/metrics/meter.ts"
import type { Projector } from "../../projections/projector.ts"
import { firstBehind } from "../../projections/lag.ts"

interface Lag {
  readonly messages: number
  readonly seconds: number
}

export const projectorMetrics = (
  clock: Clock.Clock,
  meter: Meter,
  projectors: ReadonlyArray<Projector>,
  manager: JetStreamManager
): void => {
  for (const projector of projectors) {
    const labels = { projection: projector.projection.name }
    let lag: Lag | null = null
    meter.collect(async () => {
      lag = null
      lag = await lagOf(clock, projector, manager).catch(() => null)
    })
    meter.gauge(
      "hub_projector_watermark",
      "Sequence up to which the read models have all that is theirs.",
      () => projector.watermark,
      labels
    )
    meter.gauge(
      "hub_projector_lag_messages",
      "Messages that the read models do not have yet.",
      () => lag?.messages ?? null,
      labels
    )
    meter.gauge(
      "hub_projector_lag_seconds",
      "Age of the first message that the read models do not have, in seconds.",
      () => lag?.seconds ?? null,
      labels
    )
    meter.counter(
      "hub_projector_transactions_total",
      "Transactions that were committed to the read models.",
      () => projector.counts.transactions,
      labels
    )
    meter.counter(
      "hub_projector_messages_total",
      "Messages that were applied to the read models.",
      () => projector.counts.messages,
      labels
    )
    meter.counter(
      "hub_projector_failures_total",
      "Tries to go on that failed: the database away, or a message of a newer release.",
      () => projector.failures,
      labels
    )
    meter.counter(
      "hub_projector_faults_total",
      "Messages that could not be applied and were passed over.",
      () => projector.counts.faults,
      labels
    )
  }
}

const lagOf = async (clock: Clock.Clock, projector: Projector, manager: JetStreamManager): Promise<Lag | null> => {
  const { projection, watermark } = projector
  const messages = await projector.pending()
  if (watermark === null || messages === null) return null
  const behind = messages === 0 ? null : await firstBehind(manager, projection, watermark)
  return { messages, seconds: behind === null ? 0 : Math.max(0, (wallMs(clock) - behind) / 1000) }
}
