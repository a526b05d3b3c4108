/**
 * The node that runs the projections moves the older part of the log into the archive.
 *
 * Invariants
 *  - Nothing leaves the log that a durable consumer, a projection or a set of reactions has still to read, or has put
 *    aside.
 *  - Nothing leaves the log while a node is alive that was told of no archive: for that node it would be lost.
 */
import type { ConsumerInfo, JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Schedule } from "effect"
import type { Kysely } from "kysely"
import { type Limits, LIMITS } from "../../schemas/limits.ts"
import type { LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import { nodeKey } from "../../schemas/runtime/bus/lease-view.ts"
import { buckets, streams, subjects } from "../../schemas/subjects.ts"
import { type ArchivePolicy, archiveOnce, Overtaken } from "../log/archive/archiver.ts"
import type { OpenArchive } from "../log/archive/open.ts"
import type { EventLog } from "../log/commit.ts"
import { wantedConsumers } from "../log/consumers.ts"
import { lastMessage, type LeaderMessage } from "../log/last-message.ts"
import { asideOf } from "../reactions/aside.ts"
import { readMark } from "../reactions/marks.ts"
import { rowOf } from "../projections/reading.ts"
import type { Database } from "../tables/database.ts"
import { PROJECTIONS } from "./projections.ts"
import { REACTIONS } from "./reactions.ts"

const TIMEOUT_MS = 3000
const DAY_SECONDS = 86_400

export interface ArchivingParts {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly db: Kysely<Database>
  readonly view: Pick<LeaseView, "sessions">
  readonly log: EventLog
  readonly opened: OpenArchive
  readonly limits: Limits["service"]
}

/** What nobody holds on to. */
const EVERYTHING = Number.MAX_SAFE_INTEGER

export const policyOf = (limits: Limits["service"]): ArchivePolicy => ({
  hotSeconds: limits.archive_after_days * DAY_SECONDS,
  partialSeconds: limits.archive_partial_seconds,
  segmentChars: limits.archive_segment_chars
})

interface Standing extends Pick<ConsumerInfo, "num_ack_pending"> {
  readonly ack_floor: Pick<ConsumerInfo["ack_floor"], "stream_seq">
  readonly delivered: Pick<ConsumerInfo["delivered"], "stream_seq">
}

/**
 * How far a durable consumer has come: what lies before has been acknowledged. `newest`: of its subject, as the log's
 * leader has it. The consumer's own server may not have that yet, and says that nothing is pending.
 */
export const doneBy = (
  { num_ack_pending, ack_floor, delivered }: Standing,
  newest: Pick<LeaderMessage, "seq"> | null
): number => {
  if (num_ack_pending > 0) return ack_floor.stream_seq
  return newest !== null && newest.seq > delivered.stream_seq ? delivered.stream_seq : EVERYTHING
}

/** Also those that a newer release has made, of which this one knows nothing. */
const durablesOf = async (manager: JetStreamManager): Promise<ReadonlyMap<string, string>> => {
  const all = new Map(wantedConsumers(LIMITS).map(({ name, subject }) => [name, subject] as const))
  for await (const { name, config } of manager.consumers.list(streams.events))
    if (config.durable_name !== undefined) all.set(name, config.filter_subject ?? subjects.events)
  return all
}

const byConsumers = async ({ nats, manager }: Pick<ArchivingParts, "manager" | "nats">): Promise<number> => {
  const all = [...(await durablesOf(manager))].map(async ([name, subject]) => {
    const newest = await lastMessage(nats, streams.events, subject, TIMEOUT_MS)
    return doneBy(await manager.consumers.info(streams.events, name), newest)
  })
  return Math.min(...(await Promise.all(all)))
}

const byProjections = async ({ db }: Pick<ArchivingParts, "db">): Promise<number> => {
  const own = PROJECTIONS.filter(({ stream }) => stream === streams.events)
  const rows = await Promise.all(own.map(({ name }) => rowOf(db, name)))
  return Math.min(EVERYTHING, ...rows.map((row) => row?.seq ?? 0))
}

const byReactions = async ({ nats }: Pick<ArchivingParts, "nats">): Promise<number> => {
  const done = REACTIONS.map(async ({ name }) => {
    const { seq } = await readMark(nats, name)
    const aside = await Promise.all(
      (["parked", "fault"] as const).map((why) => Effect.runPromise(asideOf(nats, name, why)))
    )
    return Math.min(seq, ...aside.flat().map((one) => one.seq - 1))
  })
  return Math.min(EVERYTHING, ...(await Promise.all(done)))
}

/** Whether every node that is alive reads the archive. */
const allRead = async ({ nats, view }: Pick<ArchivingParts, "nats" | "view">): Promise<boolean> => {
  const told = view.sessions().map(async (session) => {
    const subject = `$KV.${buckets.leases}.${nodeKey(session)}`
    const found = await lastMessage(nats, `KV_${buckets.leases}`, subject, TIMEOUT_MS)
    if (found === null || found.data.length === 0) return true
    return (JSON.parse(new TextDecoder().decode(found.data)) as { readonly archive?: unknown }).archive === true
  })
  return (await Promise.all(told)).every((reads) => reads)
}

/** The last sequence that may leave the log, as far as its readers go. */
export const doneByAll = async (parts: Omit<ArchivingParts, "log" | "opened" | "limits">): Promise<number> => {
  if (!(await allRead(parts))) return 0
  return Math.min(...(await Promise.all([byConsumers(parts), byProjections(parts), byReactions(parts)])))
}

export class Archiving {
  /** Runs that failed, since the start. */
  failures = 0
  /** Archives until it is interrupted. */
  readonly run: Effect.Effect<never>
  private readonly parts: ArchivingParts

  constructor(parts: ArchivingParts) {
    const { nats, manager, log, opened, limits } = parts
    this.parts = parts
    const done = (): Promise<number> => doneByAll(parts)
    const once = archiveOnce({ nats, manager, log, ...opened, policy: policyOf(limits), done })
    const told = Effect.catch(once, (error) =>
      Effect.suspend(() => {
        if (!(error instanceof Overtaken)) this.failures++
        return Effect.annotateLogs(Effect.logWarning(error), { at: "archive" })
      })
    )
    const rest = Schedule.spaced(limits.archive_every_seconds * 1000)
    this.run = Effect.andThen(Effect.repeat(told, rest), Effect.never)
  }

  /** The last sequence that is archived, as far as this node knows. */
  get through(): number {
    return this.parts.opened.archive.through
  }
}
