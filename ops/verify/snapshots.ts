/**
 * Compares snapshots with the log. Each must equal the fold of the log up to its sequence, including the commands it
 * remembers.
 *
 * The history of one actor is spread over the whole log, and for each of its commits the server reads a large block
 * around it. So if many actors have a snapshot, their histories are folded together in one reading of the log.
 */
import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import { sql } from "kysely"
import { reactionPlaceOf } from "../../actors/engine/command-ids.ts"
import { decodeEvent, MisshapenEvent } from "../../actors/engine/events.ts"
import { UnknownEvent } from "../../actors/engine/fold.ts"
import { Remembered } from "../../actors/engine/remembered.ts"
import { KINDS } from "../../actors/process/kinds.ts"
import type { LogEntry } from "../../actors/log/commit.ts"
import type { Stored } from "../../actors/log/stream-pages.ts"
import { messageOf } from "../../actors/projections/projection.ts"
import { readLog } from "../at/read-log.ts"
import type { Service } from "../cli/connection.ts"
import { asJson, differences, valueText } from "../replay/difference.ts"
import { evolved, historyOf, kindOf, stateProblem } from "../replay/fold.ts"
import { Masker } from "../replay/masks.ts"

/** Rows read at once, and folded side by side. */
const PAGE = 16
/** Rows that are read at once if their states are not needed. */
const OUTLINES = 500
/** The number of actors that are folded together. Their states are in memory until the log has been read. */
const TOGETHER = 50_000
/** Reading this number of commits in order costs as much as reading the history of one actor. */
const COMMITS_A_HISTORY = 1000

interface Outline {
  readonly kind: string
  readonly id: string
  readonly seq: number
  readonly commands: ReadonlyArray<unknown>
}

interface SnapshotRow extends Outline {
  readonly state: unknown
}

export interface SnapshotReport {
  readonly checked: number
  readonly differing: number
  /** Descriptions of the first differences by kind and id, at most `NAMED_MAX`. */
  readonly named: ReadonlyArray<string>
}

/** The most differences that each part of a report describes. Further ones are only counted. */
export const NAMED_MAX = 100

export interface Scope {
  readonly kind: string | null
  /** The number of snapshots to compare, picked at random; `null` for all. */
  readonly sample: number | null
  readonly signal: AbortSignal
}

export const verifySnapshots = async (
  service: Service,
  scope: Scope,
  progress: (checked: number) => void
): Promise<SnapshotReport> => {
  let checked = 0
  let differing = 0
  const named: Array<string> = []
  for await (const group of groupsOf(service, scope)) {
    const folded = await foldedTogether(service, group)
    for (let from = 0; from < group.length; from += PAGE) {
      scope.signal.throwIfAborted()
      const rows = await rowsOf(service, group.slice(from, from + PAGE))
      const found = await Promise.all(rows.map((row) => faultOf(service, row, folded.get(keyOf(row)))))
      checked += rows.length
      differing += found.filter((fault) => fault !== null).length
      named.push(...found.filter((fault) => fault !== null).slice(0, NAMED_MAX - named.length))
      progress(checked)
    }
  }
  return { checked, differing, named }
}

type Key = readonly [kind: string, id: string]

interface DueSnapshot {
  readonly kind: string
  readonly id: string
  readonly seq: number
  readonly fold: Folding | null
}

const keyOf = ({ kind, id }: Pick<Outline, "kind" | "id">): string => `${kind} ${id}`

/** Groups of about `TOGETHER` snapshots, each with an empty fold. */
async function* groupsOf(service: Service, scope: Scope): AsyncGenerator<ReadonlyArray<DueSnapshot>> {
  let group: Array<DueSnapshot> = []
  for await (const outlines of outlinesOf(service, scope)) {
    for (const outline of outlines) {
      const { kind, id, seq } = outline
      group.push({ kind, id, seq, fold: kindOf(kind) === undefined ? null : new Folding(outline) })
    }
    if (group.length < TOGETHER) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Snapshots by kind and id, or those that were picked. */
async function* outlinesOf(service: Service, { kind, sample }: Scope): AsyncGenerator<ReadonlyArray<Outline>> {
  const picked = sample === null ? null : await sampledKeys(service, kind, sample)
  let after: Key = ["", ""]
  for (let page = 0; ; page++) {
    const some =
      picked === null
        ? sql`(kind, id) > (${after[0]}, ${after[1]}) and ${ofKind(kind)}`
        : oneOf(picked.slice(page * OUTLINES, (page + 1) * OUTLINES))
    const { rows } = await sql<Omit<Outline, "seq"> & { readonly seq: string }>`
      select kind, id, seq, commands from snapshots where ${ofThisRelease} and ${some}
      order by kind, id limit ${OUTLINES}`.execute(service.db)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map((row) => ({ ...row, seq: Number(row.seq) }))
    after = [last.kind, last.id]
  }
}

const rowsOf = async (service: Service, group: ReadonlyArray<DueSnapshot>): Promise<ReadonlyArray<SnapshotRow>> => {
  const { rows } = await sql<Omit<SnapshotRow, "seq"> & { readonly seq: string }>`
    select kind, id, seq, state, commands from snapshots
    where ${ofThisRelease} and ${oneOf(group.map(({ kind, id }): Key => [kind, id]))}
    order by kind, id`.execute(service.db)
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}

/** The folds of the log by kind and id. Empty if reading each history alone costs less. */
const foldedTogether = async (
  service: Service,
  group: ReadonlyArray<DueSnapshot>
): Promise<ReadonlyMap<string, Folding>> => {
  const last = Math.max(...group.map(({ seq }) => seq))
  if (group.length * COMMITS_A_HISTORY < last) return new Map()
  const foldings = new Map<string, Folding>()
  for (const { kind, id, fold } of group) if (fold !== null) foldings.set(keyOf({ kind, id }), fold)
  const receive = ({ seq, subject, data }: Stored): void => {
    const { kind, id } = messageOf(subject, seq, data)
    const folding = foldings.get(keyOf({ kind, id }))
    if (folding !== undefined && seq <= folding.until && data.length > 0)
      folding.takeChecked({ seq, commit: JSON.parse(text.decode(data)) })
  }
  await Effect.runPromise(readLog(service, last, receive))
  return foldings
}

const text = new TextDecoder()

/** The fold of an actor's log up to the sequence of its snapshot. */
class Folding {
  readonly until: number
  state: unknown
  seq = 0
  /** Describes the part of the history that cannot be read; `null` if there is none. */
  problem: string | null = null
  readonly remembered: Remembered
  private readonly of: Outline
  private readonly kind: NonNullable<ReturnType<typeof kindOf>>
  private readonly bounds: ReturnType<typeof asMany>

  /** Throws if the kind does not exist. */
  constructor(of: Outline) {
    const kind = kindOf(of.kind)
    if (kind === undefined) throw new Error(`there is no kind ${of.kind}`)
    this.of = of
    this.kind = kind
    this.until = of.seq
    this.state = kind.fold.initial
    this.bounds = asMany(of)
    this.remembered = new Remembered(of.kind, of.id)
  }

  take(entry: LogEntry): void {
    this.state = evolved(this.kind.fold, this.of.id, this.state, entry)
    this.seq = entry.seq
    const { id, at, reply } = entry.commit
    this.remembered.add({ id, at, ...(reply === undefined ? {} : { reply }) }, this.bounds)
  }

  /**
   * Takes a commit and decodes every event completely, as its kind declares it. A failure to decode is reported as the
   * actor's problem.
   */
  takeChecked(entry: LogEntry): void {
    if (this.problem !== null) return
    const { events } = this.kind
    try {
      if (events !== null) for (const event of entry.commit.events) decodeEvent(this.of.kind, events, event)
      this.take(entry)
    } catch (error) {
      if (!isFinding(error)) throw error
      this.problem = error.message
    }
  }
}

/** A history that cannot be read is a finding, and does not end the search. */
const isFinding = (error: unknown): error is MisshapenEvent | UnknownEvent =>
  error instanceof MisshapenEvent || error instanceof UnknownEvent

/** Kinds whose snapshots are compared. Actors that end have no snapshots. */
const KEPT = KINDS.filter(({ fold }) => fold.ends !== true)

const ofThisRelease = sql<boolean>`
  (kind, format) in (
    select * from unnest(${KEPT.map(({ fold }) => fold.kind)}::text[], ${KEPT.map(({ format }) => format)}::integer[])
  )
`

const ofKind = (kind: string | null) => (kind === null ? sql<boolean>`true` : sql<boolean>`kind = ${kind}`)

const oneOf = (keys: ReadonlyArray<Key>) =>
  sql<boolean>`(kind, id) in (select * from unnest(${keys.map(([kind]) => kind)}::text[], ${keys.map(([, id]) => id)}::text[]))`

const sampledKeys = async ({ db }: Service, kind: string | null, sample: number): Promise<ReadonlyArray<Key>> => {
  const { rows } = await sql<{ kind: string; id: string }>`
    select kind, id from snapshots where ${ofThisRelease} and ${ofKind(kind)} order by random() limit ${sample}`.execute(
    db
  )
  return rows.map((row): Key => [row.kind, row.id])
}

const faultOf = async (service: Service, row: SnapshotRow, folded: Folding | undefined): Promise<string | null> => {
  const name = `snapshot of ${row.kind} ${row.id} at sequence ${row.seq}`
  if (kindOf(row.kind) === undefined) return `${name}: there is no such kind`
  try {
    // The snapshot may have been replaced since the log was read.
    const made = folded?.until === row.seq ? folded : await foldedAlone(service, row)
    return made.problem === null ? unlike(row, made, name) : `${name}: ${made.problem}`
  } catch (error) {
    if (isFinding(error)) return `${name}: ${error.message}`
    throw error
  }
}

const foldedAlone = async (service: Service, row: SnapshotRow): Promise<Folding> => {
  const folding = new Folding(row)
  for await (const entry of historyOf(service.log, row.kind, row.id)) {
    if (entry.seq > row.seq) break
    folding.take(entry)
  }
  return folding
}

/**
 * Keeps as many remembered commands as the snapshot has, because their number and age depended on the limits of the
 * node that took it.
 */
const asMany = ({ kind, id, commands }: Outline) => ({
  command_memory_max: Math.max(1, commands.filter((command) => !isPlaceOf(kind, id, command)).length),
  command_memory_seconds: Number.POSITIVE_INFINITY
})

const isPlaceOf = (kind: string, id: string, command: unknown): boolean => {
  const named = typeof command === "object" && command !== null && "id" in command ? String(command.id) : ""
  const place = reactionPlaceOf(named)
  return place?.kind === kind && place.actor === id
}

const unlike = (row: SnapshotRow, { state, seq, remembered }: Folding, name: string): string | null => {
  const misshapen = stateProblem(row.kind, state)
  if (misshapen !== null) return `${name}: the log makes it what its kind does not declare: ${misshapen}`
  if (seq !== row.seq)
    return `${name}: the log has ${seq === 0 ? "nothing of it" : `its last commit before that at ${seq}`}`
  const masker = new Masker()
  const made = { state: asJson(state), commands: asJson(remembered.all) }
  const kept = { state: row.state, commands: row.commands }
  if (isDeepStrictEqual(kept, made)) return null
  const [difference] = differences(masker.mask(kept), masker.mask(made))
  return difference === undefined
    ? `${name}: differs in what is masked`
    : `${name}: ${difference.path} is ${valueText(difference.before)}, the log makes it ${valueText(difference.after)}`
}
