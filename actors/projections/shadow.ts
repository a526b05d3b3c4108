/**
 * Creates copies of a projection's tables in a separate schema. After they are filled, they are compared with the
 * served tables or replace them. Keys exist from the start, because they decide which rows are faulty. Other indexes
 * are built after the rows are written.
 */
import { Effect, type Scope } from "effect"
import { type Kysely, sql, type Transaction } from "kysely"
import { type Database, LIVE_SCHEMA, openBulkDatabase } from "../tables/database.ts"
import type { Projection } from "./projection.ts"
import { inPlace, toItsEnd } from "./steps.ts"

type Db = Kysely<Database>

/**
 * Leaves room in each page for new versions of its rows while the log is applied. Without it, a row that changes often
 * is spread over many pages.
 */
const FILL_PERCENT = 50

/** Tables that each copy has of its own, because watermarks and faults describe the copied tables. */
const BOOKS = ["projections", "projection_faults"] as const

const run = async (db: Db, text: string): Promise<void> => {
  await sql.raw(text).execute(db)
}

/** Connections that fill the schemas of these projections. While the scope is open, no other process does that. */
export const workshops = (
  databaseUrl: string,
  projections: ReadonlyArray<Projection>,
  schemaOf: (projection: Projection) => string
): Effect.Effect<ReadonlyArray<Db>, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const names = projections.map(({ name }) => name)
    const held = yield* inPlace(yield* opened(databaseUrl, LIVE_SCHEMA), names)
    return yield* Effect.forEach(projections, (projection) => {
      const schema = schemaOf(projection)
      const dropped = Effect.addFinalizer(() => Effect.ignore(toItsEnd(() => dropShadow(held, schema))))
      return Effect.tap(opened(databaseUrl, schema), dropped)
    })
  })

const opened = (databaseUrl: string, schema: string): Effect.Effect<Db, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => openBulkDatabase(databaseUrl, schema)),
    (db) => Effect.promise(() => db.destroy())
  )

const dropShadow = (db: Db, schema: string): Promise<void> => run(db, `drop schema if exists ${schema} cascade`)

/** Creates the empty tables at watermark 0. The remains of earlier copies are dropped. */
export const createShadow = async (db: Db, schema: string, projection: Projection): Promise<void> => {
  await dropShadow(db, schema)
  await run(db, `create schema ${schema}`)
  for (const name of [...projection.tables.map((table) => table.name), ...projection.besides, ...BOOKS]) {
    await run(
      db,
      `create unlogged table ${schema}.${name} ` +
        `(like ${LIVE_SCHEMA}.${name} including defaults including constraints including generated) with (fillfactor = ${FILL_PERCENT})`
    )
    for (const key of await keysOf(db, name))
      await run(db, `alter table ${schema}.${name} add constraint ${key.name} ${key.definition}`)
  }
  await db.insertInto("projections").values({ name: projection.name, version: projection.version, seq: 0 }).execute()
}

/** Prepares filled tables for service: makes them crash-safe, and adds indexes and statistics. */
export const finishShadow = async (db: Db, schema: string, projection: Projection): Promise<void> => {
  for (const { name } of projection.tables) {
    // The second statement rewrites the table. The first makes the rewrite pack its pages fully.
    await run(db, `alter table ${schema}.${name} reset (fillfactor)`)
    await run(db, `alter table ${schema}.${name} set logged`)
    for (const index of await indexesOf(db, name)) await run(db, indexIn(schema, name, index))
    await run(db, `analyze ${schema}.${name}`)
  }
}

/**
 * Replaces the served tables by the copies. It runs in the transaction that also moves the watermark, and waits for
 * readers up to the transaction's lock_timeout.
 */
export const takePlace = async (trx: Transaction<Database>, schema: string, projection: Projection): Promise<void> => {
  const names = projection.tables.map((table) => table.name)
  await run(trx, `lock table ${names.map((name) => `${LIVE_SCHEMA}.${name}`).join(", ")} in access exclusive mode`)
  for (const name of names) {
    await run(trx, `drop table ${LIVE_SCHEMA}.${name}`)
    await run(trx, `alter table ${schema}.${name} set schema ${LIVE_SCHEMA}`)
  }
  await run(trx, `delete from ${LIVE_SCHEMA}.projection_faults where projection = '${projection.name}'`)
  await run(trx, `insert into ${LIVE_SCHEMA}.projection_faults select * from ${schema}.projection_faults`)
  await dropShadow(trx, schema)
}

interface Key {
  readonly name: string
  readonly definition: string
}

const keysOf = async (db: Db, table: string): Promise<ReadonlyArray<Key>> => {
  const { rows } = await sql<Key>`
    select quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where conrelid = ${`${LIVE_SCHEMA}.${table}`}::regclass and contype in ('p', 'u') order by contype, conname`.execute(
    db
  )
  return rows
}

const indexesOf = async (db: Db, table: string): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = ${`${LIVE_SCHEMA}.${table}`}::regclass and not exists (select from pg_constraint where conindid = indexrelid)
    order by indexrelid`.execute(db)
  return rows.map((row) => row.definition)
}

/** Index definitions name their table with its schema, or without it if the search path finds it. */
const indexIn = (schema: string, table: string, definition: string): string => {
  const named = [` ON ${LIVE_SCHEMA}.${table} `, ` ON ${table} `].find((part) => definition.includes(part)) ?? ""
  const placed = named === "" ? definition : definition.replace(named, () => ` ON ${schema}.${table} `)
  if (!placed.includes(` ON ${schema}.${table} `))
    throw new Error(`an index of ${table} was not understood: ${definition}`)
  return placed
}
