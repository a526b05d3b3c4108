/** An edge that lies on the bus: what it says of itself is text and bounded, and hides nothing of the others. */
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { afterAll, beforeAll, expect, test } from "vitest"
import { rememberedBy } from "../../ops/explain/refused.ts"
import { servicesOf } from "../../ops/status/services.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { testService, type TestService } from "../support/service.ts"
import { startConsole, type TestConsole } from "./desk.ts"

const HOSTILE = "hub-<img src=x onerror=alert(1)>"
const LONG = "x".repeat(100_000)
const GARBAGE = ["no JSON", "{}", "null", '{"name":"hub-half"}', '{"name":7,"endpoints":[]}', "[".repeat(5000)]

let service: TestService
let desk: TestConsole
let liar: NatsConnection
let browser: TestBrowser
beforeAll(async () => {
  service = await testService({ metrics: true })
  desk = await startConsole(service)
  browser = await openBrowser()
  liar = await connect(busServers(service.system.busUrlOf("edge"), "edge") ?? { servers: [] })
  const stats = (name: string) => ({
    name,
    id: LONG,
    version: LONG,
    started: LONG,
    metadata: { host: LONG, pid: "-1", roles: LONG },
    endpoints: Array.from({ length: 1000 }, () => ({ num_requests: 1, num_errors: 0, processing_time: 1 }))
  })
  const answers = [...GARBAGE, JSON.stringify(stats(HOSTILE)), JSON.stringify(stats("hub-long"))]
  liar.subscribe("$SRV.>", {
    callback: (_error, message) => {
      // The bus lets a process answer so often, once for each of its roles.
      for (const answer of answers) message.respond(answer)
    }
  })
  liar.subscribe("hub.refused", {
    callback: (_error, message) => {
      for (const answer of GARBAGE) message.respond(answer)
    }
  })
  await liar.flush()
})
afterAll(async () => {
  await liar?.close()
  await browser?.stop()
  await desk?.stop()
  await service?.stop()
})

test("what it says of itself is cut, and all others are listed", async () => {
  const rows = await servicesOf(service.view.nats)
  const names = rows.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(["hub-actors", "hub-edge", "hub-queries", "hub-webhooks", HOSTILE]))
  for (const row of rows)
    for (const text of [row.id, row.version, row.started, row.host, row.roles])
      expect(text.length).toBeLessThanOrEqual(128)
})

test("what it remembers of refusals is no answer", async () => {
  const { found } = await rememberedBy(service.view.nats, "00000000-0000-0000-0000-000000000000")
  expect(found).toBeNull()
})

test("the page shows it as text", async () => {
  const visit = await browser.visit(await desk.link())
  await visit.page.locator("#verdict.healthy").waitFor()
  await visit.page.getByText(HOSTILE).first().waitFor({ state: "attached" })
  expect(await visit.page.locator("img[src=x]").count()).toBe(0)
  expect([visit.dialogs, visit.complaints]).toEqual([[], []])
  await visit.close()
})
