/**
 * Removes rows that are kept for a limited time: the old ones of each agent, except a number of its newest.
 *
 * Invariants
 *  - The log determines a row's content, but not when it is removed. So `verify` compares no row that may be removed,
 *    and a rebuild leaves such rows out.
 *  - A row that may be removed at one time may be removed at every later one. So no removed row ever has to come back.
 *  - A row is removed only SPARE_SECONDS after it may be, because the clocks of two nodes differ.
 *  - A row that its actor counts is removed after the actor was informed. Tables that are not served yet keep such
 *    rows.
 *  - A step visits a bounded number of agents and removes a bounded number of rows. It waits for no lock, so it cannot
 *    take part in a deadlock. A row that is being changed is removed by the next sweep.
 *  - The node that runs the projections removes rows. If two nodes believe that they do, they remove the same rows.
 */
import { Clock, Effect } from "effect"
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Limits } from "../../schemas/limits.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import type { Database } from "../tables/database.ts"
import type { Actors } from "../engine/services.ts"
import type { Retention } from "./retention.ts"
import type { Projection, ReadModelTable } from "./projection.ts"
import { rowOf } from "./reading.ts"
import { toItsEnd } from "./steps.ts"

type KeptTable = ReadModelTable & { readonly kept: Retention }

const isKept = (table: ReadModelTable): table is KeptTable => table.kept !== undefined

const SPARE_SECONDS = 600

/** Rows before this time may be removed. */
const cutOff = ({ kept }: KeptTable, limits: Limits, now: number): Date =>
  new Date(now - kept.bounds(limits).seconds * 1000)

interface Step {
  readonly removed: number
  /** The last agent that was visited; `null` if none is left. */
  readonly last: string | null
}

interface Place {
  readonly after: string
  readonly now: number
}

/** `walk`: agents after `after`, in the order of their ids. `old`: the places of their rows that may be removed. */
const oldRows = (table: KeptTable, limits: Limits, { after, now }: Place, which: RawBuilder<unknown>) => {
  const { name, kept } = table
  const { prune_agents_max, prune_rows_max } = limits.service
  const [of, order, at] = [sql.ref(`t.${kept.of}`), sql.ref(`t.${kept.order}`), sql.ref(`t.${kept.at}`)]
  const rows = sql.table(name)
  const next = (behind: ReturnType<typeof sql>) =>
    sql`(select ${of} as id from ${rows} t where ${of} > ${behind} order by ${of} limit 1)`
  return sql`
    recursive walk(id, n) as (
      select id, 1 from ${next(sql`${after}::text`)} first
      union all
      select following.id, walk.n + 1 from walk cross join lateral ${next(sql`walk.id`)} following
      where walk.n < ${prune_agents_max}
    ), old as (
      select oldest.ctid as place from walk
      cross join lateral (
        select ${order} as number from ${rows} t where ${of} = walk.id
        order by ${order} desc offset ${kept.bounds(limits).newest} limit 1
      ) newest
      cross join lateral (
        select ctid, ${at} as at from ${rows} t where ${of} = walk.id and ${order} <= newest.number and ${which}
        order by ${order} limit ${prune_rows_max}
      ) oldest
      where oldest.at < ${cutOff(table, limits, now)}
      limit ${prune_rows_max}
    )`
}

interface NumbersOfAgent {
  readonly agent: string
  readonly numbers: ReadonlyArray<number>
}

/** Rows of a step that may be removed and that their actors still count. */
const countedRows = async (
  db: Kysely<Database>,
  table: KeptTable,
  limits: Limits,
  place: Place,
  without: ReadonlyArray<string>
) => {
  const { name, kept } = table
  if (kept.counted === undefined) return []
  const which = sql`${sql.ref(`t.${kept.counted.by}`)} is null and ${sql.ref(`t.${kept.of}`)} <> all(${[...without]}::text[])`
  const { rows } = await sql<NumbersOfAgent>`
    with ${oldRows(table, limits, place, which)}
    select ${sql.ref(`t.${kept.of}`)} as agent,
      json_agg(${sql.ref(`t.${kept.order}`)} order by ${sql.ref(`t.${kept.order}`)}) as numbers
    from ${sql.table(name)} t where ${sql.ref("t.ctid")} = any(array(select place from old)) group by 1`.execute(db)
  return rows
}

/** One step of a sweep. `released`: numbers of rows that their actors no longer count. */
const step = async (
  db: Kysely<Database>,
  table: KeptTable,
  limits: Limits,
  place: Place,
  released: ReadonlyArray<number>
): Promise<Step> => {
  const { name, kept } = table
  const rows = sql.table(name)
  const may =
    kept.counted === undefined
      ? sql`true`
      : sql`(${sql.ref(`t.${kept.counted.by}`)} is not null or ${sql.ref(`t.${kept.order}`)} = any(${released.map(String)}::bigint[]))`
  const found = await sql<{ last: string | null; removed: number }>`
    with ${oldRows(table, limits, place, may)}, held as (
      select ${sql.ref("t.ctid")} as place from ${rows} t
      where ${sql.ref("t.ctid")} = any(array(select place from old)) for update skip locked
    ), gone as (
      delete from ${rows} t where ${sql.ref("t.ctid")} = any(array(select place from held)) returning 1
    )
    select (select max(id) from walk) as last, (select count(*)::integer from gone) as removed`.execute(db)
  return found.rows[0] ?? { removed: 0, last: null }
}

interface Sweeping {
  readonly db: Kysely<Database>
  readonly limits: Limits
  readonly pause: Effect.Effect<void>
  readonly removed: (table: string, rows: number) => void
  /**
   * Informs the actor that rows will be removed. `false` if the actor cannot be reached, so that its rows stay for now.
   * `null` for tables that are not served: no actor is informed, and the rows that actors count stay.
   */
  readonly release: ((table: KeptTable, counted: NumbersOfAgent) => Effect.Effect<boolean>) | null
}

const sweep = (table: KeptTable, { db, limits, pause, removed, release }: Sweeping): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const now = wallMs(yield* Clock.Clock) - SPARE_SECONDS * 1000
    const untold: Array<string> = []
    for (let after = ""; ;) {
      const place = { after, now }
      const counted = release === null ? [] : yield* toItsEnd(() => countedRows(db, table, limits, place, untold))
      const told = yield* Effect.filter(counted, (one) => release?.(table, one) ?? Effect.succeed(false))
      const released = told.flatMap(({ numbers }) => numbers)
      const done = yield* toItsEnd(() => step(db, table, limits, place, released))
      removed(table.name, done.removed)
      if (done.last === null) return
      // An agent with more rows than one step removes is visited again.
      const isFull = Math.max(done.removed, released.length) >= limits.service.prune_rows_max
      if (!isFull && told.length === counted.length) after = done.last
      // The rows of an actor that cannot be reached must not fill up the steps of the others.
      untold.push(...counted.filter((one) => !told.includes(one)).map(({ agent }) => agent))
      yield* pause
    }
  })

/** Removes rows that may be removed, and that no actor counts, from tables that are not served yet. */
export const pruneAll = (
  db: Kysely<Database>,
  { tables }: Pick<Projection, "tables">,
  limits: Limits
): Effect.Effect<void, unknown> =>
  Effect.forEach(
    tables.filter(isKept),
    (table) => sweep(table, { db, limits, pause: Effect.void, removed: () => undefined, release: null }),
    { discard: true }
  )

/**
 * Removes from a copy of the table, which only this comparison uses, each row that may be removed by now. So rows that
 * no sweep has reached yet are left out like those already removed.
 */
export const withoutOld = async (
  db: Kysely<Database>,
  copy: string,
  table: ReadModelTable,
  { limits, now }: { readonly limits: Limits; readonly now: number }
): Promise<void> => {
  if (!isKept(table)) return
  const { of, order, at, bounds } = table.kept
  const rows = sql.table(copy)
  await sql`
    delete from ${rows} t using (
      select ctid as place, row_number() over (partition by ${sql.ref(of)} order by ${sql.ref(order)} desc) as rank from ${rows}
    ) ranked
    where t.ctid = ranked.place and ranked.rank > ${bounds(limits).newest}
      and ${sql.ref(`t.${at}`)} < ${cutOff(table, limits, now)}`.execute(db)
}

interface PrunerParts {
  readonly db: Kysely<Database>
  readonly projections: ReadonlyArray<Projection>
  readonly limits: Limits
  readonly actors: typeof Actors.Service
}

/** The time limit for telling an actor. If it fails, the next sweep tries again. */
const RELEASE_WITHIN_MS = 10_000

const releasing =
  (actors: typeof Actors.Service) =>
  ({ kept }: KeptTable, { agent, numbers }: NumbersOfAgent): Effect.Effect<unknown, unknown> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      kept.counted === undefined
        ? Effect.void
        : actors.ask(
            {
              commandId: `prune-${agent}-${numbers[0]}-${numbers.at(-1)}`,
              deadline: now + RELEASE_WITHIN_MS,
              traceparent: undefined
            },
            kept.counted.release,
            agent,
            { ids: numbers }
          )
    )

export class Pruner {
  /** Rows removed since the start, by table. */
  readonly removed: ReadonlyMap<string, number>
  /** Failed sweeps since the start, and failed requests to actors. */
  failures = 0
  readonly run: Effect.Effect<never>

  constructor({ db, projections, limits, actors }: PrunerParts) {
    const removed = new Map<string, number>(
      projections.flatMap(({ tables }) => tables.filter(isKept).map(({ name }) => [name, 0] as const))
    )
    const { prune_pause_ms, prune_every_seconds } = limits.service
    const sweeping: Sweeping = {
      db,
      limits,
      pause: Effect.sleep(prune_pause_ms),
      removed: (table, rows) => void removed.set(table, (removed.get(table) ?? 0) + rows),
      release: (table, counted) =>
        Effect.catch(Effect.as(releasing(actors)(table, counted), true), (error) => {
          this.failures++
          const at = { at: "pruner", table: table.name, agent: counted.agent }
          return Effect.as(Effect.annotateLogs(Effect.logWarning(error), at), false)
        })
    }
    this.removed = removed
    const once = ({ name, version, tables }: Projection): Effect.Effect<void, unknown> =>
      Effect.flatMap(
        toItsEnd(() => rowOf(db, name)),
        // A newer release may keep rows for longer.
        (row) =>
          row === undefined || row.version > version
            ? Effect.void
            : Effect.forEach(tables.filter(isKept), (table) => sweep(table, sweeping), { discard: true })
      )
    const tried = (projection: Projection): Effect.Effect<void> =>
      Effect.catch(once(projection), (error) => {
        this.failures++
        return Effect.annotateLogs(Effect.logWarning(error), { at: "pruner", projection: projection.name })
      })
    const all = Effect.forEach(projections, tried, { discard: true })
    this.run = Effect.forever(Effect.andThen(all, Effect.sleep(prune_every_seconds * 1000)))
  }
}
