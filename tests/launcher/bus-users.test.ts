/**
 * The users of the bus (ops/deploy/nats/roles.conf) against a real server: each may do what its role needs, and what
 * another role lives by it may not. That they may do what they need is also seen by every test of a whole system.
 */
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ensureStreams } from "../../actors/engine/streams.ts"
import { addressFor, drawPasswords } from "../../ops/launcher/bus-users.ts"
import { findNatsServer } from "../../ops/launcher/nats-binary.ts"
import { startNats } from "../../ops/launcher/nats.ts"
import { BUS_ROLES, busRoleOf, type BusRole, mayAsk } from "../../schemas/bus/roles.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { buckets, streams, subjects } from "../../schemas/subjects.ts"
import { testFolder } from "../harness/index.ts"

const passwords = drawPasswords()
let url: string
let stop: () => Promise<unknown>
const open: Array<NatsConnection> = []

beforeAll(async () => {
  const binary = await findNatsServer({ env: process.env, dataDir: ".hub", progress: () => undefined })
  const server = await startNats({ binary, dataDir: await testFolder("users"), passwords })
  url = server.url
  stop = () => server.stop()
  await ensureStreams(await connectAs("actors"), LIMITS, 1)
})
afterAll(async () => {
  await Promise.all(open.map((nats) => nats.close()))
  await stop()
})

async function connectAs(role: BusRole, password = passwords[role]): Promise<NatsConnection> {
  const address = url.replace("nats://", `nats://${role}:${password}@`)
  const nats = await connect({ ...(busServers(address, role) ?? { servers: [] }), reconnect: false })
  open.push(nats)
  return nats
}

/** Whether the server lets the user publish there: it says no by an error of the connection, yes by answering a ping behind it. */
async function mayPublish(nats: NatsConnection, subject: string): Promise<boolean> {
  const refusals: Array<unknown> = []
  const status = nats.status()
  const following = (async () => {
    for await (const { type } of status) if (type === "error") refusals.push(type)
  })()
  nats.publish(subject, "")
  await nats.flush()
  await nats.flush()
  ;(status as unknown as { stop: () => void }).stop()
  await following
  return refusals.length === 0
}

async function maySubscribe(nats: NatsConnection, subject: string): Promise<boolean> {
  let refused = false
  const subscription = nats.subscribe(subject, {
    callback: (error) => {
      if (error !== null) refused = true
    }
  })
  await nats.flush()
  await nats.flush()
  subscription.unsubscribe()
  return !refused
}

const FORBIDDEN: Readonly<Record<Exclude<BusRole, "operator">, { readonly publish: ReadonlyArray<string>; readonly subscribe: ReadonlyArray<string> }>> = {
  edge: {
    publish: [
      subjects.event("agent", "a"), subjects.nonce, subjects.counter("agents"), subjects.limit("ip", "x"), subjects.idempotency("a", "k"), subjects.projected, subjects.notified("a"),
      subjects.node("s", "actors"), subjects.node("s", "webhooks"), subjects.node("s", "operator"), subjects.reply("edge", "other"), subjects.timerSet("agent", "a", "n", "1"), subjects.seen("a"),
      `$KV.${buckets.leases}.shard.1`, `$JS.API.STREAM.DELETE.${streams.events}`, `$JS.API.STREAM.PURGE.${streams.events}`, `$JS.API.STREAM.MSG.GET.${streams.events}`,
      `$JS.API.DIRECT.GET.${streams.idempotency}`, `$JS.API.CONSUMER.CREATE.${streams.events}.x`, "_INBOX.edge.other", "_INBOX.actors.other", "$JS.API.STREAM.CREATE.MINE"
    ],
    subscribe: ["_INBOX.>", "_INBOX.actors.*", subjects.node("s", "edge"), subjects.node("*", "*"), subjects.events, subjects.reply("webhooks", "w"), subjects.query("agents"), ">"]
  },
  queries: {
    publish: [subjects.event("agent", "a"), subjects.nonce, subjects.node("s", "actors"), subjects.node("s", "queries"), `$JS.API.STREAM.PURGE.${streams.events}`, `$KV.${buckets.leases}.shard.1`, subjects.projected],
    subscribe: ["_INBOX.edge.*", subjects.node("*", "*"), subjects.events, subjects.reply("edge", "e"), ">"]
  },
  webhooks: {
    publish: [
      subjects.event("delivery", "1"), subjects.node("s", "edge"), subjects.node("s", "actors"), subjects.query("agents"), `$KV.${buckets.leases}.shard.1`,
      `$JS.API.STREAM.MSG.GET.${streams.events}`, `$JS.API.CONSUMER.CREATE.${streams.events}.mine`, `$JS.API.CONSUMER.DELETE.${streams.events}.webhooks`, `$JS.API.DIRECT.GET.${streams.events}`
    ],
    subscribe: ["_INBOX.edge.*", subjects.node("*", "*"), subjects.events, subjects.query("agents"), ">"]
  },
  actors: {
    publish: [subjects.node("s", "edge"), subjects.node("s", "webhooks"), subjects.node("s", "operator"), `$JS.API.STREAM.DELETE.${streams.events}`, `$JS.API.STREAM.SNAPSHOT.${streams.events}`, `$JS.API.STREAM.RESTORE.${streams.events}`],
    subscribe: ["_INBOX.edge.*", subjects.reply("edge", "e"), ">"]
  }
}

describe.each(Object.entries(FORBIDDEN) as Array<[Exclude<BusRole, "operator">, (typeof FORBIDDEN)["edge"]]>)("the user %s", (role, { publish, subscribe }) => {
  test.each(publish)("may not publish on %s", async (subject) => {
    expect(await mayPublish(await connectAs(role), subject)).toBe(false)
  })

  test.each(subscribe)("may not listen to %s", async (subject) => {
    expect(await maySubscribe(await connectAs(role), subject)).toBe(false)
  })

  test("may ask under its own name and hear its own answers", async () => {
    const nats = await connectAs(role)
    if (role !== "queries") expect(await mayPublish(nats, subjects.node("s", role))).toBe(true)
    if (role !== "queries") expect(await maySubscribe(nats, `${subjects.reply(role, "me")}.*`)).toBe(true)
    expect(await maySubscribe(nats, `_INBOX.${role}.x.*`)).toBe(true)
  })
})

test("a wrong password opens nothing", async () => {
  await expect(connectAs("edge", passwords.actors)).rejects.toThrow(/authorization/i)
})

test("the operator may do all of it", async () => {
  const nats = await connectAs("operator")
  for (const { publish, subscribe } of Object.values(FORBIDDEN)) {
    // What would take something away is not tried.
    for (const subject of publish.filter((it) => !it.startsWith("$JS.API.STREAM"))) expect(await mayPublish(nats, subject)).toBe(true)
    for (const subject of subscribe) expect(await maySubscribe(nats, subject)).toBe(true)
  }
})

test("each process connects as the user of its role", () => {
  const userOf = (...[node, roles]: [node: "edge" | "actor", roles?: string]) => new URL(addressFor(node, roles, "nats://127.0.0.1:1", passwords)).username
  expect(userOf("edge")).toBe("edge")
  expect(userOf("edge", "queries")).toBe("edge")
  expect([userOf("actor"), userOf("actor", "actors"), userOf("actor", "queries, webhooks")]).toEqual(["actors", "actors", "actors"])
  expect([userOf("actor", "queries"), userOf("actor", "webhooks")]).toEqual(["queries", "webhooks"])
  expect(BUS_ROLES.every((role) => /^p[0-9a-f]{36}$/.test(passwords[role]))).toBe(true)
  expect(busRoleOf([])).toBe("actors")
})

describe("what an asker's role may ask of a node", () => {
  test.each([
    ["edge", "agent.me", true], ["edge", "webhook.sign", false], ["edge", "agent.ban", false], ["edge", "category.seed", false], ["edge", "engine.refresh", false], ["edge", "constructor", false],
    ["webhooks", "webhook.sign", true], ["webhooks", "agent.me", false], ["webhooks", "agent.ban", false],
    ["actors", "engine.refresh", true], ["operator", "agent.ban", true], ["queries", "agent.me", false], ["", "agent.me", false]
  ])("%s, %s: %s", (role, op, allowed) => {
    expect(mayAsk(role, op)).toBe(allowed)
  })
})
