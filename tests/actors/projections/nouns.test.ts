/** Several projections of one log: each goes its own way, and none has what is another's to do. */
import { type Clock, Effect } from "effect"
import { type Kysely, sql } from "kysely"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { registrationEvents } from "../../../actors/agent/profile/decide.ts"
import type { AgentEvent } from "../../../actors/agent/state.ts"
import { agentProjection } from "../../../actors/agent/projection.ts"
import { notificationProjection } from "../../../actors/agent/notification/projection.ts"
import type { CategoryEvent } from "../../../actors/category/actor.ts"
import { categoryProjection } from "../../../actors/category/projection.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import type { DeliveryEvent } from "../../../actors/delivery/state.ts"
import { deliveryProjection } from "../../../actors/agent/webhook/deliveries.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { Applier } from "../../../actors/projections/applier.ts"
import type { Message, Projection } from "../../../actors/projections/projection.ts"
import { Feed } from "../../../actors/projections/feed.ts"
import { Projector } from "../../../actors/projections/projector.ts"
import { rebuild } from "../../../actors/projections/rebuild.ts"
import { takeOver } from "../../../actors/projections/succession.ts"
import { firstBehind } from "../../../actors/projections/lag.ts"
import { REGISTERED } from "../../support/registered.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { machineClock, monotonicMs } from "../../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { NO_TRACING } from "../../../schemas/runtime/trace/tracing.ts"
import { standingClock, waitFor } from "../../harness/index.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"
import { type Running, started } from "./running.ts"

const OF_THE_LOG = [agentProjection, notificationProjection, deliveryProjection, categoryProjection]
const ADA = "hx000000000000000000000000"
const DELIVERY = "7"

let bus: EngineBus
let db: Kysely<Database>
let log: JetStreamLog
let projectors: ReadonlyArray<Projector> = []
let running: ReadonlyArray<Running> = []
const announced: Array<readonly [string, number]> = []
const stands = new Map<string, number>()

beforeAll(async () => {
  bus = await startBus()
  db = openDatabase(bus.servers.postgres.url)
  log = new JetStreamLog(machineClock, bus.nats, { batchMax: 1000, queueMax: 10_000 })
  await write("agent", ADA, registrationEvents(REGISTERED))
  await write("category", "news", [{ type: "category.defined", v: 1, name: "News", description: "", position: 1 }])
  await write("delivery", DELIVERY, [
    { type: "delivery.queued", v: 1, agent: ADA, about: "test", body: "{}", receiver: "host:1" }
  ])
})
afterEach(() => stop())
afterAll(async () => {
  await db.destroy()
  await bus.stop()
})

type Known = AgentEvent | CategoryEvent | DeliveryEvent
/** Of a release to come. */
type Unknown = { readonly type: "agent.of_tomorrow"; readonly v: 1 }

const write = async (kind: string, id: string, events: ReadonlyArray<Known | Unknown>): Promise<number> => {
  const subject = subjects.event(kind, id)
  const expected = stands.get(subject) ?? 0
  const at = 1_700_000_000_000
  const result = await log.append([
    { subject, expected, commit: { v: 1, id: `${subject}-${expected}`, op: "test", at, events } }
  ])
  if (!result.ok) throw new Error(result.reason)
  const seq = result.seqs[0] ?? 0
  stands.set(subject, seq)
  return seq
}

const attempted = (attempt: number) =>
  write("delivery", DELIVERY, [
    {
      type: "delivery.attempted",
      v: 1,
      attempt,
      status: "pending",
      response_code: 500,
      error: null,
      duration_ms: 1,
      next_attempt_at: null
    }
  ])

const described = (description: string) => write("agent", ADA, [{ type: "agent.profile_changed", v: 1, description }])

const start = (projections: ReadonlyArray<Projection>, clock: Clock.Clock = machineClock): void => {
  const feed = new Feed(bus.nats, NO_TRACING, streams.events)
  projectors = projections.map(
    (projection) =>
      new Projector({
        feed,
        db,
        projection,
        announce: (seq) => announced.push([projection.name, seq]),
        renew: Effect.asVoid(rebuild(rebuildParts(projection)))
      })
  )
  running = projectors.map((projector) => started(projector, clock))
}

const stop = async (): Promise<void> => {
  await Promise.all(running.map(({ stop: end }) => end()))
  running = []
}

const rebuildParts = (projection: Projection) => ({
  nats: bus.nats,
  manager: bus.manager,
  databaseUrl: bus.servers.postgres.url,
  limits: LIMITS,
  projection,
  progress: () => undefined
})

const rows = async (): Promise<Readonly<Record<string, readonly [seq: number, version: number]>>> =>
  Object.fromEntries(
    (await db.selectFrom("projections").selectAll().orderBy("name").execute()).map(
      ({ name, seq, version }) => [name, [Number(seq), version]] as const
    )
  )

const kept = (name: string, seq: number): Promise<unknown> =>
  waitFor(async () => ((await rows())[name]?.[0] ?? -1) >= seq, { describe: `${name} at ${seq}` })

const attempts = async (): Promise<unknown> => {
  const { attempts_log } = await db.selectFrom("deliveries").select("attempts_log").executeTakeFirstOrThrow()
  return (attempts_log as ReadonlyArray<{ attempt: number }>).map(({ attempt }) => attempt)
}

/** The one projection of the release before, which wrote the same tables: all that it has up to `from`, and then a page more. */
const ofTheReleaseBefore = async (from: number): Promise<Applier> => {
  await db.insertInto("projections").values({ name: "main", version: 3, seq: from }).execute()
  return new Applier(db, { ...deliveryProjection, name: "main", version: 3 })
}

const oids = async (): Promise<Readonly<Record<string, number>>> => {
  const { rows: found } = await sql<{ name: string; oid: number }>`
    select relname as name, oid::int as oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(
    db
  )
  return Object.fromEntries(found.map(({ name, oid }) => [name, oid]))
}

test("what one projection of all nouns has made is gone on with: not emptied, not applied again, not by its release", async () => {
  start(OF_THE_LOG)
  const first = await attempted(1)
  await kept("delivery", first)
  // Each has its own pace: what the release before is to have made of agents must be there.
  await waitFor(async () => (await db.selectFrom("agents").select("name").execute()).length > 0, {
    describe: "the agent's row"
  })
  await stop()
  await db.deleteFrom("projections").execute()
  const old = await ofTheReleaseBefore(first)
  await db.updateTable("agents").set({ name: "as the release before has it" }).execute()
  const second = await attempted(2)
  const message: Message = {
    seq: second,
    kind: "delivery",
    id: DELIVERY,
    data: Buffer.from(
      JSON.stringify((await log.read(subjects.event("delivery", DELIVERY), first, 1)).entries[0]?.commit)
    )
  }
  const mark = await old.apply([message], { seq: first, kept: first })
  await takeOver(db)
  expect(await rows()).toEqual({
    main: [second, 4],
    agent: [second, 1],
    notification: [second, 1],
    delivery: [second, 1],
    category: [second, 1]
  })
  await expect(old.keep({ ...mark, seq: second + 1 })).rejects.toThrow("moved by another")
  start(OF_THE_LOG)
  const third = await attempted(3)
  await kept("delivery", third)
  await takeOver(db)
  expect((await rows())["delivery"]).toEqual([third, 1])
  expect(await attempts()).toEqual([1, 2, 3])
  expect(await db.selectFrom("agents").select("name").execute()).toEqual([{ name: "as the release before has it" }])
  await stop()
  // An operator went back to that release, and comes again.
  await db.updateTable("projections").set({ version: 3, seq: third }).where("name", "=", "main").execute()
  await db.updateTable("projections").set({ seq: 1 }).where("name", "=", "delivery").execute()
  start(OF_THE_LOG)
  await kept("delivery", third)
  expect(await attempts()).toEqual([1, 2, 3])
})

test("what is not a projection's own moves nothing of it, and is no lag", async () => {
  start(OF_THE_LOG)
  await waitFor(() => projectors.every(({ watermark }) => watermark !== null), { describe: "all to be under way" })
  await kept("category", 1)
  const before = (await rows())["category"]
  const last = await described("by the way")
  await kept("agent", last)
  expect((await rows())["category"]).toEqual(before)
  expect(await firstBehind(bus.manager, categoryProjection, before?.[0] ?? 0)).toBeNull()
  const category = projectors.find(({ projection }) => projection === categoryProjection)
  expect(await category?.pending()).toBe(0)
  const own = await write("category", "help", [
    { type: "category.defined", v: 1, name: "Help", description: "", position: 2 }
  ])
  await kept("category", own)
  await waitFor(() => announced.some(([name, seq]) => name === "category" && seq === own), {
    describe: "its announcement"
  })
})

test("a batch that changes no row is announced without a transaction, and kept a little later", async () => {
  const clock = standingClock()
  start([deliveryProjection], clock)
  const [projector] = projectors
  await waitFor(() => projector?.watermark !== null, { describe: "the projector to be under way" })
  await attempted(4)
  await waitFor(async () => JSON.stringify(await attempts()) === "[1,2,3,4]", { describe: "the attempt" })
  await waitFor(() => projector?.watermark === stands.get(subjects.event("delivery", DELIVERY)), {
    describe: "its announcement"
  })
  const before = projector?.counts.transactions
  const seq = await described("of no delivery")
  await waitFor(() => announced.some(([name, at]) => name === "delivery" && at === seq), {
    describe: "the announcement"
  })
  expect(projector?.counts.transactions).toBe(before)
  await clock.passing(kept("delivery", seq))
  expect(projector?.counts.transactions).toBe((before ?? 0) + 1)
  // Batches for longer than the watermark may stand.
  const from = monotonicMs(clock)
  let batches = 0
  while (monotonicMs(clock) - from <= 1500) {
    const at = await described(`again ${batches++}`)
    await waitFor(() => projector?.watermark === at, { describe: "the batch" })
    clock.move(100)
  }
  const times = (projector?.counts.transactions ?? 0) - (before ?? 0) - 1
  expect(batches).toBeGreaterThan(6)
  expect(times).toBeLessThanOrEqual(1 + (monotonicMs(clock) - from) / 1000)
})

test("one that stops before what it does not know holds up no other", async () => {
  start([notificationProjection, categoryProjection])
  await kept("notification", await described("known"))
  const before = (await rows())["notification"]
  const id = "hx000000000000000000000001"
  await write("agent", id, [{ type: "agent.of_tomorrow", v: 1 }])
  const own = await write("category", "meta", [
    { type: "category.defined", v: 1, name: "Meta", description: "", position: 3 }
  ])
  await kept("category", own)
  await waitFor(() => (projectors[0]?.failures ?? 0) > 0, { describe: "the projector to see it" })
  expect((await rows())["notification"]).toEqual(before)
  await bus.manager.streams.purge(streams.events, { filter: subjects.event("agent", id) })
})

test("one that is raised makes its own tables anew and nobody else's", async () => {
  const before = await oids()
  const raised = { ...categoryProjection, version: categoryProjection.version + 1 }
  start([raised, deliveryProjection])
  await waitFor(async () => (await rows())["category"]?.[1] === raised.version, { describe: "the new table" })
  const after = await oids()
  const changed = Object.keys(before).filter((name) => before[name] !== after[name])
  expect(changed).toEqual(["categories"])
  expect((await rows())["delivery"]?.[1]).toBe(deliveryProjection.version)
  expect(await db.selectFrom("categories").select("slug").orderBy("slug").execute()).toHaveLength(3)
})
