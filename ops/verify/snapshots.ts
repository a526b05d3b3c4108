/**
 * Snapshots held against the log: each must be what the log up to its sequence folds to, with the commands it
 * remembers.
 */
import { isDeepStrictEqual } from "node:util"
import { sql } from "kysely"
import { reactionPlaceOf } from "../../actors/engine/command-ids.ts"
import { MisshapenEvent } from "../../actors/engine/events.ts"
import { UnknownEvent } from "../../actors/engine/fold.ts"
import { Remembered } from "../../actors/engine/remembered.ts"
import { KINDS } from "../../actors/process/kinds.ts"
import type { Service } from "../cli/connection.ts"
import { asJson, differences, shown } from "../replay/difference.ts"
import { evolved, historyOf, kindOf, stateProblem } from "../replay/fold.ts"
import { Masker } from "../replay/masks.ts"

/** Rows read at once, and folded side by side. */
const PAGE = 16

interface SnapshotRow {
  readonly kind: string
  readonly id: string
  readonly seq: number
  readonly state: unknown
  readonly commands: ReadonlyArray<unknown>
}

export interface SnapshotReport {
  readonly checked: number
  readonly differing: number
  /** In words, the first ones by kind and id: `NAMED_MAX` at most. */
  readonly named: ReadonlyArray<string>
}

/** Differences that each part of a report names in words; further ones are only counted. */
export const NAMED_MAX = 100

export interface Scope {
  readonly kind: string | null
  /** This many, picked at random; all without it. */
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
  for await (const rows of snapshotPages(service, scope)) {
    scope.signal.throwIfAborted()
    const found = await Promise.all(rows.map((row) => faultOf(service, row)))
    checked += rows.length
    differing += found.filter((fault) => fault !== null).length
    named.push(...found.filter((fault) => fault !== null).slice(0, NAMED_MAX - named.length))
    progress(checked)
  }
  return { checked, differing, named }
}

type Key = readonly [kind: string, id: string]

async function* snapshotPages(service: Service, { kind, sample }: Scope): AsyncGenerator<ReadonlyArray<SnapshotRow>> {
  const picked = sample === null ? null : await sampledKeys(service, kind, sample)
  let after: Key = ["", ""]
  for (let page = 0; ; page++) {
    const some =
      picked === null
        ? sql`(kind, id) > (${after[0]}, ${after[1]}) and ${ofKind(kind)}`
        : oneOf(picked.slice(page * PAGE, (page + 1) * PAGE))
    const { rows } = await sql<Omit<SnapshotRow, "seq"> & { readonly seq: string }>`
      select kind, id, seq, state, commands from snapshots where ${ofThisRelease} and ${some} order by kind, id limit ${PAGE}`.execute(
      service.db
    )
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map((row) => ({ ...row, seq: Number(row.seq) }))
    after = [last.kind, last.id]
  }
}

/** Actors that end have none. An older release may have left some: nobody reads them. */
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

const faultOf = async (service: Service, row: SnapshotRow): Promise<string | null> => {
  const name = `snapshot of ${row.kind} ${row.id} at sequence ${row.seq}`
  return unlike(service, row, name).catch((error: unknown) => {
    // One actor's history that cannot be read is a finding, and no end of the search.
    if (error instanceof MisshapenEvent || error instanceof UnknownEvent) return `${name}: ${error.message}`
    throw error
  })
}

/** As many as the snapshot has: how many those may be, and how old, the node that took it was told. */
const asMany = ({ kind, id, commands }: SnapshotRow) => ({
  command_memory_max: Math.max(1, commands.filter((command) => !isPlaceOf(kind, id, command)).length),
  command_memory_seconds: Number.POSITIVE_INFINITY
})

const isPlaceOf = (kind: string, id: string, command: unknown): boolean => {
  const named = typeof command === "object" && command !== null && "id" in command ? String(command.id) : ""
  const place = reactionPlaceOf(named)
  return place?.kind === kind && place.actor === id
}

const unlike = async (service: Service, row: SnapshotRow, name: string): Promise<string | null> => {
  const fold = kindOf(row.kind)?.fold
  if (fold === undefined) return `${name}: there is no such kind`
  let state = fold.initial
  let seq = 0
  const remembered = new Remembered(row.kind, row.id)
  const bounds = asMany(row)
  for await (const entry of historyOf(service.log, row.kind, row.id)) {
    if (entry.seq > row.seq) break
    state = evolved(fold, row.id, state, entry)
    seq = entry.seq
    const { id, at, reply } = entry.commit
    remembered.add({ id, at, ...(reply === undefined ? {} : { reply }) }, bounds)
  }
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
    : `${name}: ${difference.path} is ${shown(difference.before)}, the log makes it ${shown(difference.after)}`
}
