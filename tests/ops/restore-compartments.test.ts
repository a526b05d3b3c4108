/** Compartments whose hosts have gone further than a restored log. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Compartment } from "../../schemas/compartment/records.ts"
import { archiveOf, waitFor } from "../harness/index.ts"
import { type Desk, operated } from "../support/operator.ts"
import { dataOf } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { Programs, SimulatedHost } from "../support/simulated-host.ts"
import { anAgent } from "../support/sponsorship.ts"

const PATIENT_MS = 60_000
const ALL = "/api/v1/compartments"

let service: TestService
let desk: Desk
let host: SimulatedHost
const programs = new Programs()

beforeAll(async () => {
  const serverKey = randomBytes(32).toString("base64")
  service = await testService({
    processes: true,
    edges: 1,
    actors: 1,
    env: { HUB_SERVER_KEY: serverKey },
    limits: { "runtime.restart_seconds": 1 }
  })
  desk = {
    natsUrl: service.system.nats.url,
    databaseUrl: service.system.postgres.url,
    serverKey,
    archive: archiveOf(service.system)
  }
  host = new SimulatedHost(service, programs, 10)
  host.start()
})
afterAll(async () => {
  await host?.die()
  await service?.stop()
})

test("a program that was started since the backup ends, and another start takes its place and is watched", async () => {
  const { client } = await anAgent(service.edges)
  const body = { name: "one", command: "sleep infinity", accept_terms: true }
  const { id } = dataOf<Compartment>(await client.retrying("POST", ALL, { body }))
  const look = async () => dataOf<Compartment>(await client.retrying("GET", `${ALL}/${id}`))
  const run = async () => (await host.machine.found()).find(({ compartment }) => compartment === id)?.run ?? 0
  const runs = (above: number) =>
    waitFor(async () => (await look()).status === "running" && (await run()) > above, {
      describe: `a start after ${above}`,
      deadlineMs: PATIENT_MS
    })
  await runs(0)
  const folder = join(service.system.folder, "backups", "first")
  await operated(desk, ["backup", folder])
  dataOf(await client.retrying("POST", `${ALL}/${id}/restart`, { body: {} }))
  await runs(1)
  const nodes = [...service.system.actors, ...service.system.edges]
  for (const node of nodes) await node?.kill()
  await operated(desk, ["restore", folder, "--replace", "--gap", "0"])
  for (const node of nodes) await node?.restart()
  await runs(2)
  expect((await look()).events.map(({ message }) => message).join("\n")).toContain("restored from a backup")
  const before = await run()
  host.machine.exit(id)
  await runs(before)
  expect(programs.twice).toEqual([])
})
