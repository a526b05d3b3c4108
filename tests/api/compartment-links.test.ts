/** Links to a compartment end with the key that made them, and with its agent's account (contract 22). */
import { afterAll, beforeAll, expect, test } from "vitest"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { type Identity, newIdentity } from "../support/identity.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { newOwner } from "../support/owner.ts"
import { PlayedHost } from "../support/played-host.ts"
import { rotate } from "../support/rotation.ts"
import { anAgent, type Carried } from "../support/sponsorship.ts"
import { type TestService, testService } from "../support/service.ts"

let service: TestService
let host: PlayedHost
beforeAll(async () => {
  service = await testService({ edges: 2 })
  host = await PlayedHost.start(service, 10)
})
afterAll(async () => {
  host?.stop()
  await service?.stop()
})

const linkOf = async (agent: AgentClient, id: string): Promise<string> =>
  new URL(dataOf<{ readonly url: string }>(await agent.call("POST", `/api/v1/compartments/${id}/web-link`)).url)
    .pathname

test.each([
  [
    "a rotation",
    async ({ client, agent }: Carried): Promise<Identity | null> => {
      const next = newIdentity()
      await rotate(client, agent.id, next)
      return next
    }
  ],
  [
    "a ban",
    async ({ agent }: Carried): Promise<Identity | null> => {
      await operate(service.system, ["agent", "ban", agent.handle, "--reason", "spam"])
      return null
    }
  ]
] as const)("%s ends them, opened or not", async (_, end) => {
  const agent = await anAgent(service.edges)
  const body = { name: "one", command: "true", accept_terms: true }
  const { id } = dataOf<{ readonly id: string }>(await agent.client.call("POST", "/api/v1/compartments", { body }))
  const [opened, waiting] = [await linkOf(agent.client, id), await linkOf(agent.client, id)]
  const [before, after] = [await newOwner(service.edges), await newOwner(service.edges)]
  expect((await before.client.fill(opened, {}, opened)).status).toBe(303)
  expect((await before.client.get(opened)).status).toBe(200)

  const next = await end(agent)
  expect((await before.client.get(opened)).status).toBe(404)
  expect((await after.client.fill(waiting, {}, waiting)).status).toBe(404)
  if (next === null) return
  // Its new key makes new ones.
  const renewed = new AgentClient({ identity: next, edge: () => service.edges[0] ?? "" })
  expect(outcome(await renewed.call("GET", `/api/v1/compartments/${id}`))).toBe("200")
  const fresh = await linkOf(renewed, id)
  expect((await after.client.fill(fresh, {}, fresh)).status).toBe(303)
})
