/**
 * Compares read models with the log. Each row must be the same as the projection makes from the log up to the same
 * sequence.
 *
 * Invariants
 *  - The served tables and their watermark are copied in one snapshot of the database, so that they are consistent
 *    however fast the service writes. Locks are held only during this copy.
 *  - The projection's own code applies the log up to exactly that watermark to separate tables in another schema.
 *  - The two are then joined by their keys. Missing rows on either side and different rows all count.
 *  - Rows that may be deleted because of their age are left out on both sides, because both results are right.
 *  - Columns that another stream also writes are left out: that stream is not kept completely, so their right values
 *    are unknown.
 *  - A rebuild and a verification of one projection exclude each other. Otherwise the swap of tables would wait for the
 *    copy, and readers would wait for the swap.
 */
import { Effect } from "effect"
import { type Kysely, sql } from "kysely"
import { type Database, LIVE_SCHEMA } from "../../actors/tables/database.ts"
import { Applier, type Mark } from "../../actors/projections/applier.ts"
import { Filling, type Progress } from "../../actors/projections/filling.ts"
import type { Message, Projection, ReadModelTable } from "../../actors/projections/projection.ts"
import { withoutOld } from "../../actors/projections/pruning.ts"
import { createShadow, workshops } from "../../actors/projections/shadow.ts"
import { toItsEnd } from "../../actors/projections/steps.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import type { Service } from "../cli/connection.ts"
import { Fault } from "../cli/fault.ts"
import { differences, valueText } from "../replay/difference.ts"
import { historyOf } from "../replay/fold.ts"
import { Masker } from "../replay/masks.ts"
import { NAMED_MAX, type Scope } from "./snapshots.ts"

/** The number of messages that are applied at once if only a sample is compared. */
const BATCH = 2000

interface TableReport {
  readonly table: string
  readonly rows: number
  readonly differing: number
  /** Descriptions of the first differences by key, at most `NAMED_MAX`. */
  readonly named: ReadonlyArray<string>
}

export interface ReadModelReport {
  /** The watermark at which they were compared. */
  readonly seq: number
  readonly tables: ReadonlyArray<TableReport>
}

type Db = Kysely<Database>

export const verifyReadModels = (
  service: Service,
  projection: Projection,
  scope: Scope,
  progress: (done: Progress) => void
): Effect.Effect<ReadModelReport, unknown> => {
  const tables = projection.tables.filter(
    (table) => (scope.kind === null || table.kind === scope.kind) && (scope.sample === null || table.actor !== null)
  )
  const schema = `verify_${projection.name}`
  const verified = Effect.gen(function* () {
    const [db] = yield* workshops(service.databaseUrl, [projection], () => schema)
    if (db === undefined) return yield* Effect.die(new Error("no connection was opened"))
    const copied = async () => {
      await createShadow(db, schema, projection)
      const sampled = scope.sample === null ? null : await sampledActors(db, tables, scope.sample)
      return { sampled, seq: await copyServed(db, schema, projection, tables, sampled) }
    }
    const { sampled, seq } = yield* toItsEnd(copied)
    yield* sampled === null
      ? new Filling(db, { ...service, projection, progress }).upTo(seq)
      : toItsEnd(() => fillSample(service, db, projection, sampled, seq))
    const now = wallMs(service.clock)
    for (const table of tables)
      for (const copy of [table.name, copyOf(table)])
        yield* toItsEnd(() => withoutOld(db, `${schema}.${copy}`, table, { limits: service.limits, now }))
    const reports = yield* Effect.forEach(tables, (table) => toItsEnd(() => compared(db, schema, table)))
    return { seq, tables: reports }
  })
  return Effect.scoped(verified)
}

/** The ids of the picked actors, by kind. */
type Sampled = ReadonlyMap<string, ReadonlyArray<string>>

const sampledActors = async (db: Db, tables: ReadonlyArray<ReadModelTable>, sample: number): Promise<Sampled> => {
  const picked = new Map<string, ReadonlyArray<string>>()
  for (const { name, kind, actor } of tables) {
    if (picked.has(kind) || actor === null) continue
    const { rows } = await sql<{ id: string }>`
      select id from (select distinct ${sql.ref(actor)} as id from ${sql.table(`${LIVE_SCHEMA}.${name}`)}) as actors
      order by random() limit ${sample}`.execute(db)
    picked.set(
      kind,
      rows.map((row) => row.id)
    )
  }
  return picked
}

/** Copies the served rows, and returns their watermark. */
const copyServed = (
  db: Db,
  schema: string,
  { name, version }: Projection,
  tables: ReadonlyArray<ReadModelTable>,
  sampled: Sampled | null
): Promise<number> =>
  db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      const { rows } = await sql<{ seq: string; version: number }>`
      select seq, version from ${sql.table(`${LIVE_SCHEMA}.projections`)} where name = ${name}`.execute(trx)
      const [row] = rows
      if (row === undefined) throw new Fault("nothing has been projected yet")
      if (row.version !== version)
        throw new Fault(
          `the read models are of version ${row.version}, this release makes version ${version}: they are, or must be, rebuilt first`
        )
      for (const table of tables) {
        const copy = sql.table(`${schema}.${copyOf(table)}`)
        const served = sql.table(`${LIVE_SCHEMA}.${table.name}`)
        await sql`create unlogged table ${copy} (like ${served})`.execute(trx)
        const some =
          sampled === null || table.actor === null
            ? sql`true`
            : sql`${sql.ref(table.actor)} = any(${sampled.get(table.kind) ?? []})`
        await sql`insert into ${copy} select * from ${served} where ${some}`.execute(trx)
      }
      return Number(row.seq)
    })

const copyOf = (table: ReadModelTable): string => `served_${table.name}`

/** Applies only the histories of the sampled actors, in the order of the log. */
const fillSample = async (
  service: Service,
  db: Db,
  projection: Projection,
  sampled: Sampled,
  last: number
): Promise<void> => {
  const messages: Array<Message> = []
  for (const [kind, ids] of sampled) {
    for (const id of ids) {
      for await (const { seq, commit } of historyOf(service.log, kind, id)) {
        if (seq > last) break
        messages.push({ seq, kind, id, data: Buffer.from(JSON.stringify(commit)) })
      }
    }
  }
  messages.sort((one, other) => one.seq - other.seq)
  const applier = new Applier(db, projection)
  let mark: Mark = { seq: 0, kept: 0 }
  for (let from = 0; from < messages.length; from += BATCH)
    mark = await applier.apply(messages.slice(from, from + BATCH), mark)
}

const compared = async (db: Db, schema: string, table: ReadModelTable): Promise<TableReport> => {
  const { keys, columns } = await columnsOf(db, table)
  const row = (alias: string) => sql`(${sql.join(columns.map((column) => sql.ref(`${alias}.${column}`)))})`
  const made = sql.table(`${schema}.${table.name}`)
  const served = sql.table(`${schema}.${copyOf(table)}`)
  const on = sql.join(
    keys.map((key) => sql`s.${sql.ref(key)} = m.${sql.ref(key)}`),
    sql` and `
  )
  const [key = ""] = keys
  const unequal = sql`${sql.ref(`s.${key}`)} is null or ${sql.ref(`m.${key}`)} is null or ${row("s")} is distinct from ${row("m")}`
  const { rows: counts } = await sql<{ rows: string; differing: string }>`
    select count(*) as rows, count(*) filter (where ${unequal}) as differing from ${served} s full join ${made} m on ${on}`.execute(
    db
  )
  const differing = Number(counts[0]?.differing ?? 0)
  const report = { table: table.name, rows: Number(counts[0]?.rows ?? 0), differing }
  if (differing === 0) return { ...report, named: [] }
  const order = sql.join(keys.map((name) => sql`coalesce(s.${sql.ref(name)}, m.${sql.ref(name)})`))
  const { rows: found } = await sql<Pair>`
    select to_jsonb(s) as served, to_jsonb(m) as made from ${served} s full join ${made} m on ${on}
    where ${unequal} order by ${order} limit ${NAMED_MAX}`.execute(db)
  return { ...report, named: found.map((pair) => inWords(table, keys, columns, pair)) }
}

type Row = Readonly<Record<string, unknown>>

interface Pair {
  readonly served: Row | null
  readonly made: Row | null
}

const inWords = (
  table: ReadModelTable,
  keys: ReadonlyArray<string>,
  columns: ReadonlyArray<string>,
  pair: Pair
): string => {
  const key = keys.map((name) => String((pair.served ?? pair.made ?? {})[name])).join(" ")
  const what = `${table.name} ${key}`
  if (pair.served === null) return `${what}: is not served, the log makes it`
  if (pair.made === null) return `${what}: is served, the log does not make it`
  const masker = new Masker()
  const part = (row: Row): unknown => masker.mask(Object.fromEntries(columns.map((column) => [column, row[column]])))
  const [difference] = differences(part(pair.served), part(pair.made))
  return `${what}: ${difference?.path} is ${valueText(difference?.before)}, the log makes it ${valueText(difference?.after)}`
}

const columnsOf = async (
  db: Db,
  { name, foreign = [] }: ReadModelTable
): Promise<{ keys: ReadonlyArray<string>; columns: ReadonlyArray<string> }> => {
  const { rows } = await sql<{ name: string; key: number | null }>`
    select a.attname as name, array_position(c.conkey, a.attnum) as key
    from pg_attribute a left join pg_constraint c on c.conrelid = a.attrelid and c.contype = 'p'
    where a.attrelid = ${`${LIVE_SCHEMA}.${name}`}::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`.execute(
    db
  )
  const keys = rows
    .filter((row) => row.key !== null)
    .toSorted((one, other) => (one.key ?? 0) - (other.key ?? 0))
    .map((row) => row.name)
  if (keys.length === 0) throw new Error(`${name} has no primary key`)
  return { keys, columns: rows.map((row) => row.name).filter((column) => !foreign.includes(column)) }
}
