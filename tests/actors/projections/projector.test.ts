/** The read models against the log they are made of: once, in order, whatever fails between. */
import { Effect } from "effect"
import { type Kysely } from "kysely"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { evolve } from "../../../actors/agent/evolve.ts"
import { agentProjection } from "../../../actors/agent/projection.ts"
import type { Agent, AgentEvent, AgentState } from "../../../actors/agent/state.ts"
import { categoryProjection } from "../../../actors/category/projection.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { Feed } from "../../../actors/projections/feed.ts"
import { Projector } from "../../../actors/projections/projector.ts"
import { rebuild, type RebuildParts } from "../../../actors/projections/rebuild.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { leftOver, versionOf, watchCount } from "../../support/tables.ts"
import { NO_TRACING } from "../../../schemas/runtime/trace/tracing.ts"
import { movableClock, standingClock, waitFor } from "../../harness/index.ts"
import { type OwnBus, startOwnBus } from "../engine/bus.ts"
import { type Running, started } from "./running.ts"
import { openScope } from "../../support/scope.ts"
import { registered } from "../../support/registered.ts"

let bus: OwnBus
let db: Kysely<Database>
let log: JetStreamLog
let running: Array<Running> = []
const states = new Map<string, { state: AgentState; seq: number }>()
const announced: Array<number> = []

const agentId = (index: number) => `hx${String(index).padStart(24, "0")}`

beforeAll(async () => {
  bus = await startOwnBus()
  db = openDatabase(bus.servers.postgres.url)
  log = new JetStreamLog(machineClock, bus.nats, { batchMax: 1000, queueMax: 10_000 })
})
afterAll(async () => {
  await Promise.all(running.map(({ stop }) => stop()))
  await db.destroy()
  await bus.stop()
})

const run = async (count: number): Promise<void> => {
  await Promise.all(running.map(({ stop }) => stop()))
  running = Array.from({ length: count }, () =>
    started(
      new Projector({
        feed: new Feed(bus.nats, NO_TRACING, streams.events),
        db,
        projection: agentProjection,
        announce: (seq) => announced.push(seq),
        renew: Effect.asVoid(rebuild(rebuildParts()))
      })
    )
  )
}

const rebuildParts = (): RebuildParts => ({
  nats: bus.nats,
  manager: bus.manager,
  databaseUrl: bus.servers.postgres.url,
  limits: LIMITS,
  projection: agentProjection,
  progress: () => undefined
})

/** Commits of one agent. */
const PAGE = 100

/** The commit's sequence, where only the answer to its append was lost. */
const already = async (subject: string, commit: string): Promise<number | undefined> =>
  (await log.read(subject, 0, PAGE)).entries.find((entry) => entry.commit.id === commit)?.seq

const write = async (index: number, events: ReadonlyArray<AgentEvent>): Promise<void> => {
  const id = agentId(index)
  const before = states.get(id) ?? { state: null, seq: 0 }
  const at = 1_700_000_000_000 + index
  const result = await log.append([
    {
      subject: subjects.event("agent", id),
      expected: before.seq,
      commit: { v: 1, id: `${id}-${before.seq}`, op: "test", at, events }
    }
  ])
  const seq = result.ok ? result.seqs[0] : await already(subjects.event("agent", id), `${id}-${before.seq}`)
  if (seq === undefined) throw new Error(result.ok ? "no sequence" : result.reason)
  let { state } = before
  for (const event of events) state = evolve(state, event, { at })
  states.set(id, { state, seq })
}

const register = (index: number) =>
  write(
    index,
    registered({
      number: index + 1,
      public_key: `key ${index}`,
      handle: `agent-${index}`,
      name: `Agent ${index}`
    })
  )

const caughtUp = async (): Promise<void> => {
  const head = (await bus.manager.streams.info(streams.events)).state.last_seq
  await waitFor(
    async () =>
      Number(
        (await db.selectFrom("projections").select("seq").where("name", "=", "agent").executeTakeFirst())?.seq ?? 0
      ) >= head,
    { describe: `the watermark to reach ${head}` }
  )
}

const expectRowsToEqualTheFold = async (): Promise<void> => {
  const rows = new Map((await db.selectFrom("agents").selectAll().execute()).map((row) => [row.id, row]))
  expect(rows.size).toBe(states.size)
  for (const [id, { state }] of states) {
    const agent = state as Agent
    expect(rows.get(id)).toMatchObject({
      handle: agent.handle,
      name: agent.name,
      status: agent.status,
      trust: agent.trust,
      description: agent.description,
      roles: agent.roles
    })
  }
  const entries = await db
    .selectFrom("score_entries")
    .select((select) => select.fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow()
  expect(Number(entries.count)).toBe([...states.values()].reduce((sum, { state }) => sum + (state?.entries ?? 0), 0))
}

describe("the projector", () => {
  test("brings every kind of change into the rows and announces how far it is", async () => {
    await run(1)
    for (let index = 0; index < 30; index++) await register(index)
    await write(0, [
      { type: "agent.profile_changed", v: 1, name: "Zoë \u2028 'quoted' \"double\" \\", description: "d" }
    ])
    await write(1, [{ type: "agent.suspended", v: 1, reason: "r", trust_withheld: 10 }])
    await write(2, [{ type: "agent.banned", v: 1, reason: "r" }])
    await write(3, [{ type: "agent.deleted", v: 1 }])
    await write(4, [{ type: "agent.roles_changed", v: 1, roles: ["operator"] }])
    await caughtUp()
    await expectRowsToEqualTheFold()
    const head = (await bus.manager.streams.info(streams.events)).state.last_seq
    await waitFor(() => announced.at(-1) === head, { describe: "the announcement" })
    expect(announced).toEqual([...announced].toSorted((a, b) => a - b))
  })

  test("two projectors at once (a lease believed in twice) apply nothing twice and lose nothing", async () => {
    await run(2)
    for (let index = 30; index < 120; index++) await register(index)
    await caughtUp()
    await expectRowsToEqualTheFold()
  })

  test("catches up after Postgres was killed", async () => {
    await run(1)
    await bus.servers.postgres.kill()
    for (let index = 120; index < 160; index++) await register(index)
    await bus.servers.postgres.restart()
    await caughtUp()
    await expectRowsToEqualTheFold()
  })

  test("stopped and started again at any moment, tries a database that is away as one does, ever more seldom", async () => {
    await run(1)
    const [first] = running
    if (first === undefined) throw new Error("nothing runs")
    const { projector } = first
    await waitFor(() => projector.watermark !== null, { describe: "the projector to be under way" })
    await bus.servers.postgres.kill()
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const clock = standingClock()
    for (let time = 0; time < 20; time++) {
      void running[0]?.stop()
      running = [started(projector, clock)]
      await new Promise((resolve) => setImmediate(resolve))
    }
    // Its time stands: after a try it waits until the clock is moved.
    const pauses: Array<ReadonlyArray<number>> = []
    while (pauses.length < 4) {
      const waits = await waitFor(() => (clock.waits().length > 0 ? clock.waits() : null), { describe: "a try" })
      pauses.push(waits)
      clock.move(Math.max(...waits))
    }
    said.mockRestore()
    await bus.servers.postgres.restart()
    expect(pauses).toEqual([[250], [500], [1000], [2000]])
    await clock.passing(caughtUp())
    await expectRowsToEqualTheFold()
    await running[0]?.stop()
    expect(projector.watermark).toBeNull()
    running = [started(projector)]
  })

  test("catches up after nats-server was killed", async () => {
    await bus.servers.nats.kill()
    await bus.servers.nats.restart()
    await waitFor(() => register(160).then(() => true), { describe: "the log to take an agent again" })
    await caughtUp()
    await expectRowsToEqualTheFold()
  })

  test("empties and fills the tables when their watermark is gone", async () => {
    await db.updateTable("agents").set({ name: "damaged" }).execute()
    await db.deleteFrom("projections").where("name", "=", "agent").execute()
    await caughtUp()
    await expectRowsToEqualTheFold()
  })

  test("makes tables anew that are ahead of the log, and drops snapshots that are", async () => {
    await Promise.all(running.map(({ stop }) => stop()))
    const head = (await bus.manager.streams.info(streams.events)).state.last_seq
    const place = { kind: "agent", format: 1, state: "{}", commands: "[]" }
    await db
      .insertInto("snapshots")
      .values([
        { ...place, id: "ahead", seq: head + 1 },
        { ...place, id: "there", seq: head }
      ])
      .execute()
    await db.updateTable("agents").set({ name: "of a commit that is lost" }).execute()
    await db
      .updateTable("projections")
      .set({ seq: head + 1000 })
      .where("name", "=", "agent")
      .execute()
    await run(1)
    const isAtHead = async (): Promise<boolean> =>
      Number((await db.selectFrom("projections").select("seq").where("name", "=", "agent").executeTakeFirst())?.seq) ===
      head
    await waitFor(isAtHead, { describe: "tables of the log that is there" })
    await expectRowsToEqualTheFold()
    expect((await db.selectFrom("snapshots").select("id").execute()).map(({ id }) => id)).toEqual(["there"])
    await db.deleteFrom("snapshots").execute()
    await register(170)
    await caughtUp()
    await expectRowsToEqualTheFold()
  })

  test("serves tables of an older version, and goes on with them, until new ones have taken their place", async () => {
    await run(0)
    await db.updateTable("agents").set({ name: "of an older release" }).execute()
    await db
      .updateTable("projections")
      .set({ version: agentProjection.version - 1 })
      .where("name", "=", "agent")
      .execute()
    const fewest = watchCount(db)
    await run(2)
    await write(5, [{ type: "agent.profile_changed", v: 1, description: "written meanwhile" }])
    await waitFor(async () => (await versionOf(db)) === agentProjection.version, { describe: "the new tables" })
    await caughtUp()
    await expectRowsToEqualTheFold()
    expect(await fewest()).toBe(states.size)
    expect(await leftOver(db)).toEqual([])
  })

  test("leaves the tables of a newer version alone", async () => {
    await db
      .updateTable("projections")
      .set({ version: agentProjection.version + 1 })
      .where("name", "=", "agent")
      .execute()
    const before = Number(
      (await db.selectFrom("projections").select("seq").where("name", "=", "agent").executeTakeFirstOrThrow()).seq
    )
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    await run(1)
    await write(6, [{ type: "agent.profile_changed", v: 1, description: "of the newer release" }])
    await waitFor(() => said.mock.calls.some(([line]) => String(line).includes("they are left alone")), {
      describe: "the projector to see what it has"
    })
    said.mockRestore()
    expect(await versionOf(db)).toBe(agentProjection.version + 1)
    expect(
      Number(
        (await db.selectFrom("projections").select("seq").where("name", "=", "agent").executeTakeFirstOrThrow()).seq
      )
    ).toBe(before)
    // An operator who goes back to the older release for good asks for it.
    await Effect.runPromise(rebuild(rebuildParts()))
    expect(await versionOf(db)).toBe(agentProjection.version)
    await expectRowsToEqualTheFold()
  })

  test("of a rare kind stands where the log was read to, with no commit of its kind", async () => {
    const clock = movableClock()
    const feed = new Feed(bus.nats, NO_TRACING, streams.events)
    const rare = started(
      new Projector({
        feed,
        db,
        projection: categoryProjection,
        announce: () => undefined,
        renew: Effect.void
      }),
      clock
    )
    const stands = async (): Promise<number> => {
      const row = await db.selectFrom("projections").select("seq").where("name", "=", "category").executeTakeFirst()
      return Number(row?.seq ?? 0)
    }
    await waitFor(() => rare.projector.watermark !== null, { describe: "the projector to be under way" })
    for (let index = 161; index < 165; index++) await register(index)
    const head = (await bus.manager.streams.info(streams.events)).state.last_seq
    await clock.passing(waitFor(async () => (await stands()) === head, { describe: "its row to follow" }))
    const beside = openScope()
    const { at } = await beside.make(feed.read(agentProjection, head + 1, () => undefined))
    await register(165)
    await waitFor(() => at() > head, { describe: "the log to be read on" })
    // The next owner may have begun: a watermark that moves now would cost it its first batch.
    await rare.stop()
    expect(await stands()).toBe(head)
    await beside.close()
  })

  test("stops before an event that it does not know, with all that came before it", async () => {
    await run(1)
    await caughtUp()
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    await write(7, [{ type: "agent.profile_changed", v: 1, description: "before" }])
    const before = states.get(agentId(7))?.seq ?? 0
    const id = agentId(8)
    const commit = {
      v: 1,
      id: "of tomorrow",
      op: "test",
      at: 1,
      events: [{ type: "agent.of_tomorrow", v: 1 }]
    } as const
    expect(
      await log.append([{ subject: subjects.event("agent", id), expected: states.get(id)?.seq ?? 0, commit }])
    ).toMatchObject({ ok: true })
    await write(9, [{ type: "agent.profile_changed", v: 1, description: "behind" }])
    await waitFor(() => said.mock.calls.filter(([line]) => String(line).includes("agent.of_tomorrow@1")).length >= 2, {
      describe: "the projector to say so, and to try again"
    })
    said.mockRestore()
    expect(
      Number(
        (await db.selectFrom("projections").select("seq").where("name", "=", "agent").executeTakeFirstOrThrow()).seq
      )
    ).toBe(before)
    const rows = await db
      .selectFrom("agents")
      .select("description")
      .where("id", "in", [agentId(7), agentId(9)])
      .orderBy("id")
      .execute()
    expect(rows.map(({ description }) => description)).toEqual(["before", ""])
    await expect(Effect.runPromise(rebuild(rebuildParts()))).rejects.toThrow("agent.of_tomorrow@1")
  })
})
