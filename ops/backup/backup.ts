/**
 * Makes a backup of JetStream while the service runs.
 *
 * Each stream is cut at its own sequence and moment. The order of the cuts makes them consistent with each other.
 *
 * Invariants
 *  - The positions of the durable consumers, such as those of timers and webhooks, are recorded first. Everything
 *    acknowledged by then had been answered, so its commits are before the log's cut. Later messages are delivered
 *    again after a restore, under the same sequence. A command that the log has already is then answered from the log.
 *  - Answers under Idempotency-Keys, last-seen times, and the progress and faults of reactions are cut before the log.
 *    A stored answer must not report a command that the log's copy lacks. A missing answer is made again: the command's
 *    id is derived from the key, and the log has its result.
 *  - The log is cut between two commits: if the cut is within a batch, the rest of the batch is copied too (tail.ts).
 *  - All other streams are cut after the log. So counters include the numbers in the log, and a timer that a commit of
 *    the log has set is there. Nonces, limits and counts of verifications are at least as new as the log.
 *  - Files and data are cut immediately after the log. All blobs that the log's cut refers to are there, because an
 *    unreferenced one is deleted only after a longer time than a backup takes. Blobs that were added in between belong
 *    to no commit of the backup, and a restore drops them (orphans.ts).
 *  - Streams other than the log and the files are copied together with all messages that arrived meanwhile (tail.ts).
 *  - If the log has an archive, nothing is archived while the backup is made. The backup holds the lock of the
 *    archive's index until it ends, and fails if the log was archived nevertheless. The segments are in a folder beside
 *    the backups, each once (segments.ts). A backup removes the parts of segments there whose time is over.
 *
 * There is one inaccuracy: a timer that was changed between the cut of the log and the cut of the timers fires at its
 * new time.
 */
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { ConsumerInfo } from "@nats-io/jetstream"
import { agreedTime, removeEnded } from "../../actors/log/archive/ending.ts"
import type { IndexTable, IndexWriter } from "../../actors/log/archive/index-table.ts"
import { type Mark, newestMark } from "../../actors/log/archive/mark.ts"
import type { Objects } from "../../actors/log/archive/objects.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { streams } from "../../schemas/subjects.ts"
import { VERSION } from "../../schemas/version.ts"
import type { Service } from "../cli/connection.ts"
import { Fault } from "../cli/fault.ts"
import { HashedFile, writeFolder } from "./files.ts"
import {
  type ConsumerPart,
  FORMAT,
  type Manifest,
  plainConfig,
  snapshotFile,
  STREAM_PATTERN,
  type StreamPart,
  tailFile
} from "./manifest.ts"
import { copySegments } from "./segments.ts"
import { beginCopy } from "./snapshot.ts"
import { copyRest, copyRestOfBatch } from "./tail.ts"

/** The oldest nats-server that cuts a copy at a sequence. */
const SERVER_OLDEST = [2, 15] as const
/**
 * Streams that are cut before the log, in this order, because their content refers to its commits. A reaction's mark
 * passes a command only after it was put aside, so marks come first.
 */
const BEFORE: ReadonlyArray<string> = [
  streams.idempotency,
  streams.newcomersIdempotency,
  streams.seen,
  streams.reactions,
  streams.aside
]
/** Streams that are cut first after the log, so that few timers change in between. */
const SOON: ReadonlyArray<string> = [streams.timers, streams.counters]
/**
 * Streams that are copied up to their cut, apart from the rest of a batch. Later messages belong to commits that are
 * not in the backup.
 */
const WITHOUT_REST: ReadonlyArray<string> = [streams.events, streams.blobs]

export interface BackupParts extends Pick<Service, "nats" | "manager"> {
  /** The log's archive, if it has one: the places from and to which its segments are copied. */
  readonly archive?: { readonly from: Objects; readonly to: Objects; readonly index: IndexTable } | undefined
  readonly serviceKey: string
  readonly signal: AbortSignal
  /**
   * Called with the bytes of a stream's copy that are written so far. `messages` is the number of messages in the
   * stream's snapshot once the copy is complete, and 0 before.
   */
  readonly progress: (stream: string, bytes: number, messages: number) => void
}

const HELD_TRIES = 600
const HELD_RETRY_MS = 1000

/** Throws a Fault if no backup can be made. When it resolves, the folder is complete. */
export const backup = async (target: string, parts: BackupParts): Promise<Manifest> => {
  refuseOldServer(parts)
  const { archive, signal } = parts
  if (archive === undefined) return copied(target, parts, null)
  // Copied commits must not leave the log meanwhile.
  for (let tries = 0; tries < HELD_TRIES; tries++) {
    const manifest = await archive.index.alone((held) => copied(target, parts, held))
    if (manifest !== null) return manifest
    await delay(HELD_RETRY_MS, undefined, { signal })
  }
  throw new Fault("the log is being archived, or copied by another backup: try again later")
}

/** Copies the archive's segments beside the backup, and resolves to the name of the newest one. */
const segmentsOf = async ({
  nats,
  manager,
  archive,
  signal,
  progress
}: BackupParts): Promise<Pick<Manifest, "archive">> => {
  const { segment } = await newestMark(nats)
  if (segment === null) return {}
  if (archive === undefined) throw new Fault("HUB_ARCHIVE is required: a part of the log is in an archive")
  progress("archive", await copySegments(archive.from, archive.to, segment, signal), 0)
  await removeEnded(archive.to, await agreedTime(manager, machineClock))
  return { archive: segment }
}

/**
 * Rejects if the log was archived since the given mark, because commits may have left the log before they were copied.
 */
const unmoved = async ({ nats }: BackupParts, { seq }: Mark, held: IndexWriter | null): Promise<void> => {
  await held?.confirm()
  if ((await newestMark(nats)).seq !== seq) throw new Fault("the log was archived while it was copied: try again")
}

const copied = async (target: string, parts: BackupParts, held: IndexWriter | null): Promise<Manifest> =>
  writeFolder(target, async (folder) => {
    const names = await streamNames(parts)
    const mark = await newestMark(parts.nats)
    const consumers = await consumersOf(parts, names)
    const before: Array<StreamPart> = []
    for (const name of BEFORE.filter((one) => names.includes(one)))
      before.push(await (await begin(folder, name, parts)).done)
    const log = await begin(folder, streams.events, parts)
    const at = Date.now()
    const blobs = await begin(folder, streams.blobs, parts)
    const others: Array<StreamPart> = []
    for (const name of rest(names)) others.push(await (await begin(folder, name, parts)).done)
    const manifest = {
      format: FORMAT,
      product: VERSION,
      server: parts.nats.info?.version ?? "",
      at,
      service_key: parts.serviceKey,
      streams: [...before, await log.done, ...others, await blobs.done],
      consumers,
      ...(await segmentsOf(parts))
    } as const
    await unmoved(parts, mark, held)
    return manifest
  })

const rest = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const apart: ReadonlyArray<string> = [streams.events, streams.blobs, ...BEFORE, ...SOON]
  const others = names.filter((name) => !apart.includes(name))
  return [...SOON.filter((name) => names.includes(name)), ...others]
}

const refuseOldServer = ({ nats }: BackupParts): void => {
  const version = nats.info?.version ?? ""
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (major > SERVER_OLDEST[0] || (major === SERVER_OLDEST[0] && minor >= SERVER_OLDEST[1])) return
  throw new Fault(
    `nats-server ${version} does not cut a copy at a sequence: backups need ${SERVER_OLDEST.join(".")} or newer`
  )
}

const streamNames = async ({ manager }: BackupParts): Promise<ReadonlyArray<string>> => {
  const names: Array<string> = []
  for await (const name of manager.streams.names()) if (STREAM_PATTERN.test(name)) names.push(name)
  const lacking = Object.values(streams).find((name) => !names.includes(name))
  if (lacking !== undefined) throw new Fault(`there is no stream ${lacking}: has an actor node ever been started here?`)
  return names.toSorted()
}

const consumersOf = async (
  { manager }: BackupParts,
  names: ReadonlyArray<string>
): Promise<ReadonlyArray<ConsumerPart>> => {
  const found: Array<ConsumerPart> = []
  for (const stream of names) {
    for await (const consumer of manager.consumers.list(stream))
      if (consumer.config.durable_name !== undefined) found.push(consumerPart(stream, consumer))
  }
  return found
}

const consumerPart = (stream: string, { name, config, ack_floor }: ConsumerInfo): ConsumerPart => ({
  stream,
  name,
  config: plainConfig(config),
  floor: ack_floor.stream_seq
})

/** Resolves when the stream is cut. */
const begin = async (
  folder: string,
  name: string,
  parts: BackupParts
): Promise<{ readonly done: Promise<StreamPart> }> => {
  const { nats, manager, signal, progress } = parts
  const [file, tail] = [
    await HashedFile.create(join(folder, snapshotFile(name))),
    await HashedFile.create(join(folder, tailFile(name)))
  ]
  const drop = async (error: unknown): Promise<never> => {
    await Promise.all([file.drop(), tail.drop()])
    throw error
  }
  let bytes = 0
  const sink = async (chunk: Uint8Array): Promise<void> => {
    await file.write(chunk)
    progress(name, (bytes += chunk.length), 0)
  }
  const { config, state, copied } = await beginCopy(nats, name, sink, signal).catch(drop)
  const finish = async (): Promise<StreamPart> => {
    // If the cut is within a batch, the rest of the batch is copied too.
    const ofBatch = name === streams.events ? await copyRestOfBatch(manager, name, state.last_seq, tail) : 0
    await copied
    const since = WITHOUT_REST.includes(name) ? 0 : await copyRest(parts, name, state.last_seq, tail, signal)
    progress(name, bytes, state.messages)
    return {
      name,
      state,
      config: plainConfig(config),
      snapshot: await file.end(),
      tail: { ...(await tail.end()), messages: ofBatch + since }
    }
  }
  const done = finish().catch(drop)
  done.catch(() => undefined)
  return { done }
}
