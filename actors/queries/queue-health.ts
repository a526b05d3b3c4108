/** The backlog of the workers on the log's queues: webhook workers and mail processes. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Queries } from "../../schemas/bus/operations.ts"
import { streams } from "../../schemas/subjects.ts"
import { firstBehind } from "../projections/lag.ts"

export type Check = Queries["health"]["output"]["checks"][string]
export type Checks = Record<string, Check>

/**
 * The most commits that may wait for webhook workers, and the most seconds that the oldest may wait. A worker that died
 * keeps its messages for 30 seconds.
 */
const WEBHOOK_WAITING_WARN = 10_000
const WEBHOOK_AGE_WARN_SECONDS = 90
/** Larger than the minute that one attempt to send may take. */
const MAIL_AGE_WARN_SECONDS = 180

export interface Timed<T> {
  readonly value: T
  /** Unix ms by this machine's clock, half-way between question and answer. */
  readonly at: number
  readonly give: number
}

export type MakeCheck = (
  status: Check["status"],
  observed: number | null,
  unit: string,
  message: string | null
) => Check

/**
 * The backlog of a durable consumer that workers share. `since`: the time of its oldest message in Unix ms, `null` if
 * none waits.
 */
export const queueOf = async (manager: JetStreamManager, durable: string, subject: string) => {
  const { num_pending, num_ack_pending, ack_floor } = await manager.consumers.info(streams.events, durable)
  const waiting = num_pending + num_ack_pending
  const behind = { stream: streams.events, subjects: [subject] } as const
  return { waiting, since: waiting === 0 ? null : await firstBehind(manager, behind, ack_floor.stream_seq) }
}

type QueueReading = Timed<Awaited<ReturnType<typeof queueOf>>> | null

/** The age in seconds; 0 if nothing waits. */
export const ageOf = (since: number | null, now: number): number =>
  since === null ? 0 : Math.max(0, (now - since) / 1000)

export const webhookChecks = (queue: QueueReading, now: number, check: MakeCheck): Checks => {
  if (queue === null)
    return {
      webhook_queue: check(
        "warn",
        null,
        "commits waiting",
        "no worker has made its queue yet, or the bus does not tell"
      )
    }
  const { waiting, since } = queue.value
  const age = ageOf(since, now)
  const [full, old] = [waiting > WEBHOOK_WAITING_WARN, age > WEBHOOK_AGE_WARN_SECONDS]
  return {
    webhook_queue: check(
      full ? "warn" : "pass",
      waiting,
      "commits waiting",
      full ? "the workers do not keep up" : null
    ),
    webhook_queue_age: check(
      old ? "warn" : "pass",
      age,
      "seconds that the oldest waits",
      old ? "no worker answers for it" : null
    )
  }
}

export const mailChecks = (queue: QueueReading, now: number, check: MakeCheck): Checks => {
  const unit = "seconds that the oldest waits"
  if (queue === null) return { mail_provider: check("warn", null, unit, "the bus does not tell what waits") }
  const age = ageOf(queue.value.since, now)
  const old = age > MAIL_AGE_WARN_SECONDS
  return { mail_provider: check(old ? "warn" : "pass", age, unit, old ? "no mail process sends it" : null) }
}
