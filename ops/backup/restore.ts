/**
 * Restores a backup into a JetStream that has none of its streams.
 *
 * Invariants
 *  - Before anything is deleted, a restore checks that every hash is right, the key is the service's, and no actor node
 *    is alive. It takes a lock in Postgres, so there is only one at a time.
 *  - Postgres is emptied before the first stream is restored, so it is never ahead of the log. The projector fills it
 *    again.
 *  - A mark is set before anything is deleted, and removed at the end (actors/log/restore-mark.ts). While it exists,
 *    actor nodes wait and commands refuse, so nobody uses the result of an interrupted restore. The next restore starts
 *    anew.
 *  - Numbers that were given after the backup are skipped. The log's sequences (readers of the identity directory
 *    compare them) and all counters (agents' numbers, ids of notifications) continue after a gap. The operator sets its
 *    size.
 *  - Every vault gets a commit (vaults.ts). It ends the tokens of fill services. Unless the operator allows card fills,
 *    it also stops them until the next day (UTC).
 *  - Vaults, entries and mailboxes whose keys or ciphertexts were erased while the backup was made are ended (erased.ts).
 *  - The archive is restored before the vaults get their commits. Its segments are checked before anything is emptied.
 *  - The durable consumers continue at the positions that were recorded before the copying (backup.ts).
 */
import { join } from "node:path"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Schedule } from "effect"
import { type Kysely, sql } from "kysely"
import { type Database, openDatabase, PATIENT_CONNECT_MS } from "../../actors/tables/database.ts"
import { Archive } from "../../actors/log/archive/archive.ts"
import { bringIndex } from "../../actors/log/archive/archiver.ts"
import { IndexTable } from "../../actors/log/archive/index-table.ts"
import type { Objects } from "../../actors/log/archive/objects.ts"
import type { OpenArchive } from "../../actors/log/archive/open.ts"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { KvLeases } from "../../actors/engine/leases.ts"
import { isMissing } from "../../actors/log/jetstream-codes.ts"
import { isHalfRestored, setRestoreMark, takeRestoreMark } from "../../actors/log/restore-mark.ts"
import { ensureLeases, SESSION_TTL_SECONDS } from "../../actors/log/streams.ts"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import { Busy, exclusively, toItsEnd } from "../../actors/projections/steps.ts"
import { LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import type { Limits } from "../../schemas/limits.ts"
import { buckets, streams } from "../../schemas/subjects.ts"
import { Fault } from "../cli/fault.ts"
import { migrate } from "../migrations/migrate.ts"
import { checkedManifest } from "./files.ts"
import {
  type ConsumerPart,
  type Manifest,
  snapshotFile,
  STREAM_PATTERN,
  type StreamPart,
  tailFile
} from "./manifest.ts"
import { closeErasedMailboxes } from "./erased.ts"
import { skipNumbers, skipSequences } from "./gap.ts"
import { dropOrphans } from "./orphans.ts"
import { checkSegments, copySegments, isIn } from "./segments.ts"
import { type Cut, copyBack } from "./snapshot.ts"
import { writeTail } from "./tail.ts"
import { commitVaultsRestored } from "./vaults.ts"

/** The number of log sequences that are skipped for each skipped number of a counter. */
const SEQUENCES_EACH = 10
/** The longest wait for the sessions of nodes to end. The session of a killed node ends after its time to live. */
const SESSIONS_GONE_MS = (SESSION_TTL_SECONDS + 2) * 1000
const LOOK_MS = 100
const LOG_BATCH = 1000

export interface RestoreParts {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly databaseUrl: string
  readonly serviceKey: string
  /** Limits for the new lease bucket. A backup has no leases. */
  readonly limits: Limits
  /** The number of replicas of each stream; `null` for the numbers in the backup. */
  readonly replicas: number | null
  /** The count of numbers that each counter skips. */
  readonly gap: number
  /**
   * True if cards may be filled immediately after the restore. The operator then accepts that payments since the backup
   * may be repeated.
   */
  readonly cards: boolean
  /** True if the content of JetStream and Postgres may be deleted. */
  readonly replace: boolean
  /**
   * `from`: the copied segments beside the backups. `to`: the archive of the restored log. Absent if the log gets no
   * archive.
   */
  readonly archive?: { readonly from: Objects; readonly to: Objects } | undefined
  readonly signal: AbortSignal
  readonly progress: (stream: string, bytes: number, messages: number) => void
}

export interface RestoreResult {
  readonly manifest: Manifest
  /** `lastSeq`: the last sequence from the backup. `nextSeq`: the sequence of the next commit, after the gap. */
  readonly lastSeq: number
  readonly nextSeq: number
  readonly commits: number
}

/** Throws a Fault if the restore is refused. */
export const restore = async (folder: string, parts: RestoreParts): Promise<RestoreResult> => {
  const manifest = await checkedManifest(folder, parts.signal)
  if (manifest.service_key !== parts.serviceKey) {
    throw new Fault(
      `${folder} belongs to the service's key ${manifest.service_key}, and this one is ${parts.serviceKey} ` +
        "(public halves): with another key its secrets cannot be opened"
    )
  }
  refuseReplicas(manifest, parts)
  await refuseArchive(manifest, parts)
  await refuseLive(parts)
  await refuseHeld(parts)
  const db = openDatabase(parts.databaseUrl, PATIENT_CONNECT_MS)
  try {
    await refuseFilled(db, parts)
    const alone = Effect.flatMap(exclusively(db), (held) =>
      toItsEnd(async () => {
        await migrate(parts.databaseUrl)
        const replicas = parts.replicas ?? wantedReplicas(manifest.streams)
        await setRestoreMark(parts.manager, replicas)
        await clear(held, parts)
        const result = await restored(folder, manifest, parts, held)
        await ensureLeases(parts.manager, parts.limits, replicas)
        await takeRestoreMark(parts.manager)
        return result
      })
    )
    return await Effect.runPromise(Effect.scoped(alone))
  } catch (error) {
    if (error instanceof Busy) throw new Fault("a restore, a rebuild or a verification is under way on this Postgres")
    throw error
  } finally {
    await db.destroy()
  }
}

const wantedReplicas = (kept: ReadonlyArray<StreamPart>): number =>
  Math.max(...kept.map(({ config }) => Number(config.num_replicas ?? 1)))

const refuseArchive = async ({ archive: newest }: Manifest, { archive, signal }: RestoreParts): Promise<void> => {
  if (newest === undefined) return
  if (archive === undefined)
    throw new Fault("a part of this backup's log is in an archive: set HUB_ARCHIVE to where it is to be")
  // The archive may still exist although the copies beside the backups are lost.
  await checkSegments((await isIn(archive.from, newest)) ? archive.from : archive.to, newest, signal)
}

const refuseReplicas = ({ streams: kept }: Manifest, { nats, replicas }: RestoreParts): void => {
  const wanted = replicas ?? wantedReplicas(kept)
  if (wanted > 1 && nats.info?.cluster === undefined)
    throw new Fault(`${wanted} replicas need a cluster, and this nats-server is none: give --replicas 1`)
}

const refuseLive = async ({ nats, manager }: RestoreParts): Promise<void> => {
  try {
    await manager.streams.info(`KV_${buckets.leases}`)
  } catch (error) {
    // Without this stream no node holds a session.
    if (isMissing(error)) return
    throw error
  }
  const view = new LeaseView()
  const alone = Effect.gen(function* () {
    yield* KvLeases.watching(nats, view)
    const none = Effect.suspend(() => (view.sessions().length === 0 ? Effect.void : Effect.fail("alive")))
    const patience = Schedule.upTo(Schedule.spaced(LOOK_MS), { duration: SESSIONS_GONE_MS })
    return yield* Effect.isSuccess(Effect.retry(none, patience))
  })
  if (!(await Effect.runPromise(Effect.scoped(alone))))
    throw new Fault(`${view.sessions().length} actor nodes are alive: stop every actor node and edge first`)
}

const heldStreams = async (manager: JetStreamManager): Promise<ReadonlyArray<string>> => {
  const held: Array<string> = []
  for await (const name of manager.streams.names()) if (STREAM_PATTERN.test(name)) held.push(name)
  return held
}

const refuseHeld = async ({ manager, replace }: RestoreParts): Promise<void> => {
  const held = await heldStreams(manager)
  if (held.length === 0 || replace || (await isHalfRestored(manager))) return
  throw new Fault(
    `JetStream holds ${held.join(", ")}: restore into an empty one, or give --replace to have them deleted`
  )
}

/** Tables whose rows are deleted. Read models are then as after a migration, without a watermark. */
const TABLES: ReadonlyArray<keyof Database> = [
  "projections",
  "snapshots",
  "archive_actors",
  "archive_segments",
  "projection_faults",
  ...PROJECTIONS.flatMap(({ tables }) => tables.map(({ name }) => name))
]

const refuseFilled = async (db: Kysely<Database>, { replace, manager }: RestoreParts): Promise<void> => {
  if (replace || (await isHalfRestored(manager))) return
  const made = await sql<{
    there: boolean
  }>`select to_regclass('public.projections') is not null and to_regclass('public.snapshots') is not null as there`.execute(
    db
  )
  if (made.rows[0]?.there !== true) return
  const filled = await sql<{
    filled: boolean
  }>`select exists (select from projections) or exists (select from snapshots) as filled`.execute(db)
  if (filled.rows[0]?.filled === true)
    throw new Fault(
      "Postgres holds read models of another log: name an empty database, or give --replace to have them deleted"
    )
}

/** The lease bucket is the first stream that is deleted, and the last that is made again: nodes wait for it. */
const clear = async (db: Kysely<Database>, { manager }: RestoreParts): Promise<void> => {
  await sql`truncate ${sql.join(TABLES.map((table) => sql.table(table)))}`.execute(db)
  await manager.streams.delete(`KV_${buckets.leases}`).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  for (const name of await heldStreams(manager)) await manager.streams.delete(name)
}

const restored = async (
  folder: string,
  manifest: Manifest,
  parts: RestoreParts,
  db: Kysely<Database>
): Promise<RestoreResult> => {
  const { nats, manager, gap } = parts
  const events = manifest.streams.find(({ name }) => name === streams.events)
  if (events === undefined) throw new Error("a checked manifest has the log")
  const lastSeq = await streamBack(folder, events, parts)
  const commits = (await manager.streams.info(events.name)).state.messages
  for (const part of manifest.streams) if (part !== events) await streamBack(folder, part, parts)
  const skipped = await skipSequences(nats, manager, lastSeq, gap * SEQUENCES_EACH)
  await skipNumbers(nats, manager, gap)
  const older = await archiveBack(manifest, parts, db)
  const log = new JetStreamLog(machineClock, nats, {
    batchMax: LOG_BATCH,
    queueMax: LOG_BATCH,
    archive: older?.archive
  })
  const erased = { log, nats, manager, older, at: Date.now() }
  const more = (await commitVaultsRestored(erased, { cards: parts.cards, gap })) + (await closeErasedMailboxes(erased))
  await dropOrphans(log, manager)
  for (const consumer of manifest.consumers) await consumerBack(consumer, parts)
  return { manifest, lastSeq, nextSeq: skipped + more + 1, commits }
}

/** Copies the segments to the archive, and makes their index. */
const archiveBack = async (
  { archive: newest }: Manifest,
  { nats, archive: places, signal }: RestoreParts,
  db: Kysely<Database>
): Promise<OpenArchive | null> => {
  if (newest === undefined || places === undefined) return null
  await copySegments(places.from, places.to, newest, signal)
  const index = new IndexTable(db)
  const archive = new Archive({ clock: machineClock, nats, objects: places.to, index })
  const made = await index.alone((writer) => bringIndex({ archive, index: writer, objects: places.to }))
  if (made === null) throw new Fault("another process makes the index of the archive: stop all nodes and try again")
  return { archive, index, objects: places.to }
}

/** Restores one stream. Resolves to its last sequence. */
const streamBack = async (
  folder: string,
  { name, config, state, tail }: StreamPart,
  { nats, replicas, signal, progress }: RestoreParts
): Promise<number> => {
  const cut: Cut = { config: { ...config, ...(replicas === null ? {} : { num_replicas: replicas }) }, state }
  let bytes = 0
  const sent = (more: number): void => progress(name, (bytes += more), 0)
  const made = await copyBack(nats, cut, join(folder, snapshotFile(name)), sent, signal)
  if (made.last_seq !== state.last_seq)
    throw new Fault(`${name} came back up to #${made.last_seq}, and not to #${state.last_seq}`)
  progress(name, bytes, made.messages)
  return tail.messages === 0
    ? made.last_seq
    : writeTail(nats, join(folder, tailFile(name)), made.last_seq, name === streams.events)
}

/**
 * Sets a consumer back to the place up to which it had acknowledged everything before the backup began. Later messages
 * are delivered again.
 */
const consumerBack = async (
  { stream, name, config, floor }: ConsumerPart,
  { manager }: RestoreParts
): Promise<void> => {
  await manager.consumers.add(stream, config)
  if (floor > 0) await manager.consumers.reset(stream, name, floor + 1)
}
