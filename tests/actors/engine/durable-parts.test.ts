/** Timers, counters, snapshots and rate-limit windows on real servers: what they promise about restarts. */
import { Schema } from "effect"
import type { Kysely } from "kysely"
import type { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { type EngineParts } from "../../../actors/engine/activation.ts"
import type { Activation } from "../../../actors/engine/activation.ts"
import { nextNumber } from "../../../actors/log/counters.ts"
import { write } from "../../../actors/engine/definition.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { Sealer } from "../../../actors/log/seal.ts"
import { formatOf } from "../../../actors/engine/state-format.ts"
import { PostgresSnapshots } from "../../../actors/engine/snapshots.ts"
import type { Answer } from "../../../schemas/runtime/bus/asker.ts"
import { FIRE, ScheduledTimers } from "../../../actors/engine/timers.ts"
import { event } from "../../../actors/engine/events.ts"
import { type ActorOf, type Fold, kind, type KindParts } from "../../../actors/kit/kind.ts"
import { limitKind } from "../../../actors/limit/actor.ts"
import type { Ask } from "../../../schemas/bus/frames.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import { op } from "../../../schemas/operation.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { openScope } from "../../support/scope.ts"
import { activationOf, performed, writeOf } from "./alone.ts"
import { type EngineBus, startBus } from "./bus.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"

let bus: EngineBus
let db: Kysely<Database>
let log: JetStreamLog

beforeAll(async () => {
  bus = await startBus()
  db = openDatabase(bus.servers.postgres.url)
  log = new JetStreamLog(machineClock, bus.nats, { batchMax: 1000, queueMax: 1000 })
})
afterAll(async () => {
  await db.destroy()
  await bus.stop()
})

describe("timers", () => {
  test("fire once each, soon after their time, whatever else is set under their name", async () => {
    const timers = new ScheduledTimers(bus.nats)
    const fired: Array<Ask & { readonly at: number }> = []
    const delivering = timers.deliver(
      bus.manager,
      (ask) => {
        fired.push({ ...ask, at: Date.now() })
        return Promise.resolve({ head: {}, body: new Uint8Array(0) })
      },
      (name) => (name === "clock" ? "clock.struck" : undefined)
    )
    const scope = openScope()
    onTestFinished(() => scope.close())
    await scope.make(delivering)
    const due = Date.now() + 400
    await Promise.all(["a", "b", "c"].map((id) => timers.set("clock", id, "once", due)))
    await timers.set("clock", "moved", "once", due)
    // By a commit that fails afterwards, say.
    await timers.set("clock", "moved", "once", Date.now() + 3_600_000)
    await waitFor(() => fired.length >= 4, { describe: "four timers" })
    expect(fired.map((ask) => `${ask.actor} ${ask.op}`).toSorted()).toEqual(
      ["a", "b", "c", "moved"].map((id) => `${id} ${FIRE}`)
    )
    // Each says for when it was set: an actor knows by that whether it still waits for it.
    for (const ask of fired) expect(ask.input).toEqual({ name: "once", at: due })
    for (const ask of fired) expect(ask.at).toBeGreaterThanOrEqual(due)
    expect(new Set(fired.map((ask) => ask.id)).size).toBe(4)
    // The schedule is gone, and what fired goes in thirty days.
    for (const id of ["a", "b", "c", "moved"]) {
      const { state } = await bus.manager.streams.info(streams.timers, {
        subjects_filter: subjects.timerSet("clock", id, "once", String(due))
      })
      expect(state.subjects ?? {}).toEqual({})
      const last_by_subj = subjects.timerFire("clock", id, "once", String(due))
      const message = await bus.manager.streams.getMessage(streams.timers, { last_by_subj })
      expect(message?.header.get("Nats-TTL")).toBe("2592000s")
    }
  })
})

describe("a timer that is set for so soon that its commit may be under way", () => {
  test("comes once more, as another command, put off or not", async () => {
    const timers = new ScheduledTimers(bus.nats)
    const fired: Array<Ask> = []
    const scope = openScope()
    onTestFinished(() => scope.close())
    await scope.make(
      timers.deliver(
        bus.manager,
        (ask) => {
          fired.push(ask)
          const refused = ask.actor === "late" && fired.filter(({ actor }) => actor === "late").length === 1
          const head = refused ? { refused: { code: "unavailable", status: 503, message: "Later." } } : {}
          return Promise.resolve({ head, body: new Uint8Array(0) } as Answer)
        },
        (name) => (name === "clock" ? "clock.struck" : undefined)
      )
    )
    const due = Date.now()
    await Promise.all(["soon", "late"].map((id) => timers.set("clock", id, "once", due, { again: due + 1500 })))
    await timers.set("clock", "usual", "once", due)
    await waitFor(() => fired.length >= 6, { describe: "all of them" })
    const idsOf = (id: string) => fired.filter(({ actor }) => actor === id).map((ask) => ask.id)
    expect(idsOf("usual")).toHaveLength(1)
    expect(new Set(idsOf("soon")).size).toBe(2)
    // The first was put off, under its own id.
    expect(idsOf("late")).toHaveLength(3)
    expect(new Set(idsOf("late")).size).toBe(2)
    for (const ask of fired) expect(ask.input).toEqual({ name: "once", at: due })
  })
})

describe("counters", () => {
  test("never give a number twice, whoever asks", async () => {
    const connections = await Promise.all([bus.connection(), bus.connection(), bus.connection()])
    const numbers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => nextNumber(connections[index % 3] ?? bus.nats, "test"))
    )
    expect(new Set(numbers).size).toBe(300)
    expect(Math.min(...numbers)).toBeGreaterThan(0)
  })

  test("give what is asked for in one moment by one draw, in the order of asking", async () => {
    const stored = async () => (await bus.manager.streams.info(streams.counters)).state.last_seq
    const before = await stored()
    const numbers = await Promise.all(Array.from({ length: 200 }, () => nextNumber(bus.nats, "test")))
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, index) => (numbers[0] ?? 0) + index))
    expect((await stored()) - before).toBe(1)
  })
})

interface Added extends EventShape {
  readonly value: number
}
const SUM = Schema.Struct({ sum: Schema.Number, count: Schema.Number })
const FORMAT = formatOf("sum", SUM)
const fold: Fold<ActorOf<typeof SUM.Type, Added>> = {
  kind: "sum",
  state: SUM,
  initial: { sum: 0, count: 0 },
  events: Schema.Union([event("sum.added", 1, { value: Schema.Number })]),
  evolve: (state, event) => ({ sum: state.sum + event.value, count: state.count + 1 })
}
const declared = { "sum.add": op({ input: Schema.Struct({ value: Schema.Number }), output: SUM, askedBy: [] }) }
const sumKind = kind(fold, declared, () => ({
  operations: {
    "sum.add": write({
      decide: (_state, input) => ({ events: [{ type: "sum.added", v: 1, value: input.value }] }),
      answer: (state) => state
    })
  }
}))

describe("activation", () => {
  const definition = sumKind.make({} as KindParts)
  const operation = writeOf(definition, "sum.add")
  const parts = (snapshots: EngineParts["snapshots"]): EngineParts => ({
    log,
    snapshots,
    timers: { set: () => Promise.resolve() },
    readModels: { reached: () => Promise.resolve() },
    limits: { ...LIMITS.service, snapshot_every_commits: 20 },
    now: Date.now,
    touched: () => Promise.resolve()
  })
  const add = (activation: Activation, id: string, value: number) =>
    activation.submit(
      { id, op: "sum.add", input: { value }, by: undefined, deadline: Date.now() + 10_000, trace: undefined },
      operation
    )

  test("a long log is picked up from its snapshot, with the commands it remembers", async () => {
    const snapshots = new PostgresSnapshots(machineClock, db, () => FORMAT)
    const first = activationOf(definition, "long", parts(snapshots))
    for (let index = 0; index < 150; index++) await add(first, `c${index}`, 1)
    const snapshot = await waitFor(() => snapshots.load("sum", "long"), { describe: "a snapshot" })
    expect(snapshot.seq).toBeGreaterThan(0)
    const second = activationOf(definition, "long", parts(snapshots))
    await second.load()
    expect(second.state).toEqual({ sum: 150, count: 150 })
    expect(second.seq).toBe(first.seq)
    // Remembered over the snapshot: repeated, it changes nothing.
    expect(await add(second, "c149", 1)).toEqual({ data: { sum: 150, count: 150 } })
    expect(second.state).toEqual({ sum: 150, count: 150 })
  })

  test("a snapshot of a state that this release declares, or folds, otherwise is not read", async () => {
    const wider = formatOf("sum", Schema.Struct({ ...SUM.fields, largest: Schema.Number }))
    const corrected = formatOf("sum", SUM, { sum: "another" })
    expect(new Set([FORMAT, wider, corrected]).size).toBe(3)
    for (const format of [wider, corrected])
      expect(await new PostgresSnapshots(machineClock, db, () => format).load("sum", "long")).toBeNull()
  })

  test("and is replaced by one of this release, of the same commit", async () => {
    const corrected = new PostgresSnapshots(machineClock, db, () => FORMAT + 1)
    const [last] = await db.selectFrom("snapshots").select("seq").where("id", "=", "long").execute()
    const snapshot = { seq: Number(last?.seq), state: { sum: 1, count: 1 }, commands: [] }
    await corrected.save("sum", "long", snapshot)
    expect(await corrected.load("sum", "long")).toEqual(snapshot)
    const before = new PostgresSnapshots(machineClock, db, () => FORMAT)
    await before.save("sum", "long", { ...snapshot, seq: snapshot.seq - 1 })
    expect(await before.load("sum", "long")).toBeNull()
  })

  test("without any snapshot store the log alone gives the same state", async () => {
    const gone = () => Promise.reject(new Error("Postgres is gone"))
    const broken = { load: () => Promise.resolve(null), save: gone, drop: gone }
    const activation = activationOf(definition, "long", parts(broken))
    await activation.load()
    expect(activation.state).toEqual({ sum: 150, count: 150 })
  })

  test("two activations of one actor take turns at the fence; no command is lost or doubled", async () => {
    const [a, b] = [
      activationOf(definition, "shared", parts(new PostgresSnapshots(machineClock, db, () => FORMAT))),
      activationOf(definition, "shared", parts(new PostgresSnapshots(machineClock, db, () => FORMAT)))
    ]
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => add(index % 2 === 0 ? a : b, `s${index}`, 1))
    )
    const done = outcomes.filter((outcome) => "data" in outcome).length
    const fresh = activationOf(definition, "shared", parts(new PostgresSnapshots(machineClock, db, () => FORMAT)))
    await fresh.load()
    expect(fresh.state).toEqual({ sum: done, count: done })
    expect(done).toBeGreaterThan(0)
  })

  test("a full mailbox refuses one more, and a command past its deadline is not begun", async () => {
    const small = activationOf(definition, "small", {
      ...parts(new PostgresSnapshots(machineClock, db, () => FORMAT)),
      limits: { ...LIMITS.service, mailbox_max: 2 }
    })
    const outcomes = await Promise.all([1, 2, 3].map((value) => add(small, `m${value}`, value)))
    expect(outcomes[2]).toMatchObject({ refused: { code: "overloaded" } })
    const late = await small.submit(
      { id: "late", op: "sum.add", input: { value: 9 }, by: undefined, deadline: Date.now() - 1, trace: undefined },
      operation
    )
    expect(late).toMatchObject({ refused: { code: "unavailable" } })
    expect(small.state).toEqual({ sum: 3, count: 2 })
  })
})

describe("rate-limit windows", () => {
  const limits = {
    ...LIMITS,
    rate_limits: {
      ...LIMITS.rate_limits,
      register: { requests: 10, window_seconds: 3600 },
      ip: { requests: 10, window_seconds: 60 }
    }
  }
  const drawer = (name: "limit.draw" | "limit.give_back" = "limit.draw") => {
    const definition = limitKind.make({ nats: bus.nats, config: { limits } } as unknown as KindParts)
    const operation = definition.operations[name]
    if (operation?.type !== "custom") throw new Error(`${name} is a custom operation`)
    let draws = 0
    return async (bucket: string, id: string, wanted: number, memory: unknown, commandId = `c${++draws}`) => {
      const context = { id: `${bucket}.${id}`, at: 0, seq: 0, commandId, deadline: Date.now() + 5000, memory }
      const drawn = operation.run(null as never, { bucket, wanted, count: wanted } as never, context) as Effect.Effect<
        unknown,
        Refusal
      >
      const result = await performed(drawn)
      return "data" in result ? (result.data as { granted: number; remaining: number }) : result.refused
    }
  }
  const memoryOf = () => limitKind.make({ nats: bus.nats, config: { limits } } as unknown as KindParts).memory?.()

  test("grants no more than the window has, whoever asks at once", async () => {
    const draw = drawer()
    const memory = memoryOf()
    const grants = await Promise.all(Array.from({ length: 8 }, () => draw("ip", "a", 3, memory)))
    expect(grants.reduce((sum, grant) => sum + ("granted" in grant ? grant.granted : 0), 0)).toBe(10)
  })

  test("a window of a quarter of an hour or more survives the node; a short one does not need to", async () => {
    const draw = drawer()
    await draw("register", "b", 7, memoryOf())
    expect(await draw("register", "b", 7, memoryOf())).toMatchObject({ granted: 3, remaining: 0 })
  })

  test("what is sent again, for want of an answer, is drawn once", async () => {
    const draw = drawer()
    const memory = memoryOf()
    const [first, again] = await Promise.all([draw("ip", "d", 4, memory, "one"), draw("ip", "d", 4, memory, "one")])
    expect([first, again, await draw("ip", "d", 4, memory, "one")]).toEqual([first, first, first])
    expect(await draw("ip", "d", 9, memory)).toMatchObject({ granted: 6, remaining: 0 })
  })

  test("nor is it drawn twice where the node was killed between the two", async () => {
    expect(await drawer()("register", "e", 4, memoryOf(), "one")).toMatchObject({ granted: 4, remaining: 6 })
    const draw = drawer()
    const memory = memoryOf()
    expect(await draw("register", "e", 4, memory, "one")).toMatchObject({ granted: 4, remaining: 6 })
    expect(await draw("register", "e", 4, memory, "two")).toMatchObject({ granted: 4, remaining: 2 })
    expect(await drawer()("register", "e", 4, memoryOf(), "three")).toMatchObject({ granted: 2, remaining: 0 })
  })

  test("what is given back is given back once, and may be drawn again by the same command", async () => {
    const given = (commandId: string) => drawer("limit.give_back")("register", "f", 4, memoryOf(), commandId)
    await drawer()("register", "f", 4, memoryOf(), "one")
    await drawer()("register", "f", 4, memoryOf(), "two")
    await given("one")
    await given("one")
    expect(await drawer()("register", "f", 2, memoryOf(), "two")).toMatchObject({ granted: 4, remaining: 6 })
    expect(await drawer()("register", "f", 4, memoryOf(), "one")).toMatchObject({ granted: 4, remaining: 2 })
  })

  test("an unknown bucket is refused by name", async () => {
    expect(await drawer()("nothing", "c", 1, memoryOf())).toMatchObject({ code: "validation_error" })
  })
})

describe("sealed secrets", () => {
  test("open only with the same seed and for the same purpose", () => {
    const sealer = new Sealer(new Uint8Array(32).fill(1))
    const sealed = sealer.seal("whsec_secret", "webhook of a")
    expect(sealed).not.toContain("secret")
    expect(sealer.open(sealed, "webhook of a")).toBe("whsec_secret")
    expect(() => sealer.open(sealed, "webhook of b")).toThrow()
    expect(() => new Sealer(new Uint8Array(32).fill(2)).open(sealed, "webhook of a")).toThrow()
    expect(sealer.seal("whsec_secret", "webhook of a")).not.toBe(sealed)
  })
})
