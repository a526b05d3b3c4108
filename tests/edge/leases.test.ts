import { jetstreamManager } from "@nats-io/jetstream"
import { Kvm } from "@nats-io/kv"
import type { NatsConnection } from "@nats-io/transport-node"
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest"
import { LEASE_PREFIX, shardKey } from "../../schemas/runtime/bus/lease-view.ts"
import { buckets, shardOf } from "../../schemas/subjects.ts"
import { connectTo, cutProxy, type CutProxy, movableClock, type MovableClock, waitFor } from "../harness/index.ts"
import { openNats, playActors, TestEdge, type TestNats } from "./edge.ts"
import { newIdentity } from "./signer.ts"
import { WireNode } from "./wire-node.ts"

const agent = newIdentity()
let nats: TestNats
const ends: Array<() => Promise<unknown>> = []

beforeEach(async () => {
  nats = await openNats()
})
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
  await nats.stop()
})
afterAll(() => expect(ends).toEqual([]))

const startNode = async (session: string): Promise<WireNode> => {
  const node = await WireNode.start(nats.url, session)
  playActors(node)
  ends.push(() => node.stop())
  return node
}

const startEdge = async (url = nats.url, clock = movableClock()): Promise<TestEdge> => {
  const edge = await TestEdge.start({ nats: url, limits: { "service.request_deadline_ms": 4_000 }, clock })
  ends.push(() => edge.stop())
  return edge
}

const openBus = async (): Promise<NatsConnection> => {
  const connection = await connectTo(nats.url)
  ends.push(() => connection.close())
  return connection
}

const me = (edge: TestEdge) => edge.call("/api/v1/me", { signed: agent })

/** Until a request finds no owner within its deadline, which passes sooner than its time. */
const refusedBy = (edge: TestEdge, clock: MovableClock): Promise<unknown> =>
  waitFor(async () => (await clock.passing(me(edge))).status === 503)

describe("an edge", () => {
  it("that starts before the bucket is there waits for it", async () => {
    const starting = startEdge()
    let started = false
    void starting.then(() => {
      started = true
    })
    const node = await startNode("s1")
    await node.claim()
    const edge = await starting
    expect(started).toBe(true)
    expect((await me(edge)).status).toBe(200)
  })

  it("goes to the new owner as soon as a shard has one", async () => {
    const [first, second] = [await startNode("s1"), await startNode("s2")]
    await first.claim()
    const edge = await startEdge()
    expect((await me(edge)).status).toBe(200)
    await second.claim()
    await waitFor(async () => {
      await me(edge)
      return second.asked("agent.me").length > 0
    })
    first.forget()
    expect((await me(edge)).status).toBe(200)
    expect(first.asked("agent.me")).toEqual([])
  })

  it("asks again elsewhere when the owner is gone, within the same request", async () => {
    const [first, second] = [await startNode("s1"), await startNode("s2")]
    await first.claim()
    const edge = await startEdge()
    expect((await me(edge)).status).toBe(200)
    await first.stop()
    ends.splice(ends.length - 3, 1)
    const asked = me(edge)
    await second.claim()
    expect((await asked).status).toBe(200)
    expect(second.asked("agent.me")).toHaveLength(1)
  })

  it("answers 503 while no owner is there", async () => {
    const node = await startNode("s1")
    await node.claim()
    const clock = movableClock()
    const edge = await startEdge(nats.url, clock)
    const connection = await openBus()
    const kv = await new Kvm(connection).open(buckets.leases)
    await kv.delete(shardKey(shardOf(agent.hubId)))
    await refusedBy(edge, clock)
    const refused = await clock.passing(me(edge))
    expect([refused.json.error.code, refused.headers.get("retry-after")]).toEqual(["unavailable", "1"])
  })

  it("forgets an owner whose key is gone without a word", async () => {
    const node = await startNode("s1")
    await node.claim()
    const clock = movableClock()
    const edge = await startEdge(nats.url, clock)
    expect((await me(edge)).status).toBe(200)
    const connection = await openBus()
    const key = LEASE_PREFIX + shardKey(shardOf(agent.hubId))
    await (
      await jetstreamManager(connection, { timeout: 60_000 })
    ).streams.purge(`KV_${buckets.leases}`, { filter: key })
    // Another is written after it, so that it is not the end of the bucket that is missing.
    await node.claim(shardOf(agent.hubId))
    await refusedBy(edge, clock)
  })

  it("forgets what is no longer there when the bucket is made anew", async () => {
    const node = await startNode("s1")
    await node.claim()
    const clock = movableClock()
    const edge = await startEdge(nats.url, clock)
    expect((await me(edge)).status).toBe(200)
    const connection = await openBus()
    await (await jetstreamManager(connection, { timeout: 60_000 })).streams.delete(`KV_${buckets.leases}`)
    await node.claim(shardOf(agent.hubId))
    // The node would still answer: only the view can tell that it owns the shard no longer.
    await refusedBy(edge, clock)
  })

  it("heals when the bucket is made anew", async () => {
    const node = await startNode("s1")
    await node.claim()
    const edge = await startEdge()
    const connection = await openBus()
    await (await jetstreamManager(connection, { timeout: 60_000 })).streams.delete(`KV_${buckets.leases}`)
    const other = await startNode("s2")
    await other.claim()
    await waitFor(async () => {
      await me(edge)
      return other.asked("agent.me").length > 0
    })
  })
})

describe("an edge whose line to the bus breaks", () => {
  let proxy: CutProxy
  beforeEach(async () => {
    proxy = await cutProxy({ target: nats.url })
    ends.push(() => proxy.close())
  })

  it.each(["cut", "stall"] as const)(
    "answers what needs nobody, refuses the rest in time, and heals: %s",
    async (how) => {
      const node = await startNode("s1")
      await node.claim()
      const clock = movableClock()
      const edge = await startEdge(proxy.url, clock)
      expect((await me(edge)).status).toBe(200)
      proxy[how]()
      expect((await edge.call("/api/v1/time")).status).toBe(200)
      expect((await edge.call("/docs")).status).toBe(200)
      const discovery = await clock.passing(edge.call("/api/v1"))
      expect([discovery.status, discovery.json.data["stats"]]).toEqual([200, null])
      const health = await clock.passing(edge.call("/api/v1/health"))
      expect([health.status, health.json.data["status"]]).toEqual([503, "down"])
      expect(health.headers.get("retry-after")).toBe("5")
      const refused = await clock.passing(me(edge))
      expect([refused.status, refused.json.error.code, refused.headers.get("retry-after")]).toEqual([
        503,
        "unavailable",
        "1"
      ])
      proxy.heal()
      await waitFor(async () => (await me(edge)).status === 200, { describe: "the edge to heal" })
      expect((await edge.call("/api/v1/health")).status).toBe(200)
    }
  )

  it.each(["cut", "stall"] as const)("still ends when it is told to: %s", async (how) => {
    const node = await startNode("s1")
    await node.claim()
    const edge = await TestEdge.start({ nats: proxy.url })
    proxy[how]()
    await edge.stop()
    await expect(edge.call("/api/v1/time")).rejects.toThrow("fetch failed")
  })
})
