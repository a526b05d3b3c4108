/** What becomes of compartments by reports and by the end of their agents, and whose they say they are (spec 2.11, 3.7). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Compartment } from "../../schemas/compartment/records.ts"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { PlayedHost } from "../support/played-host.ts"
import { register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"

let service: TestService
let host: PlayedHost
let edge = ""

beforeAll(async () => {
  service = await testService({ edges: 1, actors: 1 })
  edge = service.edges[0] ?? ""
  host = await PlayedHost.start(service, 10)
})
afterAll(async () => {
  host?.stop()
  await service?.stop()
})

test("an operator's does, however young the operator is; a young agent's does not", async () => {
  const [owner, reporter, operator] = [0, 1, 2].map(() => new AgentClient({ edge: () => edge })) as [
    AgentClient,
    AgentClient,
    AgentClient
  ]
  await register(owner, { edge })
  await register(reporter, { edge })
  const { handle } = await register(operator, { edge })
  await operate(service.system, ["agent", "grant", handle, "operator"])
  const body = { name: "one", command: "sleep 600", accept_terms: true }
  const made = dataOf<Compartment>(await owner.call("POST", "/api/v1/compartments", { body }))
  const report = (by: AgentClient) =>
    by.call("POST", "/api/v1/reports", { body: { target_type: "compartment", target_id: made.id, reason: "malware" } })
  const look = async () => dataOf<Compartment>(await owner.call("GET", `/api/v1/compartments/${made.id}`))

  const strangers = dataOf<{ readonly id: number }>(await report(reporter))
  const operators = dataOf<{ readonly id: number }>(await report(operator))
  await waitFor(async () => (await look()).suspended !== null, { describe: "the suspension" })
  // The first report changed nothing: the second is the only one there is.
  const input = { by: { type: "operator" }, page: 1, per_page: 50 } as const
  const { items } = await service.view.command("compartment.events", made.id, input)
  expect(items.filter(({ type }) => type === "suspended")).toHaveLength(1)

  // Rejected is the one that suspended nothing: the operator's is still open.
  const reject = (id: number) =>
    operate(service.system, ["report", "resolve", String(id), "--outcome", "none", "--rejected"])
  await reject(strangers.id)
  const types = async () =>
    dataOf<ReadonlyArray<{ readonly type: string }>>(await reporter.call("GET", "/api/v1/me/notifications")).map(
      ({ type }) => type
    )
  await waitFor(async () => (await types()).includes("report.resolved"), { describe: "the rejection, carried out" })
  expect((await look()).suspended).not.toBeNull()
  await reject(operators.id)
  await waitFor(async () => (await look()).suspended === null, { describe: "the end of the suspension" })
})

test("one that is made while its agent's account ends is not left behind", async () => {
  const agent = new AgentClient({ edge: () => edge })
  const { id, handle } = await register(agent, { edge })
  expect(outcome(await agent.call("DELETE", "/api/v1/me", { body: { confirm: handle } }))).toBe("200")
  // The edge has let the request in before the account was closed.
  const wanted = { name: "late", command: "sleep 600", image: null, secrets: [], hub_key: null, human: null }
  const made = service.view.command("fleet.create", FLEET_ID, { id: `cmp_${"2".repeat(20)}`, agent: id, ...wanted })
  await expect(made).rejects.toThrow("This account was deleted.")
  const input = { agents: [id], human: null, page: 1, per_page: 10 }
  expect((await service.view.command("fleet.places", FLEET_ID, input)).total).toBe(0)
})

test("its environment has the number of its agent (spec 2.11)", async () => {
  const owner = new AgentClient({ edge: () => edge })
  const { hx_id } = await register(owner, { edge })
  const body = { name: "one", command: "sleep 600", accept_terms: true }
  const made = dataOf<Compartment>(await owner.call("POST", "/api/v1/compartments", { body }))
  expect(made.environment).toMatchObject({ HUB_ID: hx_id, HUB_COMPARTMENT: made.id })
  expect(hx_id).toMatch(/^HX-\d{6,}$/)
})
