/** The actors of one node, found by shard. */
import { Effect, Schema } from "effect"
import { expect, test } from "vitest"
import type { ActorHost } from "../../../actors/engine/host.ts"
import { type ActorOf, kind, type KindParts } from "../../../actors/kit/kind.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { Log } from "../../../schemas/runtime/log/log.ts"
import { SHARD_COUNT, shardOf } from "../../../schemas/subjects.ts"
import { hostWith } from "./alone.ts"

const RESIDENT = 64_000

const small = kind<ActorOf<null, never>, Record<never, never>>(
  { kind: "small", state: Schema.Null, initial: null, events: null, evolve: () => null },
  {},
  () => ({
    logless: true,
    operations: {}
  })
).make({} as KindParts)

const logged = kind<ActorOf<null, never>, Record<never, never>>(
  { kind: "logged", state: Schema.Null, initial: null, events: null, evolve: () => null },
  {},
  () => ({ operations: {} })
).make({} as KindParts)

const hostOf = (ids: ReadonlyArray<string>, now = () => 0): ActorHost => {
  const never = () => Promise.reject(new Error("nothing is asked"))
  const host = hostWith([small, logged], {
    log: { append: never, read: never, tip: never, last: never, lastSeq: never, commitsOf: never },
    snapshots: { load: never, save: never, drop: never },
    timers: { set: never },
    readModels: { reached: never },
    limits: { ...LIMITS.service, resident_actors_max: RESIDENT * 2 },
    now,
    touched: never
  })
  for (const id of ids) host.activation("small", id)
  return host
}

const ids = Array.from({ length: RESIDENT }, (_, index) => `actor ${index}`)

/** Processor time of this thread, in us: the least of three. */
const took = (act: () => void): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const began = process.threadCpuUsage()
      act()
      const { user, system } = process.threadCpuUsage(began)
      return user + system
    })
  )

test("a dropped shard takes its actors with it, and no other", () => {
  const host = hostOf(ids.slice(0, 2000))
  host.drop(3)
  const others = ids.slice(0, 2000).filter((id) => shardOf(id) !== 3)
  expect(host.resident).toBe(others.length)
  expect(host.counts.activated).toBe(2000)
  for (const id of others) host.activation("small", id)
  expect(host.counts.activated).toBe(2000)
})

test("dropping shards that have nobody here looks at none of the others'", () => {
  const host = hostOf(ids.filter((id) => shardOf(id) === 0))
  const times = 200
  const looks = took(() => {
    for (let time = 0; time < times; time++) host.depths()
  })
  const drops = took(() => {
    for (let time = 0; time < times; time++) for (let shard = 1; shard < SHARD_COUNT; shard++) host.drop(shard)
  })
  // `depths` looks at each actor once. Were it so for each shard, this would be more than 63 times as much.
  expect(drops).toBeLessThan(looks * 10)
})

test("the state of an actor that cannot be read is refused, and not a fault of the service", async () => {
  const host = hostOf([])
  const read = await Effect.runPromise(Effect.flip(host.stateOf({ kind: "logged", initial: null }, "an actor")))
  expect(read).toMatchObject({ code: "unavailable", retryAfter: 1 })
})

test("an actor that cannot be read is named in the log, with the reason; a thousand of them are one line in ten seconds", async () => {
  const lines: Array<string> = []
  const log = new Log({ writableLength: 0, write: (text) => lines.push(text), on: () => undefined }, machineClock)
  let now = 0
  const host = hostOf([], () => now)
  const use = (id: string) =>
    log.run(() => expect(host.activation("logged", id)?.load()).rejects.toThrow("nothing is asked"))
  for (let n = 0; n < 50; n++) await use(`actor ${n}`)
  expect(host.counts.unreadable).toBe(50)
  now = 10_000
  await use("later")
  const told = lines.flatMap((text) => text.split("\n")).filter((line) => line.includes("nothing is asked"))
  expect(told.map((line) => JSON.parse(line))).toMatchObject([
    { level: "error", kind: "logged", id: "actor 0", unreadable: 1 },
    { kind: "logged", id: "later", unreadable: 51 }
  ])
})
