/**
 * Two releases side by side under load, as in a rolling deployment: the newer has an operation more on a kind that both
 * have, and a kind more, with timers. Nothing is lost, nothing done twice, nothing said not to exist.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openDatabase } from "../../../actors/database.ts"
import { type EventShape, type FiredTimer, isDue, read, write } from "../../../actors/engine/definition.ts"
import { KvLeases } from "../../../actors/engine/leases.ts"
import { type Kind, kind } from "../../../actors/kind.ts"
import { openProcessMetrics } from "../../../actors/metrics/process.ts"
import { type RunningNode, startNode } from "../../../actors/node-runtime.ts"
import { type Answer, Asker } from "../../../schemas/bus/asker.ts"
import { LeaseView } from "../../../schemas/bus/lease-view.ts"
import { transportOver } from "../../../schemas/bus/transport.ts"
import { readConfig } from "../../../schemas/config.ts"
import { SHARD_COUNT, shardOf } from "../../../schemas/subjects.ts"
import { NO_TRACING } from "../../../schemas/trace/tracing.ts"
import { waitFor } from "../../harness/index.ts"
import { type EngineBus, startBus } from "./bus.ts"

const ACTORS = 40
const ROUNDS = 12
/** More than the older release lives for. */
const PATIENCE_MS = 60_000

type Moved = EventShape & { readonly type: "ledger.added" | "ledger.taken"; readonly by: number }

const ledger = (newer: boolean): Kind =>
  kind<number, Moved>({
    kind: "ledger",
    initial: 0,
    events: newer ? { "ledger.added": 1, "ledger.taken": 1 } : { "ledger.added": 1 },
    evolve: (state, event) => (event.type === "ledger.added" ? state + event.by : state - event.by)
  }, () => ({
    operations: {
      "ledger.stand": read<number, null>((state) => ({ data: state })),
      "ledger.add": write<number, { readonly by: number }, Moved>({ decide: (_state, { by }) => ({ events: [{ type: "ledger.added", v: 1, by }] }), answer: () => null }),
      ...(newer
        ? { "ledger.take": write<number, { readonly by: number }, Moved>({ decide: (_state, { by }) => ({ events: [{ type: "ledger.taken", v: 1, by }] }), answer: () => null }) }
        : {})
    }
  }))

interface Clock {
  readonly due: number | null
  readonly struck: number
}
type Ticked = EventShape & ({ readonly type: "clock.set"; readonly due: number } | { readonly type: "clock.struck" })

const clock: Kind = kind<Clock, Ticked>({
  kind: "clock",
  initial: { due: null, struck: 0 },
  events: { "clock.set": 1, "clock.struck": 1 },
  evolve: (state, event) => (event.type === "clock.set" ? { ...state, due: event.due } : { due: null, struck: state.struck + 1 })
}, () => ({
  onTimer: "clock.strike",
  operations: {
    "clock.stand": read<Clock, null>((state) => ({ data: state })),
    "clock.set": write<Clock, null, Ticked>({
      decide: (_state, _input, { at }) => ({ events: [{ type: "clock.set", v: 1, due: at + 200 }], timers: [{ name: "strike", at: at + 200 }] }),
      answer: () => null
    }),
    "clock.strike": write<Clock, FiredTimer, Ticked>({
      decide: (state, fired) => (state.due === null || !isDue(fired, state.due) ? { events: [] } : { events: [{ type: "clock.struck", v: 1 }] }),
      answer: () => null
    })
  }
}))

let bus: EngineBus
const ends: Array<() => unknown> = []
beforeAll(async () => {
  bus = await startBus()
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  await bus.stop()
})

const release = async (kinds: ReadonlyArray<Kind>): Promise<RunningNode> => {
  const nats = await bus.connection()
  const read = readConfig({ HUB_ENV: "development", HUB_NATS_URL: bus.servers.nats.url, HUB_DATABASE_URL: bus.servers.postgres.url, HUB_DATA: bus.servers.folder })
  if (!read.ok) throw new Error(read.problem)
  const db = openDatabase(bus.servers.postgres.url)
  ends.push(() => db.destroy())
  const { config } = read
  const node = await startNode({ nats, manager: bus.manager, db, config, seed: new Uint8Array(32), metrics: openProcessMetrics(nats, config), tracing: NO_TRACING, kinds })
  ends.push(() => node.stop())
  return node
}

test("a rolling deployment loses and doubles nothing", async () => {
  const older = await release([ledger(false)])
  await release([ledger(true), clock])
  const nats = await bus.connection()
  const view = new LeaseView()
  const leases = new KvLeases(nats, view)
  await leases.watch()
  const asker = new Asker(transportOver(nats, () => undefined), view, { role: "actors", name: "client" }, { maxInFlight: 20_000, maxFrameBytes: 700_000 })
  ends.push(() => asker.close())
  const owners = () => new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => view.ownerOf(shard)))
  await waitFor(() => owners().size === 2 && !owners().has(null), { describe: "shards of both releases" })

  const ask = (kindName: string, actor: string, op: string, input: unknown, patience = PATIENCE_MS): Promise<Answer> =>
    asker.ask({ id: randomBytes(12).toString("hex"), kind: kindName, actor, op, input, deadline: Date.now() + patience })
  const ids = Array.from({ length: ACTORS }, (_, index) => `a${index}`)
  /** The older release has a shard while its operation `ledger.take` is not there. */
  const ofOlder = await waitFor(async () => {
    for (const id of ids) {
      const { head } = await ask("ledger", id, "ledger.take", { by: 0 }, 300)
      if (head.refused !== undefined) return { id, head }
    }
    return undefined
  }, { describe: "an actor of the older release" })
  expect(ofOlder.head.refused).toMatchObject({ code: "unavailable", retryAfter: expect.any(Number) })
  expect((await ask("clock", ofOlder.id, "clock.stand", null, 300)).head.refused?.code).toBe("unavailable")

  const answers: Array<Promise<Answer>> = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const id of ids) {
      answers.push(ask("ledger", id, "ledger.add", { by: 3 }))
      answers.push(ask("ledger", id, "ledger.take", { by: 1 }))
      if (round === 0) answers.push(ask("clock", id, "clock.set", null))
    }
    await delay(20)
  }
  // What the newer one has answered by now is in its logs; timers have fired, at either.
  const struckBefore = await waitFor(async () => {
    const stands = await Promise.all(ids.filter((id) => view.ownerOf(shardOf(id)) !== view.ownerOf(shardOf(ofOlder.id))).map((id) => ask("clock", id, "clock.stand", null)))
    return stands.every(({ body }) => (JSON.parse(Buffer.from(body).toString()) as Clock).struck === 1) ? stands.length : undefined
  }, { deadlineMs: 60_000, describe: "timers of the new kind while the older release takes some of them" })
  expect(struckBefore).toBeGreaterThan(0)

  await older.stop()
  for (const { head } of await Promise.all(answers)) expect(head.refused).toBeUndefined()
  const standOf = async (kindName: string, id: string) => JSON.parse(Buffer.from((await ask(kindName, id, `${kindName}.stand`, null)).body).toString()) as unknown
  for (const id of ids) expect(await standOf("ledger", id), id).toBe(ROUNDS * 2)
  await waitFor(async () => (await Promise.all(ids.map((id) => standOf("clock", id)))).every((state) => (state as Clock).struck === 1), { deadlineMs: 60_000, describe: "every timer, once" })
  // Nothing of it is left to fire again.
  await waitFor(async () => {
    const { num_pending, num_ack_pending } = await bus.manager.consumers.info("HUB_TIMERS", "timers")
    const subjects = Object.keys((await bus.manager.streams.info("HUB_TIMERS", { subjects_filter: "hub.timer.set.>" })).state.subjects ?? {})
    return num_pending + num_ack_pending + subjects.length === 0
  }, { deadlineMs: 60_000, describe: "no timer left" })
  for (const id of ids) expect(await standOf("clock", id), id).toMatchObject({ struck: 1 })
}, 180_000)
