/**
 * The metrics of a process with the role `webhooks`. The consumer's backlog belongs to all workers, and each shows the
 * same figure.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import { Counter, Counters, DURATION_SECONDS } from "../../schemas/runtime/metrics/meter.ts"
import { consumers, streams, subjects } from "../../schemas/subjects.ts"
import type { PostOutcome } from "../kit/post.ts"
import type { DeliveryObserver } from "./attempt.ts"
import type { Worker } from "./worker.ts"
import type { ProcessMetrics } from "../kit/process-metrics.ts"

/** Receivers choose their status, so only its class is reported. */
const outcomeClass = ({ response_code, error }: PostOutcome): string => {
  if (error === null) return "delivered"
  return error.startsWith("http_") ? `http_${Math.floor((response_code ?? 0) / 100)}xx` : error
}

const CLASSES = [
  "delivered",
  "http_1xx",
  "http_4xx",
  "http_5xx",
  "redirect",
  "timeout",
  "connect",
  "dns",
  "tls",
  "blocked_address"
] as const

interface ObservedWorker {
  readonly observer: DeliveryObserver
  readonly follow: (worker: Worker) => void
}

export const webhookMetrics = ({ meter, discovered }: ProcessMetrics, manager: JetStreamManager): ObservedWorker => {
  const attempts = new Counters(
    meter,
    "hub_webhook_attempts_total",
    "Attempts to deliver to a webhook, by what came of them.",
    ["outcome"]
  )
  const byClass = new Map<string, Counter>(CLASSES.map((outcome) => [outcome, attempts.of(outcome)]))
  const duration = meter.histogram(
    "hub_webhook_attempt_duration_seconds",
    "Attempts: from the name's resolution to the receiver's answer, in seconds.",
    DURATION_SECONDS
  )
  const faults = attempts.of("other")
  let lastError: string | null = null
  const counts = { retries: 0, putOff: 0, dropped: 0, disabled: 0 }
  meter.counter(
    "hub_webhook_retries_scheduled_total",
    "Attempts that failed and set a timer for another.",
    () => counts.retries
  )
  meter.counter(
    "hub_webhook_put_off_total",
    "Attempts that were put off because their receiver is slow, or new where too many are.",
    () => counts.putOff
  )
  meter.counter(
    "hub_webhook_dropped_total",
    "Deliveries that went nowhere: the account or its webhook was closed meanwhile.",
    () => counts.dropped
  )
  meter.counter(
    "hub_webhook_disabled_total",
    "Webhooks that were switched off after an attempt: gone, or failing for too long.",
    () => counts.disabled
  )
  const observer: DeliveryObserver = {
    attempted: (outcome, retried) => {
      const what = outcomeClass(outcome)
      const counter = byClass.get(what)
      if (counter === undefined) lastError = what
      ;(counter ?? faults).add()
      duration.observe(outcome.duration_ms / 1000)
      if (retried) counts.retries++
    },
    putOff: () => void counts.putOff++,
    dropped: () => void counts.dropped++,
    disabled: () => void counts.disabled++
  }
  const follow = (worker: Worker): void => {
    meter.gauge("hub_webhook_held", "Commits that this worker holds.", () => worker.load.held)
    meter.gauge("hub_webhook_queued", "Attempts that wait in this worker for their turn.", () => worker.load.queued)
    meter.gauge("hub_webhook_in_flight", "Attempts of this worker that are under way.", () => worker.load.inFlight)
    discovered({
      name: "hub-webhooks",
      description: "Delivers notifications to the agents' webhooks.",
      endpoints: () => {
        return [
          {
            name: "deliveries",
            subject: subjects.deliveries,
            queue: consumers.webhooks,
            // The answer of a receiver is no fault of the worker.
            stats: {
              name: "deliveries",
              requests: duration.count,
              errors: faults.value,
              seconds: duration.sum,
              lastError
            }
          }
        ]
      },
      data: () => ({ held: worker.load.held, in_flight: worker.load.inFlight, queued: worker.load.queued })
    })
  }
  let waiting: number | null = null
  meter.collect(async () => {
    waiting = null
    waiting = await manager.consumers.info(streams.events, consumers.webhooks).then(
      (info) => info.num_pending + info.num_ack_pending,
      () => null
    )
  })
  meter.gauge(
    "hub_webhook_queue_commits",
    "Commits of deliveries that wait in the log for any worker, those that are held with them.",
    () => waiting
  )
  return { observer, follow }
}
