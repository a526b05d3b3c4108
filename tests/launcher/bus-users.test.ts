/**
 * The users of the bus (ops/deploy/nats/roles.conf) against a real server: each may do what its role needs, and what
 * another role lives by it may not. That they may do what they need is also seen by every test of a whole system.
 */
import { jetstreamManager } from "@nats-io/jetstream"
import { connect, type NatsConnection, PermissionViolationError } from "@nats-io/transport-node"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ensureStreams } from "../../actors/log/streams.ts"
import { addressFor, drawPasswords } from "../../ops/launcher/bus-users.ts"
import { findNatsServer } from "../../ops/launcher/nats-binary.ts"
import { startNats } from "../../ops/launcher/nats.ts"
import { BUS_ROLES, busRoleOf, type BusRole, mayAsk } from "../../schemas/bus/roles.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { consumers, streams, subjects } from "../../schemas/subjects.ts"
import { testFolder } from "../harness/index.ts"
import { PLACES, MAY_PUBLISH, LISTENED, MAY_LISTEN } from "./bus-places.ts"

const passwords = drawPasswords()
let url: string
let stop: () => Promise<unknown>
const open: Array<NatsConnection> = []

beforeAll(async () => {
  const binary = await findNatsServer({ env: process.env, dataDir: ".hub", progress: () => undefined })
  const server = await startNats({ binary, dataDir: await testFolder("users"), passwords })
  url = server.url
  stop = () => server.stop()
  await ensureStreams(await connectAs("operator"), LIMITS, 1)
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

/** What the server refused of these, by the errors that it sends; a ping behind them is answered after those. */
async function refusedOf(role: BusRole, act: (nats: NatsConnection) => void): Promise<ReadonlySet<string>> {
  const nats = await connectAs(role)
  const refused = new Set<string>()
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === "error" && status.error instanceof PermissionViolationError) refused.add(status.error.subject)
    }
  })()
  act(nats)
  await nats.flush()
  await nats.flush()
  return refused
}

describe.each(Object.keys(MAY_PUBLISH) as Array<keyof typeof MAY_PUBLISH>)("the user %s", (role) => {
  test("may publish what it lives by, and nothing else of all there is", async () => {
    const refused = await refusedOf(role, (nats) => {
      for (const place of PLACES) nats.publish(place, "")
    })
    expect(PLACES.filter((place) => !refused.has(place)).toSorted()).toEqual(
      PLACES.filter(MAY_PUBLISH[role]).toSorted()
    )
  })

  test("may listen to what it lives by, and nothing else of all there is", async () => {
    const refused = await refusedOf(role, (nats) => {
      for (const place of LISTENED) nats.subscribe(place, { callback: () => undefined })
    })
    expect(LISTENED.filter((place) => !refused.has(place)).toSorted()).toEqual(MAY_LISTEN[role].toSorted())
  })

  test("cannot make its consumer, nor any other, see more than the operator has given it", async () => {
    const before = (await operatorsView()).config
    const filter = JSON.stringify({
      stream_name: streams.events,
      config: { ...before, filter_subject: subjects.events },
      action: "update"
    })
    await (
      await connectAs(role)
    )
      .request(`$JS.API.CONSUMER.CREATE.${streams.events}.${consumers.webhooks}.${subjects.events}`, filter, {
        timeout: 500
      })
      .catch(() => undefined)
    expect((await operatorsView()).config).toEqual(before)
  })
})

const operatorsView = async () =>
  (await jetstreamManager(await connectAs("operator"), { timeout: 60_000 })).consumers.info(
    streams.events,
    consumers.webhooks
  )

test("nobody is anonymous", async () => {
  await expect(connect({ servers: url, reconnect: false })).rejects.toThrow(/authorization/i)
})

test("a wrong password opens nothing", async () => {
  await expect(connectAs("edge", passwords.actors)).rejects.toThrow(/authorization/i)
})

test("each process connects as the user of its role", () => {
  const userOf = (...[node, roles]: [node: "edge" | "actor", roles?: string]) =>
    new URL(addressFor(node, roles, "nats://127.0.0.1:1", passwords)).username
  expect(userOf("edge")).toBe("edge")
  expect(userOf("edge", "queries")).toBe("edge")
  expect([userOf("actor"), userOf("actor", "actors"), userOf("actor", "queries, webhooks")]).toEqual([
    "actors",
    "actors",
    "actors"
  ])
  expect([userOf("actor", "queries"), userOf("actor", "webhooks")]).toEqual(["queries", "webhooks"])
  expect(BUS_ROLES.every((role) => /^p[0-9a-f]{36}$/.test(passwords[role]))).toBe(true)
  expect(busRoleOf([])).toBe("actors")
})

describe("what an asker's role may ask of a node", () => {
  test.each([
    ["edge", "agent.me", true],
    ["edge", "webhook.sign", false],
    ["edge", "agent.ban", false],
    ["edge", "category.seed", false],
    ["edge", "engine.refresh", false],
    ["edge", "constructor", false],
    ["webhooks", "webhook.sign", true],
    ["webhooks", "agent.me", false],
    ["webhooks", "agent.ban", false],
    ["actors", "engine.refresh", true],
    ["operator", "agent.ban", true],
    ["queries", "agent.me", false],
    ["", "agent.me", false]
  ])("%s, %s: %s", (role, op, allowed) => {
    expect(mayAsk(role, op)).toBe(allowed)
  })
})
