/** Actors that come back into memory: the reads that it takes, the snapshots that are believed, and no Postgres. */
import { Effect } from "effect"
import type { Kysely, KyselyPlugin } from "kysely"
import { jetstreamManager } from "@nats-io/jetstream"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import type { EngineParts } from "../../../actors/engine/activation.ts"
import type { ActorDefinition } from "../../../actors/engine/definition.ts"
import { History } from "../../../actors/engine/history.ts"
import { PostgresSnapshots } from "../../../actors/engine/snapshots.ts"
import type { EventLog } from "../../../actors/log/commit.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { shardOf, streams, subjects } from "../../../schemas/subjects.ts"
import { standingClock, waitFor } from "../../harness/index.ts"
import { hostWith } from "./alone.ts"
import { type OwnBus, startOwnBus } from "./bus.ts"

const FORMAT = 7
const EVERY = LIMITS.service.snapshot_every_commits

const steps: ActorDefinition = {
  kind: "steps",
  initial: 0,
  events: { "steps.made": 1 },
  evolve: (state) => Number(state) + 1,
  operations: {}
}
/** The log forgets its commits. */
const brief: ActorDefinition = { ...steps, kind: "brief", ends: true, keepSeconds: () => 600 }

let bus: OwnBus
let db: Kysely<Database>
let log: JetStreamLog
/** Statements that Postgres was asked. */
let statements = 0

const counting: KyselyPlugin = {
  transformQuery: ({ node }) => {
    statements++
    return node
  },
  transformResult: ({ result }) => Promise.resolve(result)
}

beforeAll(async () => {
  bus = await startOwnBus()
  db = openDatabase(bus.servers.postgres.url).withPlugin(counting)
  log = new JetStreamLog(machineClock, bus.nats, { batchMax: 1000, queueMax: 1000 })
})
afterAll(async () => {
  await db.destroy()
  await bus.stop()
})

const snapshotsOf = (format = FORMAT): PostgresSnapshots => new PostgresSnapshots(machineClock, db, () => format)

/** Writes commits as somebody else would, and resolves to their sequences. */
const written = async (id: string, count: number, definition = steps): Promise<ReadonlyArray<number>> => {
  const subject = subjects.event(definition.kind, id)
  const seqs: Array<number> = []
  let expected = await log.lastSeq(subject)
  for (let index = 0; index < count; index++) {
    const commit = { v: 1, id: `${id}-${expected}`, op: "test", at: 1, events: [{ type: "steps.made", v: 1 }] } as const
    const result = await log.append([{ subject, expected, commit }])
    if (!result.ok) throw new Error(result.reason)
    expected = result.seqs[0] ?? 0
    seqs.push(expected)
  }
  return seqs
}

interface Counted {
  last: number
  read: number
  entries: number
  rows: number
}

const partsWith = (snapshots: EngineParts["snapshots"], counts: Counted): EngineParts => {
  const counted: EventLog = {
    append: (group) => log.append(group),
    last: (subject) => {
      counts.last++
      return log.last(subject)
    },
    read: async (...asked) => {
      counts.read++
      const page = await log.read(...asked)
      counts.entries += page.entries.length
      return page
    },
    tip: (subject) => {
      counts.last++
      return log.tip(subject)
    },
    lastSeq: (subject) => log.lastSeq(subject),
    commitsOf: (...asked) => log.commitsOf(...asked)
  }
  return {
    log: counted,
    snapshots: {
      load: (kind, id) => {
        counts.rows++
        return snapshots.load(kind, id)
      },
      save: (kind, id, snapshot) => snapshots.save(kind, id, snapshot),
      drop: (kind, id, seq) => snapshots.drop(kind, id, seq)
    },
    timers: { set: () => Promise.resolve() },
    readModels: { reached: () => Promise.resolve() },
    limits: LIMITS.service,
    now: () => 1,
    touched: () => Promise.resolve()
  }
}

/** An actor that comes into memory, and what that took. */
const loaded = async (id: string, snapshots: EngineParts["snapshots"] = snapshotsOf(), definition = steps) => {
  const reads: Counted = { last: 0, read: 0, entries: 0, rows: 0 }
  const actor = new History(definition, id, partsWith(snapshots, reads))
  await actor.load()
  return { actor, reads }
}

/** With a snapshot of its newest commit. */
const put = async (id: string, count: number): Promise<ReadonlyArray<number>> => {
  const seqs = await written(id, count)
  await (await loaded(id)).actor.keepSnapshot()
  return seqs
}

describe("an actor that comes into memory", () => {
  test("of no commit or one takes one read, and no row", async () => {
    await written("one", 1)
    for (const [id, state] of [
      ["none", 0],
      ["one", 1]
    ] as const) {
      const { actor, reads } = await loaded(id)
      expect([actor.state, reads]).toEqual([state, { last: 1, read: 0, entries: 0, rows: 0 }])
    }
  })

  test("with a snapshot takes two, however long its log is", async () => {
    for (const count of [2, 3, 200]) {
      const id = `of ${count}`.replace(" ", "")
      await put(id, count)
      const idle = await loaded(id)
      expect([idle.actor.state, idle.reads]).toEqual([count, { last: 1, read: 0, entries: 0, rows: 1 }])
      await written(id, 1)
      const moved = await loaded(id)
      expect([moved.actor.state, moved.reads]).toEqual([count + 1, { last: 1, read: 0, entries: 0, rows: 1 }])
    }
  })

  test("from a node that died reads what no snapshot has, and nothing of what one has", async () => {
    await put("died", 50)
    await written("died", EVERY - 1)
    const { actor, reads } = await loaded("died")
    expect([actor.state, reads]).toEqual([50 + EVERY - 1, { last: 1, read: 1, entries: EVERY - 1, rows: 1 }])
  })

  test("goes on from the commit of another in one read", async () => {
    await put("touched", 5)
    const { actor, reads } = await loaded("touched")
    await written("touched", 1)
    actor.stale()
    await actor.load()
    expect([actor.state, reads]).toEqual([6, { last: 2, read: 0, entries: 0, rows: 1 }])
  })

  test("of another fold is made of the log", async () => {
    await put("folded", 40)
    const { actor, reads } = await loaded("folded", snapshotsOf(FORMAT + 1))
    expect([actor.state, reads.entries]).toEqual([40, 40])
  })

  test("remembers its commands over the snapshot and behind it", async () => {
    const seqs = await put("commanded", 6)
    await written("commanded", 3)
    const { actor } = await loaded("commanded")
    const ids = ["commanded-0", ...seqs.map((seq) => `commanded-${seq}`), `commanded-${actor.seq}`]
    expect(ids.map((id) => actor.commandOf(id, 1)?.valueOf() !== undefined)).toEqual([
      ...Array.from({ length: 7 }, () => true),
      false
    ])
  })
})

describe("a snapshot is not believed", () => {
  const wrong = 1_000_000
  const saved = (id: string, seq: number) => snapshotsOf().save("steps", id, { seq, state: wrong, commands: [] })

  test("ahead of the log: that was restored from an older copy", async () => {
    const seqs = await written("ahead", 4)
    await saved("ahead", (seqs.at(-1) ?? 0) + 1)
    expect((await loaded("ahead")).actor.state).toBe(4)
  })

  test("ahead of the log, and a fold of the log takes its place, told once", async () => {
    const logged = vi.spyOn(process.stderr, "write").mockImplementation(() => true)
    try {
      const last = (await written("replaced", 4)).at(-1) ?? 0
      await saved("replaced", last + 1000)
      expect((await loaded("replaced")).actor.state).toBe(4)
      await waitFor(async () => (await snapshotsOf().load("steps", "replaced"))?.seq === last, {
        describe: "a snapshot of the log"
      })
      const { actor, reads } = await loaded("replaced")
      expect([actor.state, reads]).toEqual([4, { last: 1, read: 0, entries: 0, rows: 1 }])
      const told = logged.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("another log"))
      expect(told).toHaveLength(1)
      expect(JSON.parse(told[0] ?? "")).toMatchObject({ level: "warn", kind: "steps", id: "replaced", log: last })
    } finally {
      logged.mockRestore()
    }
  })

  test("of another history that has come to the same sequence", async () => {
    const last = (await written("same", 4)).at(-1) ?? 0
    await saved("same", last)
    expect((await loaded("same")).actor.state).toBe(4)
    await waitFor(async () => (await snapshotsOf().load("steps", "same"))?.state === 4)
  })

  test("nor is memory, where the log has lost what it was made of", async () => {
    const seqs = await put("lost", 5)
    const { actor } = await loaded("lost")
    expect([actor.state, await actor.isNewest()]).toEqual([5, true])
    const manager = await jetstreamManager(bus.nats)
    await manager.streams.deleteMessage(streams.events, seqs.at(-1) ?? 0)
    expect(await actor.isNewest()).toBe(false)
    await actor.load()
    expect([actor.state, actor.seq]).toEqual([4, seqs.at(-2)])
    await written("lost", 1)
    actor.stale()
    await actor.load()
    expect(actor.state).toBe(5)
  })

  test("of a sequence that no commit of the actor has or follows", async () => {
    const [first = 0] = await written("between", 1)
    await written("other", 1)
    await written("between", 3)
    await saved("between", first + 1)
    expect((await loaded("between")).actor.state).toBe(4)
  })
})

describe("snapshots in Postgres", () => {
  const many = Array.from({ length: 1000 }, (_, index) => `many${index}`)

  test("that come together are written and read by a few statements, the newest of each actor", async () => {
    const snapshots = snapshotsOf()
    const before = statements
    await Promise.all(
      [2, 3, 1].flatMap((seq) => many.map((id) => snapshots.save("steps", id, { seq, state: seq, commands: [] })))
    )
    const found = await Promise.all(many.map((id) => snapshots.load("steps", id)))
    expect(new Set(found.map((snapshot) => snapshot?.state))).toEqual(new Set([3]))
    expect(statements - before).toBeLessThan(20)
  })

  test("lose none to one that Postgres cannot keep", async () => {
    const snapshots = snapshotsOf()
    const states = { nul: "\0", half: "\ud800", plain: "\\u0000" }
    await Promise.all(
      Object.entries(states).map(([id, state]) => snapshots.save("steps", id, { seq: 1, state, commands: [] }))
    )
    await snapshots.save("steps", "beside", { seq: 1, state: "kept", commands: [] })
    expect((await snapshots.load("steps", "beside"))?.state).toBe("kept")
    for (const id of ["nul", "half"]) expect(await snapshots.load("steps", id)).toBeNull()
    // The letters of an escape are letters.
    expect((await snapshots.load("steps", "plain"))?.state).toBe(states.plain)
  })

  test("are waited for once where Postgres does not answer, by whoever asks", async () => {
    await put("waiting", 40)
    const clock = standingClock()
    // A frozen server accepts no connection, and goes on with those it has.
    const unconnected = openDatabase(bus.servers.postgres.url)
    const snapshots = new PostgresSnapshots(clock, unconnected, () => FORMAT)
    bus.servers.postgres.freeze()
    try {
      const first = snapshots.load("steps", "waiting")
      await waitFor(() => clock.waits().length > 0, { describe: "Postgres to be asked" })
      clock.move(1000)
      expect(await first).toBeNull()
      // The clock stands: nothing of this waits for a time.
      const { actor, reads } = await loaded("waiting", snapshots)
      expect([actor.state, reads.entries]).toEqual([40, 40])
      expect(new Set(await Promise.all(many.map((id) => snapshots.load("steps", id))))).toEqual(new Set([null]))
      await expect(actor.keepSnapshot()).rejects.toThrow("did not answer")
      clock.move(2000)
      expect(await snapshots.load("steps", "waiting")).toBeNull()
    } finally {
      bus.servers.postgres.thaw()
    }
    const found = await waitFor(
      () => {
        clock.move(2000)
        return snapshots.load("steps", "waiting")
      },
      { describe: "Postgres to answer again" }
    )
    expect(found.state).toBe(40)
    await unconnected.destroy()
  })
})

describe("snapshots are written", () => {
  const hostOf = (limits: Partial<EngineParts["limits"]>, now: () => number) => {
    const parts = partsWith(snapshotsOf(), { last: 0, read: 0, entries: 0, rows: 0 })
    return hostWith([steps, brief], { ...parts, limits: { ...LIMITS.service, ...limits }, now })
  }
  const rowsOf = async (ids: ReadonlyArray<string>) =>
    Object.fromEntries(
      (await db.selectFrom("snapshots").select(["id", "seq"]).where("id", "in", ids).execute()).map(({ id, seq }) => [
        id,
        Number(seq)
      ])
    )

  test("when actors have been idle: of each that a snapshot saves a read, and of none that the log forgets", async () => {
    const [, short = 0] = await written("short", 2)
    const long = (await written("long", 30)).at(-1) ?? 0
    await written("single", 1)
    await written("forgotten", 3, brief)
    let now = 1
    const host = hostOf({}, () => now)
    for (const id of ["short", "long", "single"]) await host.activation("steps", id)?.load()
    await host.activation("brief", "forgotten")?.load()
    now += LIMITS.service.passivate_after_idle_ms + 1
    host.sweep()
    expect([host.resident, host.counts.passivated]).toEqual([0, 4])
    await waitFor(async () => Object.keys(await rowsOf(["short", "long"])).length === 2, { describe: "both" })
    expect(await rowsOf(["short", "long", "single", "forgotten"])).toEqual({ short, long })
    const before = statements
    await host.activation("steps", "long")?.load()
    now += LIMITS.service.passivate_after_idle_ms + 1
    host.sweep()
    // Nothing has changed: it was read, and is not written again.
    expect(host.resident).toBe(0)
    expect((await loaded("long")).reads.rows).toBe(1)
    expect(statements - before).toBe(2)
  })

  test("when a shard is given back", async () => {
    const seqs = await written("given", 3)
    const host = hostOf({}, () => 1)
    await host.activation("steps", "given")?.load()
    await Effect.runPromise(host.drain(shardOf("given")))
    expect(await rowsOf(["given"])).toEqual({ given: seqs.at(-1) })
  })
})
