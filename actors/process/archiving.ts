/**
 * The node that runs the projections moves the older part of the log into the archive.
 *
 * Invariants
 *  - No commit leaves the log while a durable consumer, a projection or a set of reactions still has to read it. The
 *    same holds while a reaction to it is parked or recorded as failed.
 *  - No commit leaves the log while a node without an archive in its configuration is alive. For that node the commit
 *    would be lost.
 *  - A reader that holds commits back for long is named in health, in the node's log, and by `hub archive`. The metric
 *    has only the delay.
 */
import type { ConsumerInfo, JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect, Schedule } from "effect"
import type { Kysely } from "kysely"
import { type Limits, LIMITS } from "../../schemas/limits.ts"
import type { LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import { nodeKey } from "../../schemas/runtime/bus/lease-view.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { buckets, streams, subjects } from "../../schemas/subjects.ts"
import { type ArchivePolicy, archiveOnce, Overtaken } from "../log/archive/archiver.ts"
import { attempt } from "../log/attempt.ts"
import type { OpenArchive } from "../log/archive/open.ts"
import type { EventLog } from "../log/commit.ts"
import { wantedConsumers } from "../log/consumers.ts"
import { lastMessage, type LeaderMessage } from "../log/last-message.ts"
import { asideOf } from "../reactions/aside.ts"
import { readMark } from "../reactions/marks.ts"
import { raiseCounters } from "../projections/numbered.ts"
import { rowOf } from "../projections/reading.ts"
import type { Database } from "../tables/database.ts"
import { KINDS } from "./kinds.ts"
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

/** The limit if no reader holds anything back. */
const EVERYTHING = Number.MAX_SAFE_INTEGER

/** The last sequence that may leave the log, and the reason why the next one may not. */
export interface Hold {
  readonly seq: number
  readonly cause: string
}

const NOTHING_HELD: Hold = { seq: EVERYTHING, cause: "nothing holds it" }

const firstOf = (holds: ReadonlyArray<Hold>): Hold =>
  holds.reduce((first, hold) => (hold.seq < first.seq ? hold : first), NOTHING_HELD)

export const policyOf = (limits: Limits["service"]): ArchivePolicy => ({
  hotSeconds: limits.archive_after_days * DAY_SECONDS,
  partialSeconds: limits.archive_partial_seconds,
  segmentChars: limits.archive_segment_chars
})

interface ConsumerProgress extends Pick<ConsumerInfo, "num_ack_pending"> {
  readonly ack_floor: Pick<ConsumerInfo["ack_floor"], "stream_seq">
  readonly delivered: Pick<ConsumerInfo["delivered"], "stream_seq">
}

/**
 * The sequence up to which a durable consumer has acknowledged everything; `EVERYTHING` if nothing is left for it.
 * `newest`: the newest commit of its subject on the log's leader. The consumer's own server may not have that commit
 * yet, and then reports that nothing is pending.
 */
export const doneBy = (
  { num_ack_pending, ack_floor, delivered }: ConsumerProgress,
  newest: Pick<LeaderMessage, "seq"> | null
): number => {
  if (num_ack_pending > 0) return ack_floor.stream_seq
  return newest !== null && newest.seq > delivered.stream_seq ? delivered.stream_seq : EVERYTHING
}

/** The subject of each durable consumer, by name. Consumers that only a newer release knows are included. */
const durablesOf = async (manager: JetStreamManager): Promise<ReadonlyMap<string, string>> => {
  const all = new Map(wantedConsumers(LIMITS).map(({ name, subject }) => [name, subject] as const))
  for await (const { name, config } of manager.consumers.list(streams.events))
    if (config.durable_name !== undefined) all.set(name, config.filter_subject ?? subjects.events)
  return all
}

const byConsumers = async ({ nats, manager }: Pick<ArchivingParts, "manager" | "nats">): Promise<Hold> => {
  const all = [...(await durablesOf(manager))].map(async ([name, subject]) => {
    const newest = await lastMessage(nats, streams.events, subject, TIMEOUT_MS)
    const seq = doneBy(await manager.consumers.info(streams.events, name), newest)
    return { seq, cause: `the workers of ${name} have acknowledged no more than #${seq}` }
  })
  return firstOf(await Promise.all(all))
}

const byProjections = async ({ db }: Pick<ArchivingParts, "db">): Promise<Hold> => {
  const own = PROJECTIONS.filter(({ stream }) => stream === streams.events)
  const all = own.map(async ({ name }) => {
    const seq = (await rowOf(db, name))?.seq ?? 0
    return { seq, cause: `the read model ${name} has applied no more than #${seq}` }
  })
  return firstOf(await Promise.all(all))
}

const byReactions = async ({ nats }: Pick<ArchivingParts, "nats">): Promise<Hold> => {
  const done = REACTIONS.map(async ({ name }) => {
    const { seq } = await readMark(nats, name)
    const aside = (["parked", "fault"] as const).map(async (why) =>
      (await Effect.runPromise(asideOf(nats, name, why))).map((one) => ({
        seq: one.seq - 1,
        cause:
          why === "parked"
            ? `a reaction of ${name} to #${one.seq} waits for its actor: hub reactions list ${name}`
            : `a reaction of ${name} to #${one.seq} failed: hub reactions list ${name}`
      }))
    )
    return [
      { seq, cause: `the reactions ${name} have done no more than #${seq}` },
      ...(await Promise.all(aside)).flat()
    ]
  })
  return firstOf((await Promise.all(done)).flat())
}

/** Live nodes that do not read the archive prevent archiving. */
const byNodes = async ({ nats, view }: Pick<ArchivingParts, "nats" | "view">): Promise<Hold> => {
  const told = view.sessions().map(async (session) => {
    const subject = `$KV.${buckets.leases}.${nodeKey(session)}`
    const found = await lastMessage(nats, `KV_${buckets.leases}`, subject, TIMEOUT_MS)
    if (found === null || found.data.length === 0) return NOTHING_HELD
    const node = JSON.parse(new TextDecoder().decode(found.data)) as { readonly archive?: unknown }
    return node.archive === true ? NOTHING_HELD : { seq: 0, cause: `the node ${session} runs without HUB_ARCHIVE` }
  })
  return firstOf(await Promise.all(told))
}

type HoldParts = Omit<ArchivingParts, "log" | "opened" | "limits">

/** The sequence up to which all readers of the log are done, and the reader that is furthest behind. */
export const heldBy = async (parts: HoldParts): Promise<Hold> => {
  const nodes = await byNodes(parts)
  if (nodes.seq === 0) return nodes
  return firstOf(await Promise.all([byConsumers(parts), byProjections(parts), byReactions(parts)]))
}

export const doneByAll = async (parts: HoldParts): Promise<number> => (await heldBy(parts)).seq

export interface Lateness {
  /** Seconds since the log's oldest commit should have been archived; 0 if none is due. */
  readonly seconds: number
  /** The reason for the delay; `null` if there is none, or only a small delay. */
  readonly cause: string | null
}

/** `now`: Unix ms. Rejects if the bus or Postgres does not answer. */
export const latenessOf = async (parts: HoldParts & Pick<ArchivingParts, "limits">, now: number): Promise<Lateness> => {
  const { manager, limits } = parts
  const { state } = await manager.streams.info(streams.events)
  const { hotSeconds, partialSeconds } = policyOf(limits)
  const due = now - (hotSeconds + partialSeconds) * 1000
  const seconds = state.messages === 0 ? 0 : Math.max(0, (due - Date.parse(state.first_ts)) / 1000)
  if (seconds <= limits.archive_late_seconds) return { seconds, cause: null }
  const hold = await heldBy(parts)
  const next =
    hold.seq >= state.last_seq
      ? null
      : await manager.direct.getMessage(streams.events, { seq: hold.seq + 1, next_by_subj: subjects.events })
  const isHeld = next !== null && next.time.getTime() < due
  return { seconds, cause: isHeld ? hold.cause : "its runs fail, or no node runs the projections" }
}

/**
 * The kinds whose archived commits are dropped from the log: those of all actors, and `log`, the kind of the archive's
 * own marks.
 */
export const DROPPED_KINDS: ReadonlyArray<string> = [...KINDS.map(({ fold }) => fold.kind), "log"]

export class Archiving {
  /** Failed runs since the start, without those that ended with `Overtaken`. */
  failures = 0
  lateness: Lateness = { seconds: 0, cause: null }
  readonly run: Effect.Effect<never>
  private readonly parts: ArchivingParts

  constructor(parts: ArchivingParts) {
    const { nats, manager, db, log, opened, limits } = parts
    this.parts = parts
    const done = (): Promise<number> => doneByAll(parts)
    const once = archiveOnce({
      nats,
      manager,
      log,
      ...opened,
      policy: policyOf(limits),
      kinds: DROPPED_KINDS,
      indexed: () => raiseCounters(nats, db),
      done
    })
    const told = Effect.catch(once, (error) =>
      Effect.suspend(() => {
        if (!(error instanceof Overtaken)) this.failures++
        return Effect.annotateLogs(Effect.logWarning(error), { at: "archive" })
      })
    )
    const rest = Schedule.spaced(limits.archive_every_seconds * 1000)
    this.run = Effect.andThen(Effect.repeat(Effect.andThen(told, this.looked), rest), Effect.never)
  }

  /** Measures the delay after each run, and logs its cause. */
  private readonly looked: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const now = wallMs(yield* Clock.Clock)
    this.lateness = yield* attempt(() => latenessOf(this.parts, now))
    const { seconds, cause } = this.lateness
    if (cause !== null) logNow("warn", "archive", { late_seconds: Math.round(seconds), error: cause })
  }).pipe(
    Effect.catch((error) => Effect.annotateLogs(Effect.logWarning(error), { at: "archive" })),
    Effect.asVoid
  )

  /** The last archived sequence, as far as this node knows. */
  get through(): number {
    return this.parts.opened.archive.through
  }
}
