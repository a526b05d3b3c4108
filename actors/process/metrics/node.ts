/** The metrics of a process with the role `actors`: the work of its actors, its log, and the shards that it owns. */
import type { NatsConnection } from "@nats-io/transport-node"
import type { Limits } from "../../../schemas/limits.ts"
import { type CallStats, Calls, neverCalled } from "../../../schemas/runtime/metrics/calls.ts"
import { Counters, DURATION_SECONDS, type Meter } from "../../../schemas/runtime/metrics/meter.ts"
import { SHARD_COUNT, subjects } from "../../../schemas/subjects.ts"
import { KINDS } from "../kinds.ts"
import type { JetStreamLog, LogObserver } from "../../log/event-log.ts"
import type { ActorHost } from "../../engine/host.ts"
import type { NonceLog } from "../../log/nonces.ts"
import type { Placement } from "../../engine/placement.ts"
import type { PostgresSnapshots } from "../../engine/snapshots.ts"
import type { StorageWatch } from "../../log/storage.ts"
import type { ScheduledTimers } from "../../engine/timers.ts"
import type { ProcessMetrics } from "../../kit/process-metrics.ts"

/**
 * Matches `<noun>.<verb>`, the form of operation names in the code. Other names, which strangers may invent, count as
 * `other`.
 */
const OPERATION = /^[a-z]{1,20}\.[a-z_]{1,30}$/
const BATCH_COMMITS: ReadonlyArray<number> = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]

export const operationCalls = (meter: Meter): Calls => {
  const nouns = new Set([
    ...KINDS.map(({ fold }) => fold.kind),
    "identity",
    "notification",
    "moderation",
    "webhook",
    "idempotency",
    "engine"
  ])
  const accepts = (op: string): boolean => OPERATION.test(op) && nouns.has(op.split(".")[0] ?? "")
  return new Calls(
    meter,
    {
      total: "hub_actor_operations_total",
      seconds: "hub_actor_operation_duration_seconds",
      what: "Operations that were asked of this node's actors, reads among them",
      label: "op"
    },
    accepts
  )
}

export const commitMetrics = ({ meter, committing }: Pick<ProcessMetrics, "meter" | "committing">): LogObserver => {
  const batches = new Counters(
    meter,
    "hub_log_batches_total",
    "Batches of commits that were sent to the log, by outcome: written, refused whole for a wrong sequence, " +
      "refused for want of room, not sent because the archive could not be asked, unknown.",
    ["outcome"]
  )
  const byOutcome = {
    written: batches.of("written"),
    refused: batches.of("refused"),
    full: batches.of("full"),
    unasked: batches.of("unasked"),
    unknown: batches.of("unknown")
  }
  const size = meter.histogram("hub_log_batch_commits", "Commits in one batch.", BATCH_COMMITS)
  const seconds = meter.histogram(
    "hub_log_batch_duration_seconds",
    "Batches: from sending to the server's acknowledgement, in seconds.",
    DURATION_SECONDS
  )
  let written = 0
  committing(() => written)
  return {
    batch: (commits, outcome, took) => {
      if (outcome === "written") written += commits
      byOutcome[outcome].add()
      size.observe(commits)
      seconds.observe(took)
    }
  }
}

interface Parts {
  readonly nats: NatsConnection
  readonly host: Pick<ActorHost, "counts" | "unknown" | "resident" | "depths">
  readonly placement: Placement
  readonly log: JetStreamLog
  readonly snapshots: PostgresSnapshots
  readonly nonces: NonceLog
  readonly proofs: NonceLog
  readonly timers: ScheduledTimers
  readonly operations: Calls
  readonly storage: StorageWatch
  readonly limits: Limits["service"]
}

export const nodeMetrics = ({ meter, discovered }: ProcessMetrics, parts: Parts): void => {
  residentMetrics(meter, parts)
  leaseMetrics(meter, parts)
  durableMetrics(meter, parts)
  const { host, placement, operations } = parts
  discovered({
    name: "hub-actors",
    description: "Owns shards: carries out the operations of actors. Many asks travel in one message.",
    endpoints: () =>
      byNoun(operations.stats()).map((stats) => ({
        name: stats.name,
        subject: subjects.node("*", "*"),
        queue: "",
        stats
      })),
    data: () => ({ session: placement.session, shards: shardsOf(placement), resident: host.resident })
  })
}

const shardsOf = (placement: Placement): number =>
  Array.from({ length: SHARD_COUNT }, (_, shard) => shard).filter((shard) => placement.serves(shard)).length

/** Adds up the operations of each noun, such as `agent.me` and `agent.update`. */
const byNoun = (all: ReadonlyArray<CallStats>): ReadonlyArray<CallStats> => {
  const nouns = new Map(KINDS.map(({ fold }) => [fold.kind, neverCalled(fold.kind)]))
  for (const { name, requests, errors, seconds, lastError } of all) {
    const noun = name.split(".")[0] ?? name
    const sum = nouns.get(noun)
    nouns.set(noun, {
      name: noun,
      requests: requests + (sum?.requests ?? 0),
      errors: errors + (sum?.errors ?? 0),
      seconds: seconds + (sum?.seconds ?? 0),
      lastError: lastError ?? sum?.lastError ?? null
    })
  }
  return [...nouns.values()]
}

const residentMetrics = (meter: Meter, { host, limits }: Parts): void => {
  let depths = { sum: 0, max: 0 }
  meter.collect(async () => {
    depths = host.depths()
  })
  meter.gauge("hub_actor_resident", "Actors in memory.", () => host.resident)
  meter.gauge(
    "hub_actor_resident_max",
    "Actors that are kept in memory; beyond, the longest idle go.",
    () => limits.resident_actors_max
  )
  meter.counter("hub_actor_activations_total", "Actors that were brought into memory.", () => host.counts.activated)
  meter.counter(
    "hub_actor_passivations_total",
    "Actors that left memory because they were idle.",
    () => host.counts.passivated
  )
  meter.counter(
    "hub_actor_evictions_total",
    "Actors that left memory because there were too many.",
    () => host.counts.evicted
  )
  meter.gauge("hub_actor_mailbox_commands", "Commands in all mailboxes, those under way with them.", () => depths.sum)
  meter.gauge("hub_actor_mailbox_depth_max", "Commands in the longest mailbox.", () => depths.max)
  const unknown = "Things unknown to this release: operations it does not have, and events of a newer one."
  meter.counter("hub_actor_unknown_total", unknown, () => host.unknown.operations, { what: "operation" })
  meter.counter("hub_actor_unknown_total", unknown, () => host.unknown.events, { what: "event" })
  meter.counter(
    "hub_actor_mailbox_overloaded_total",
    "Commands that were refused because their actor's mailbox was full.",
    () => host.counts.mailboxFull
  )
}

const leaseMetrics = (meter: Meter, { placement }: Parts): void => {
  meter.gauge("hub_shards_owned", "Shards that this node serves; over all nodes there are 64.", () =>
    shardsOf(placement)
  )
  meter.counter(
    "hub_session_beats_total",
    "Beats of this node's session that were acknowledged.",
    () => placement.counts.beats
  )
  meter.counter(
    "hub_session_beats_failed_total",
    "Beats of this node's session that were not.",
    () => placement.counts.beatsFailed
  )
  meter.counter("hub_sessions_begun_total", "Sessions that this process began.", () => placement.counts.began)
  meter.counter(
    "hub_sessions_ended_total",
    "Sessions that this process lost or gave back.",
    () => placement.counts.ended
  )
}

const durableMetrics = (meter: Meter, { log, snapshots, nonces, proofs, timers, storage, limits }: Parts): void => {
  meter.gauge(
    "hub_storage_free_bytes",
    "Bytes that may still be written to the log, as far as this process sees.",
    () => storage.free
  )
  meter.gauge(
    "hub_storage_free_min_bytes",
    "Free bytes below which writes are refused.",
    () => limits.storage_free_min_bytes
  )
  meter.gauge("hub_storage_low", "Is 1 if writes are refused because the disk is nearly full, else 0.", () =>
    storage.low ? 1 : 0
  )
  meter.gauge("hub_log_commits_waiting", "Commands whose commits wait for the batch in flight.", () => log.waiting)
  meter.counter(
    "hub_log_wrong_sequence_total",
    "Commands whose commit was refused because another wrote to the actor meanwhile; they are tried again.",
    () => log.counts.conflicts
  )
  meter.counter(
    "hub_log_overloaded_total",
    "Commands that were refused because too many commits waited.",
    () => log.counts.overloaded
  )
  const saved = "Snapshots that were to be saved, by outcome."
  meter.counter("hub_snapshots_total", saved, () => snapshots.counts.saved, { outcome: "saved" })
  meter.counter("hub_snapshots_total", saved, () => snapshots.counts.failed, { outcome: "failed" })
  meter.counter("hub_snapshots_loaded_total", "Actors that began from a snapshot.", () => snapshots.counts.loaded)
  const tracked = "Nonces that are remembered, of requests and of proofs of identity."
  meter.gauge("hub_nonces_tracked", tracked, () => nonces.tracked, { log: "requests" })
  meter.gauge("hub_nonces_tracked", tracked, () => proofs.tracked, { log: "proofs" })
  const fired =
    "Timers that fired here, by what became of them: answered by their actor, put off; unknown, among both: " +
    "of no kind that this release knows."
  for (const outcome of ["answered", "later", "unknown"] as const)
    meter.counter("hub_timers_fired_total", fired, () => timers.counts[outcome], { outcome })
}
