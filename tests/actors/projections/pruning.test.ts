/** Rows that are kept for a time, on a real Postgres: which go, and that nothing depends on when they do. */
import { Effect, Fiber } from "effect"
import fc from "fast-check"
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { deliveryProjection } from "../../../actors/agent/webhook/deliveries.ts"
import { notificationProjection } from "../../../actors/agent/notification/projection.ts"
import { agentProjection } from "../../../actors/agent/projection.ts"
import type { Actors } from "../../../actors/engine/services.ts"
import { unavailable } from "../../../schemas/errors.ts"
import type { ReadModelTable } from "../../../actors/projections/projection.ts"
import type { RetentionBounds } from "../../../actors/projections/retention.ts"
import { pruneAll, Pruner, withoutOld } from "../../../actors/projections/pruning.ts"
import { type Limits, LIMITS } from "../../../schemas/limits.ts"
import { held } from "../../support/held.ts"
import { onClock, type OpenServers, openServers, standingClock, waitFor } from "../../harness/index.ts"

let servers: OpenServers
let db: Kysely<Database>

beforeAll(async () => {
  servers = await openServers()
  db = openDatabase(servers.postgres.url)
})
afterAll(async () => {
  await db?.destroy()
  await servers?.stop()
})
beforeEach(() => db.deleteFrom("notifications").execute())

const SECOND = 1000
/** Behind the end of their time nothing goes for so long. */
const SPARE_MS = 600 * SECOND

const limitsWith = ({ seconds, newest }: RetentionBounds, agents: number, rows: number): Limits => ({
  ...LIMITS,
  notifications: { ...LIMITS.notifications, kept_seconds: seconds, kept_newest: newest },
  service: { ...LIMITS.service, prune_agents_max: agents, prune_rows_max: rows, prune_pause_ms: 0 }
})

interface Row {
  readonly id: number
  readonly agent: string
  /** Seconds before the first time. */
  readonly age: number
  readonly unread?: boolean
}

const clock = standingClock()
const START = clock.now()

const atOf = (row: Row): number => START - row.age * SECOND

const insert = async (rows: ReadonlyArray<Row>): Promise<void> => {
  await db.deleteFrom("notifications").execute()
  if (rows.length > 0)
    await db
      .insertInto("notifications")
      .values(
        rows.map((row) => ({
          id: row.id,
          agent: row.agent,
          type: "t",
          payload: "{}",
          created_at: new Date(atOf(row)),
          read_at: row.unread === true ? null : new Date(atOf(row))
        }))
      )
      .execute()
}

const ids = async (table = "notifications"): Promise<ReadonlyArray<number>> => {
  const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)} order by id`.execute(db)
  return rows.map(({ id }) => Number(id))
}

/** The rule again, row by row. */
const keptOf = (rows: ReadonlyArray<Row>, { seconds, newest }: RetentionBounds, now: number): ReadonlyArray<Row> =>
  rows.filter((row) => {
    const newer = rows.filter(({ agent, id }) => agent === row.agent && id > row.id).length
    return newer < newest || atOf(row) >= now - seconds * SECOND
  })

const prune = (limits: Limits): Promise<void> =>
  Effect.runPromise(onClock(clock)(pruneAll(db, notificationProjection, limits)))

const table = (): ReadModelTable => {
  const [found] = notificationProjection.tables
  if (found === undefined) throw new Error("it has a table")
  return found
}

const compared = async (limits: Limits, now: number): Promise<ReadonlyArray<number>> => {
  await sql`drop table if exists compared`.execute(db)
  await sql`create table compared as select * from notifications`.execute(db)
  await withoutOld(db, "compared", table(), { limits, now })
  return ids("compared")
}

const rowsOf = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 200 }),
    agent: fc.constantFrom("a", "b", "c", "d", "e"),
    age: fc.integer({ min: 0, max: 60 }).map((minutes) => minutes * 60)
  }),
  { maxLength: 60, selector: ({ id }) => id }
)
const bounds = fc.record({
  seconds: fc.integer({ min: 0, max: 40 }).map((minutes) => minutes * 60),
  newest: fc.integer({ min: 0, max: 12 })
})

test("what goes is what the rule says, whatever a step holds; what is compared is the same before and after, now and later", async () => {
  await fc.assert(
    fc.asyncProperty(
      rowsOf,
      bounds,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 3600 }),
      async (rows, kept, agents, most, later) => {
        const limits = limitsWith(kept, agents, most)
        await insert(rows)
        const untouched = await compared(limits, START + later * SECOND)
        await prune(limits)
        // Rows of one agent may be out of order: a step removes its oldest ones by their numbers.
        const left = new Set(await ids())
        const must = keptOf(rows, kept, START - SPARE_MS)
        for (const { id } of must) expect(left.has(id)).toBe(true)
        expect(await compared(limits, START + later * SECOND)).toEqual(untouched)
        expect(untouched).toEqual(
          keptOf(rows, kept, START + later * SECOND)
            .map(({ id }) => id)
            .toSorted((a, b) => a - b)
        )
      }
    ),
    { numRuns: 60 }
  )
})

test("of rows that are numbered as they came, all go that may", async () => {
  await fc.assert(
    fc.asyncProperty(
      rowsOf,
      bounds,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 9 }),
      async (drawn, kept, agents, most) => {
        const numbers = drawn.map(({ id }) => id).toSorted((a, b) => a - b)
        const ages = drawn.map(({ age }) => age).toSorted((a, b) => b - a)
        const rows = drawn.map((row, index) => ({ ...row, id: numbers[index] ?? 0, age: ages[index] ?? 0 }))
        const limits = limitsWith(kept, agents, most)
        await insert(rows)
        await prune(limits)
        expect(await ids()).toEqual(keptOf(rows, kept, START - SPARE_MS).map(({ id }) => id))
      }
    ),
    { numRuns: 60 }
  )
})

const MANY = Array.from({ length: 40 }, (_, index): Row => ({
  id: index + 1,
  agent: `a${index % 3}`,
  age: 86_400 * 100
}))
const BRIEF: RetentionBounds = { seconds: 86_400, newest: 5 }

test("a row that somebody is changing is waited for by nobody, and goes at the next sweep", async () => {
  await insert(MANY)
  const limits = limitsWith(BRIEF, 10, 100)
  await held(db, async (trx) => {
    await trx.updateTable("notifications").set({ read_at: new Date() }).where("id", "=", "1").execute()
    await prune(limits)
  })
  expect((await ids()).filter((id) => id < 20)).toEqual([1])
  await prune(limits)
  expect(await ids()).toHaveLength(15)
})

/** Actors that write down what they are told. */
class Told {
  readonly ids = new Map<string, Array<number>>()
  refuses = new Set<string>()
  readonly actors: typeof Actors.Service = {
    ask: (_asking, op, actor, input) => {
      expect(op).toBe("notification.lapse")
      if (this.refuses.has(actor)) return Effect.fail(unavailable("not now"))
      const { ids: told } = input as { readonly ids: ReadonlyArray<number> }
      this.ids.set(actor, [...(this.ids.get(actor) ?? []), ...told])
      return Effect.succeed(null as never)
    }
  }
}

test("a row that its actor counts goes after the actor was told; tables made anew keep it", async () => {
  const unread = MANY.map((row): Row => ({ ...row, unread: row.id % 2 === 0 }))
  await insert(unread)
  const limits = limitsWith(BRIEF, 2, 4)
  const old = new Set(keptOf(unread, BRIEF, START - SPARE_MS).map(({ id }) => id))
  const counted = unread.filter((row) => row.unread === true && !old.has(row.id)).map(({ id }) => id)
  await prune(limits)
  expect(await ids()).toEqual([...old, ...counted].toSorted((one, other) => one - other))
  await db.insertInto("projections").values({ name: "notification", seq: 1, version: 1 }).execute()
  const told = new Told()
  told.refuses.add("a0")
  const time = standingClock()
  const pruner = new Pruner({ db, projections: [notificationProjection], limits, actors: told.actors })
  const running = Effect.runFork(onClock(time)(pruner.run))
  const moved = async (until: () => boolean | Promise<boolean>): Promise<unknown> =>
    waitFor(async () => {
      if (await until()) return true
      if (time.waits().length > 0) time.move(limits.service.prune_every_seconds * SECOND)
      return false
    })
  // One that cannot be told keeps its own rows, and holds up no other.
  const own = counted.filter((id) => MANY[id - 1]?.agent === "a0")
  await moved(async () => pruner.failures > 0 && (await ids()).length === old.size + own.length)
  told.refuses.clear()
  await moved(async () => (await ids()).length === old.size)
  expect([...told.ids.values()].flat().toSorted((one, other) => one - other)).toEqual(counted)
  await Effect.runPromise(Fiber.interrupt(running))
  await db.deleteFrom("projections").execute()
})

test("the node sweeps by itself, counts what it removes, and leaves tables of a newer release alone", async () => {
  await insert(MANY)
  const known = [notificationProjection, deliveryProjection, agentProjection]
  const limits = limitsWith(BRIEF, 10, 100)
  const newer = { name: "notification", seq: 1, version: notificationProjection.version + 1 }
  await db.insertInto("projections").values(newer).execute()
  const time = standingClock()
  const pruner = new Pruner({ db, projections: known, limits, actors: new Told().actors })
  expect([...pruner.removed.keys()].toSorted()).toEqual(["deliveries", "notifications", "score_entries"])
  const running = Effect.runFork(onClock(time)(pruner.run))
  await waitFor(() => time.waits().length === 1, { describe: "the first sweep" })
  expect(await ids()).toHaveLength(MANY.length)
  await db.updateTable("projections").set({ version: 1 }).where("name", "=", "notification").execute()
  time.move(limits.service.prune_every_seconds * SECOND)
  await waitFor(() => pruner.removed.get("notifications") === MANY.length - 15, { describe: "the second sweep" })
  expect([pruner.failures, (await ids()).length]).toEqual([0, 15])
  await Effect.runPromise(Fiber.interrupt(running))
})
