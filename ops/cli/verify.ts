/**
 * `hub verify`: compares snapshots and read models with the log, counters with the read models, and files with their
 * hashes. With `--scores` it compares only scores. It writes only to tables of its own, which it drops.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { KINDS } from "../../actors/process/kinds.ts"
import { seenProjection } from "../../actors/agent/seen/aspect.ts"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import { type Behind, countersBehind } from "../../actors/projections/numbered.ts"
import { nextSeq } from "../../actors/log/stream-pages.ts"
import type { Projection } from "../../actors/projections/projection.ts"
import { rowOf } from "../../actors/projections/reading.ts"
import { Busy, PLACES } from "../../actors/projections/steps.ts"
import { type BlobReport, verifyBlobs } from "../verify/blobs.ts"
import { type ReadModelReport, verifyReadModels } from "../verify/read-models.ts"
import { verifyScores } from "../verify/scores.ts"
import { type Scope, type SnapshotReport, verifySnapshots } from "../verify/snapshots.ts"
import { type PassedOver, passedOver } from "../status/passed-over.ts"
import { type Arguments, type Command, Finding } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"
import { type LogProgress, progressOf } from "./progress.ts"

/** All read models but the one of last-seen times, which is made from another stream. */
const VERIFIABLE = PROJECTIONS.filter((projection) => projection !== seenProjection)
const SAMPLE_MAX = 10_000

export const verifyCommand = {
  usage: ["verify [--kind <kind>] [--sample <number>]", "verify --scores"],
  run: (service, args) =>
    untilInterrupted((signal) =>
      args.values.scores === true
        ? recounted(service, args, signal)
        : verified(service, scopeOf(args, signal), progressOf)
    )
} satisfies Command

const recounted = async (service: Service, { values }: Arguments, signal: AbortSignal): Promise<string | Finding> => {
  if (values.kind !== undefined || values.sample !== undefined) throw new Fault("--scores goes without other options")
  const { agents, entries, differing, named } = await verifyScores(service, signal)
  const counted = `scores: ${entries} entries of ${agents} agents`
  if (named.length === 0) return `${counted} equal what the log makes`
  return new Finding([`${counted}, ${differing} DIFFER from what the log makes`, ...named.map(difference)].join("\n"))
}

const scopeOf = ({ values }: Arguments, signal: AbortSignal): Scope => {
  const kinds = KINDS.map((kind) => kind.fold.kind)
  if (values.kind !== undefined && !kinds.includes(values.kind))
    throw new Fault(`--kind takes one of ${kinds.join(", ")}`)
  const sample = values.sample === undefined ? null : Number(values.sample)
  if (sample !== null && !(Number.isInteger(sample) && sample >= 1 && sample <= SAMPLE_MAX))
    throw new Fault(`--sample takes a whole number from 1 to ${SAMPLE_MAX}`)
  return { kind: values.kind ?? null, sample, signal }
}

export const verified = async (
  service: Service,
  scope: Scope,
  progress: (what: string) => (done: LogProgress) => void
): Promise<string | Finding> => {
  const began = performance.now()
  const snapshots = await verifySnapshots(service, scope, () => undefined)
  const said = [snapshotLine(snapshots)]
  const faults = [...snapshots.named]
  const chosen = VERIFIABLE.filter(
    ({ tables }) => scope.kind === null || tables.some((table) => table.kind === scope.kind)
  )
  const comparing = Effect.forEach(
    chosen,
    (projection) =>
      Effect.map(compared(service, projection, scope, progress(projection.name)), (report) => ({ projection, report })),
    { concurrency: PLACES }
  )
  for (const { projection, report } of await Effect.runPromise(comparing, { signal: scope.signal })) {
    const incomplete = await passedOver(service.db, projection.name)
    said.push(...readModelLines(projection, report))
    faults.push(...report.tables.flatMap((table) => table.named), ...incomplete.map(passedOverLine))
    const ahead = await aheadOfStream(service, projection, report.seq)
    if (ahead !== null) faults.push(ahead)
    const still = await standsStill(service, projection, report.seq)
    if (still !== null) faults.push(`${projection.name} ${still} at sequence ${report.seq}: the log goes on behind it`)
  }
  if (scope.kind === null || scope.kind === "blob" || scope.kind === "post") {
    const blobs = await verifyBlobs(service, scope)
    said.push(blobLine(blobs))
    faults.push(...blobs.named)
  }
  if (scope.kind === null) faults.push(...(await countersBehind(service.nats, service.db)).map(behindLine))
  said.push(...leftOut(scope))
  const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`
  if (faults.length === 0) return [...said, `verified in ${seconds}`].join("\n")
  return new Finding([...said, ...faults.map(difference), `not verified, in ${seconds}`].join("\n"))
}

const difference = (fault: string): string => `difference: ${fault}`

const behindLine = ({ counter, given, highest }: Behind): string =>
  `the counter ${counter} stands at ${given}, and the tables hold ${highest}: it would give numbers twice`

const passedOverLine = ({ projection, seq, kind, id, error }: PassedOver): string =>
  `${projection} has not all rows of ${kind} ${id} at sequence ${seq}: ${error}`

/** A sentence if the tables contain messages that their stream no longer has; `null` if they do not. */
const aheadOfStream = async (
  { manager }: Service,
  { name, stream }: Projection,
  seq: number
): Promise<string | null> => {
  const { last_seq: end } = (await manager.streams.info(stream)).state
  return end >= seq ? null : `${name} is at sequence ${seq}, and ${stream} ends at ${end}: it has lost what came behind`
}

/**
 * The longest time that a projector needs to write its watermark. It may wait for a lock, or for another node to take
 * over its shard.
 */
const MOVES_WITHIN_MS = 10_000
const LOOK_MS = 500

/** True if the stream has messages that are not in the tables yet. */
const goesOn = async ({ nats }: Service, { stream, subjects }: Projection, seq: number): Promise<boolean> => {
  const next = subjects.map((subject) => Effect.runPromise(nextSeq(nats, stream, seq, subject)))
  return (await Promise.all(next)).some((found) => found !== null)
}

/** A sentence if the read model lacks messages and does not advance; `null` if it is fine. */
const standsStill = async (service: Service, projection: Projection, seq: number): Promise<string | null> => {
  // Without nodes the log is not applied, so read models that were not compared cannot be called verified.
  if (service.view.sessions().length === 0)
    return (await goesOn(service, projection, seq)) ? "is behind, and no actor node runs," : null
  const until = performance.now() + MOVES_WITHIN_MS
  while (await goesOn(service, projection, seq)) {
    const row = await rowOf(service.db, projection.name)
    if (row === undefined || row.seq > seq) return null
    if (performance.now() > until) return "stands still"
    await sleep(LOOK_MS)
  }
  return null
}

const compared = (
  service: Service,
  projection: Projection,
  scope: Scope,
  progress: (done: LogProgress) => void
): Effect.Effect<ReadModelReport, unknown> =>
  Effect.mapError(verifyReadModels(service, projection, scope, progress), (error) =>
    error instanceof Busy ? new Fault(error.message) : error
  )

const snapshotLine = ({ checked, differing }: SnapshotReport): string =>
  checked === 0
    ? "snapshots: none"
    : differing === 0
      ? `snapshots: ${checked} of ${checked} equal the fold of their logs`
      : `snapshots: ${differing} of ${checked} DIFFER from the fold of their logs`

const blobLine = ({ checked, differing }: BlobReport): string =>
  checked === 0
    ? "files and data: none"
    : differing === 0
      ? `files and data: ${checked} of ${checked} are there, with their hashes`
      : `files and data: ${differing} of ${checked} are NOT as they are named`

const readModelLines = ({ name }: Projection, { seq, tables }: ReadModelReport): ReadonlyArray<string> => [
  `${name} at sequence ${seq}`,
  ...tables.map(
    ({ table, rows, differing }) =>
      `  ${table}: ${differing === 0 ? `${rows} of ${rows} rows equal what the log makes` : `${differing} of ${rows} rows DIFFER`}`
  )
]

const leftOut = ({ kind, sample }: Scope): ReadonlyArray<string> => {
  const tables = VERIFIABLE.flatMap((projection) => projection.tables).filter(
    (table) => kind === null || table.kind === kind
  )
  const foreign = tables.flatMap((table) => (table.foreign ?? []).map((column) => `${table.name}.${column}`))
  const others = kind === null || kind === "agent" ? seenProjection.tables.map((table) => table.name) : []
  const joint = sample === null ? [] : tables.filter((table) => table.actor === null).map((table) => table.name)
  return [
    ...(foreign.length + others.length === 0
      ? []
      : [
          `not compared: ${[...foreign, ...others].join(", ")}: made of ${seenProjection.stream}, ` +
            "which keeps the newest time of each agent only"
        ]),
    ...(joint.length === 0
      ? []
      : [`not compared: ${joint.join(", ")}: made of all actors, and only ${sample} were picked`])
  ]
}
