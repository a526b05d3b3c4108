/** A rebuild that is interrupted takes back what it had begun, and whoever comes next does all of it. */
import { Effect, Exit, Fiber } from "effect"
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { categoryProjection } from "../../../actors/category/projection.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { Feed } from "../../../actors/projections/feed.ts"
import { Projector } from "../../../actors/projections/projector.ts"
import { rebuild, type RebuildParts } from "../../../actors/projections/rebuild.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { NO_TRACING } from "../../../schemas/runtime/trace/tracing.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"
import { type Running, started } from "./running.ts"

const COMMITS = 40

let bus: EngineBus
let db: Kysely<Database>
let running: Running | null = null

beforeAll(async () => {
  bus = await startBus()
  db = openDatabase(bus.servers.postgres.url)
  const log = new JetStreamLog(machineClock, bus.nats, { batchMax: 1000, queueMax: 1000 })
  await Promise.all(
    Array.from({ length: COMMITS }, (_, position) => {
      const event = { type: "category.defined", v: 1, name: `N${position}`, description: "", position }
      const commit = { v: 1, id: `c${position}`, op: "test", at: 1, events: [event] } as const
      return log.append([{ subject: subjects.event("category", `c${position}`), expected: 0, commit }])
    })
  )
})
afterAll(async () => {
  await running?.stop()
  await db.destroy()
  await bus.stop()
})

const parts = (progress: RebuildParts["progress"]): RebuildParts => ({
  nats: bus.nats,
  manager: bus.manager,
  databaseUrl: bus.servers.postgres.url,
  limits: LIMITS,
  projection: categoryProjection,
  pageSize: 1,
  progress
})

const HALFWAY = COMMITS / 2

/** `halfway` is called once the rebuild has come so far. */
const untilHalfway = (halfway: () => void): RebuildParts => parts(({ messages }) => messages === HALFWAY && halfway())

const projecting = (renew: RebuildParts): Running =>
  started(
    new Projector({
      feed: new Feed(bus.nats, NO_TRACING, streams.events),
      db,
      projection: categoryProjection,
      announce: () => undefined,
      renew: Effect.asVoid(rebuild(renew))
    })
  )

const row = () =>
  db.selectFrom("projections").select(["seq", "version"]).where("name", "=", "category").executeTakeFirst()

const shadows = async (): Promise<number> => {
  const found = sql<{ n: number }>`select count(*)::int as n from pg_namespace where nspname ~ '^rebuild_'`
  return (await found.execute(db)).rows[0]?.n ?? 0
}

test("leaves what is served, no table of its own, and the place free for the next, which does all of it", async () => {
  running = projecting(parts(() => undefined))
  await waitFor(async () => Number((await row())?.seq) === COMMITS, { describe: "the rows" })
  const interrupted: Fiber.Fiber<unknown, unknown> = Effect.runFork(
    rebuild(untilHalfway(() => interrupted.interruptUnsafe()))
  )
  const exit = await Effect.runPromise(Fiber.await(interrupted))
  expect(Exit.hasInterrupts(exit)).toBe(true)
  expect([await shadows(), Number((await row())?.seq)]).toEqual([0, COMMITS])
  expect(await Effect.runPromise(rebuild(parts(() => undefined)))).toMatchObject({ messages: COMMITS, seq: COMMITS })
})

test("with its node: the next owner makes the tables anew", async () => {
  await running?.stop()
  await db.updateTable("projections").set({ version: 0 }).where("name", "=", "category").execute()
  const stopped = Promise.withResolvers<unknown>()
  const first = projecting(untilHalfway(() => stopped.resolve(first.stop())))
  await stopped.promise
  await waitFor(async () => (await shadows()) === 0, { describe: "what it had begun to be gone" })
  expect((await row())?.version).toBe(0)
  running = projecting(parts(() => undefined))
  await waitFor(async () => (await row())?.version === categoryProjection.version, { describe: "the new tables" })
  const { count } = await db
    .selectFrom("categories")
    .select((select) => select.fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(COMMITS)
})
