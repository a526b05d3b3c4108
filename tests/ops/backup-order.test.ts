/** A command that a reaction has parked is in every backup, whenever its streams are cut. */
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { jetstreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { afterEach, beforeEach, expect, test } from "vitest"
import { asideOf } from "../../actors/reactions/aside.ts"
import { readMark } from "../../actors/reactions/marks.ts"
import { backup } from "../../ops/backup/backup.ts"
import { restore } from "../../ops/backup/restore.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { streams } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, startCluster, type TestCluster } from "../actors/engine/cluster.ts"
import { frozen, pebble, pond, ripples } from "../actors/reactions/pond.ts"

let cluster: TestCluster
beforeEach(async () => {
  cluster = await startCluster()
})
afterEach(() => {
  frozen.clear()
  return cluster?.stop()
})

const gated = (nats: NatsConnection, stream: string, gate: () => Promise<unknown>): NatsConnection =>
  new Proxy(nats, {
    get: (of, key) => {
      const value: unknown = Reflect.get(of, key)
      if (typeof value !== "function") return value
      if (key !== "request") return value.bind(of)
      return async (subject: string, ...rest: ReadonlyArray<unknown>) => {
        if (subject === `$JS.API.STREAM.SNAPSHOT.${stream}`) await gate()
        return (value as (...args: ReadonlyArray<unknown>) => unknown).call(of, subject, ...rest)
      }
    }
  })

test.each([
  ["before HUB_ASIDE is cut", "HUB_ASIDE"],
  ["between HUB_ASIDE and HUB_REACTIONS", "HUB_REACTIONS"],
  ["behind HUB_REACTIONS", "HUB_SEEN"]
])("a command that is parked %s comes after the restore", async (_when, gate) => {
  const { bus } = cluster
  let client = await cluster.client("actors")
  const node = await cluster.node([pebble, pond], {}, [ripples()])
  const ask = async (kind: string, actor: string, op: string, input: unknown = null): Promise<unknown> =>
    dataOf(await client.ask({ kind, actor, op, input }))
  await ask("pebble", "first", "pebble.throw", { into: "south" })
  await waitFor(async () => ((await ask("pond", "south", "pond.look")) as Array<unknown>).length === 1)
  frozen.add("north")
  await ask("pebble", "one", "pebble.throw", { into: "north" })
  await ask("pebble", "two", "pebble.throw", { into: "south" })
  const thrown = (await bus.manager.streams.info(streams.events)).state.last_seq
  const admin = bus.nats
  const manager = await jetstreamManager(admin, { timeout: 60_000 })
  const parked = () =>
    waitFor(
      async () =>
        (await Effect.runPromise(asideOf(admin, "pond", "parked"))).length === 1 &&
        (await readMark(admin, "pond")).seq >= thrown - 1,
      { describe: "parked and marked", deadlineMs: 120_000 }
    )
  const folder = join(bus.servers.folder, `backup-${randomBytes(4).toString("hex")}`)
  const signal = new AbortController().signal
  await backup(folder, {
    nats: gated(admin, gate, parked),
    manager,
    serviceKey: "key",
    signal,
    progress: () => undefined
  })
  await node.stop()
  await restore(folder, {
    nats: admin,
    manager,
    databaseUrl: bus.servers.postgres.url,
    serviceKey: "key",
    limits: LIMITS,
    replicas: null,
    gap: 0,
    cards: false,
    replace: true,
    signal,
    progress: () => undefined
  })
  frozen.clear()
  client = await cluster.client("actors")
  await cluster.node([pebble, pond], {}, [ripples()])
  // A later command reaches every pond: the reactor is past all that was there.
  await ask("pebble", "three", "pebble.throw", { into: "south" })
  const end = (await bus.manager.streams.info(streams.events)).state.last_seq
  await waitFor(async () => (await readMark(admin, "pond")).seq >= end - 1, {
    describe: "the mark at the end",
    deadlineMs: 60_000
  })
  const north = await waitFor(
    async () => {
      const found = (await ask("pond", "north", "pond.look")) as ReadonlyArray<unknown>
      return found.length > 0 ? found : null
    },
    { describe: "the ripple that was parked", deadlineMs: 20_000 }
  ).catch(() => "LOST")
  expect(north).toEqual([["one", 1]])
})
