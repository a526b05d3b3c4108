/**
 * Durable consumers of the log. All workers of a kind share one. The operator's migration makes them together with the
 * streams.
 */
import { AckPolicy, DeliverPolicy, type JetStreamManager } from "@nats-io/jetstream"
import type { Limits } from "../../schemas/limits.ts"
import { consumers, streams, subjects } from "../../schemas/subjects.ts"

interface Durable {
  readonly name: string
  readonly subject: string
  readonly ackWaitMs: number
  readonly pendingMax: number
}

/** The durable consumers that the workers share. Workers may fetch messages from them, but not choose which. */
export const wantedConsumers = ({ webhook, service: { mail, vault } }: Limits): ReadonlyArray<Durable> => [
  {
    name: consumers.webhooks,
    subject: subjects.deliveries,
    ackWaitMs: webhook.ack_wait_ms,
    pendingMax: webhook.ack_pending_max
  },
  {
    name: consumers.outbound,
    subject: subjects.sendings,
    ackWaitMs: mail.send_ack_wait_ms,
    pendingMax: mail.sends_pending_max
  },
  {
    name: consumers.mailNotices,
    subject: subjects.mailNotices,
    ackWaitMs: mail.notice_ack_wait_ms,
    pendingMax: mail.notice_pending_max
  },
  {
    name: consumers.keeper,
    subject: subjects.vaults,
    ackWaitMs: vault.ack_wait_ms,
    pendingMax: vault.ack_pending_max
  }
]

export const ensureConsumer = async (
  manager: JetStreamManager,
  { name, subject, ackWaitMs, pendingMax }: Durable
): Promise<void> => {
  const figures = { ack_wait: ackWaitMs * 1_000_000, max_ack_pending: pendingMax }
  const wanted = {
    durable_name: name,
    filter_subject: subject,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ...figures
  }
  try {
    await manager.consumers.add(streams.events, wanted)
  } catch {
    await manager.consumers.update(streams.events, name, figures)
  }
}
