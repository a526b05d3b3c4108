/**
 * Every write of the interface is in its writer's next answer from the other edge, with what follows from it for other
 * actors and for read models. All of that is made late: an answer that does not wait for it is stale each time.
 */
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { nameServer, type NameServer, type Zone } from "../support/dns.ts"
import { operate } from "../support/hub.ts"
import { PlayedHost } from "../support/played-host.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import { testService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"
import { OPERATIONS } from "./interface.ts"
import { lateReactions, lateReadModels, rounds } from "./late.ts"
import { MARKING, NOTHING_TO_READ, type World, WRITES } from "./writes.ts"

const zone: Zone = {}
let world: World
let dns: NameServer
let host: PlayedHost
let receiver: Receiver
beforeAll(async () => {
  dns = await nameServer(zone)
  const service = await testService({
    edges: 2,
    actors: 2,
    keeper: true,
    mail: "mail.hub.example",
    env: { HUB_DNS_SERVERS: dns.address },
    limits: { "rate_limits.sponsorship.requests": 1000, "rate_limits.recover.requests": 1000 }
  })
  receiver = await startReceiver()
  host = await PlayedHost.start(service, 100)
  lateReactions()
  lateReadModels()
  const operator = await anAgent(service.edges)
  await operate(service.system, ["agent", "grant", operator.agent.handle, "operator"])
  world = { service, operator, zone, host, receiver }
})
afterAll(async () => {
  vi.restoreAllMocks()
  host?.stop()
  await world?.service.stop()
  await Promise.all([dns?.stop(), receiver?.stop()])
})

test("every write of the interface is tried, or is one of those that nobody could read", () => {
  const writes = OPERATIONS.filter(({ method }) => method !== "GET").map(({ id }) => id)
  expect([...Object.keys(WRITES), ...Object.keys(NOTHING_TO_READ)].toSorted()).toEqual(writes.toSorted())
})

test.each(Object.entries({ ...WRITES, ...MARKING }))("%s", async (_operation, flow) => {
  const seen = await rounds(() => flow(world))
  expect(seen.map(([found]) => found)).toEqual(seen.map(([, expected]) => expected))
  expect(seen.length, "every answer took as long as it may wait").toBeGreaterThan(1)
})
