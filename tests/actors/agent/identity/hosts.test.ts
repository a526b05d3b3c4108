/** The counters of websites that had an agent verified, where they cannot be written for a while. */
import { jetstreamManager } from "@nats-io/jetstream"
import { afterAll, beforeAll, expect, test } from "vitest"
import { HostCounters } from "../../../../actors/agent/identity/hosts.ts"
import { ensureStreams } from "../../../../actors/log/streams.ts"
import { LIMITS } from "../../../../schemas/limits.ts"
import { machineClock } from "../../../../schemas/runtime/clock.ts"
import { streams } from "../../../../schemas/subjects.ts"
import { connectTo, type OpenServers, openServers } from "../../../harness/index.ts"

let servers: OpenServers

beforeAll(async () => {
  servers = await openServers()
})
afterAll(() => servers?.stop())

test("a visit that could not be stored counts once, when its proof is sent again", async () => {
  const nats = await connectTo(servers.nats.url)
  try {
    await ensureStreams(nats, LIMITS, 1)
    const manager = await jetstreamManager(nats)
    const counters = new HostCounters(machineClock, nats, manager)
    const table = await counters.load("hx1")
    await manager.streams.delete(streams.verified)
    expect(await counters.count("hx1", table, "site.example", 1000)).toBe(false)
    await ensureStreams(nats, LIMITS, 1)
    expect(await counters.count("hx1", table, "site.example", 2000)).toBe(true)
    expect((await counters.load("hx1")).get("site.example")?.kept).toMatchObject({ count: 1, last_at: 2000 })
  } finally {
    await nats.close()
  }
})
