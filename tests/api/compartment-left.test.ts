/** Compartments whose agents have deleted their accounts: suspended with /data (spec 3.7), and in nobody's way. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Compartment, RuntimeOffer } from "../../schemas/compartment/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { Programs, SimulatedHost } from "../support/simulated-host.ts"

const PATH = "/api/v1/compartments"

let service: TestService
let host: SimulatedHost
const programs = new Programs()
let edge = ""

beforeAll(async () => {
  service = await testService({ edges: 1, actors: 1 })
  edge = service.edges[0] ?? ""
  host = new SimulatedHost(service, programs, 1)
  host.start()
  await free(1)
})
afterAll(async () => {
  await host?.die()
  await service?.stop()
})

const places = async () =>
  dataOf<RuntimeOffer>(await send({ edge, method: "GET", path: "/api/v1/runtime" })).compartments
const free = (count: number) =>
  waitFor(async () => (await places()).free === count, { describe: `${count} places that are free` })
const agent = async (): Promise<readonly [AgentClient, string]> => {
  const client = new AgentClient({ edge: () => edge })
  return [client, (await register(client, { edge })).handle]
}
const create = (as: AgentClient) =>
  as.call("POST", PATH, { body: { name: "one", command: "sleep infinity", accept_terms: true } })
const running = (id: string) =>
  waitFor(() => Promise.resolve(programs.hostsOf(id).size === 1), { describe: `${id}, running` })

interface Listed {
  readonly id: string
  readonly status: string
  readonly suspended: string | null
}
const listed = async () => JSON.parse(await operate(service.system, ["compartment", "list"])) as ReadonlyArray<Listed>

test("a place is free once the account is deleted, and what stood there goes when the place is taken", async () => {
  const [gone, handle] = await agent()
  const { id: left } = dataOf<Compartment>(await create(gone))
  await running(left)
  const [other] = await agent()
  expect(outcome(await create(other))).toBe("409 runtime_full")

  dataOf(await gone.call("DELETE", "/api/v1/me", { body: { confirm: handle } }))
  await free(1)
  await waitFor(
    async () => {
      const [one] = await listed()
      return one?.status === "suspended" && one.suspended === "its agent has deleted its account"
    },
    { describe: "a compartment that is suspended and kept" }
  )
  expect(programs.hostsOf(left).size).toBe(0)

  const { id } = dataOf<Compartment>(await create(other))
  await running(id)
  await waitFor(async () => (await listed()).map((one) => one.id).join() === id, { describe: "one compartment alone" })
  expect(await places()).toMatchObject({ max: 1, taken: 1, free: 0 })
  const [third] = await agent()
  expect(outcome(await create(third))).toBe("409 runtime_full")
  expect(programs.twice).toEqual([])
})
