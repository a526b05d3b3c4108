/** A person's share of the places, whatever becomes of the agents that were made for the person (spec 2.11). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Compartment } from "../../schemas/compartment/records.ts"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import type { AgentSponsorship } from "../../schemas/sponsorship/records.ts"
import { AgentClient } from "../support/client.ts"
import { newIdentity } from "../support/identity.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { provenOwner, type TestOwner } from "../support/owner.ts"
import { PlayedHost } from "../support/played-host.ts"
import { admit } from "../support/register.ts"
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

const madeFor = async ({ id: human }: TestOwner, name: string): Promise<AgentClient> => {
  const identity = newIdentity()
  const id = `cmp_${randomBytes(10).toString("hex")}`
  const input = { id, human, name, command: "true", public_key: identity.publicKey, hub_key: "box" }
  await service.view.command("fleet.create_for_human", FLEET_ID, input)
  return new AgentClient({ identity, edge: () => edge })
}

const own = (agent: AgentClient) =>
  agent.call("POST", "/api/v1/compartments", { body: { name: "own", command: "true", accept_terms: true } })

const sponsorshipOf = async (agent: AgentClient): Promise<AgentSponsorship> => {
  const [one] = dataOf<ReadonlyArray<AgentSponsorship>>(await agent.call("GET", "/api/v1/me/sponsorships"))
  if (one === undefined) throw new Error("nobody carries it")
  return one
}

const endings: ReadonlyArray<readonly [string, (agent: AgentClient, owner: TestOwner) => Promise<unknown>]> = [
  [
    "its agent has rejected",
    async (agent) =>
      expect(
        outcome(await agent.call("POST", `/api/v1/me/sponsorships/${(await sponsorshipOf(agent)).id}/reject`))
      ).toBe("200")
  ],
  [
    "the person has withdrawn",
    async (agent, owner) => {
      const { id } = await sponsorshipOf(agent)
      await service.view.command("sponsorship.withdraw", String(id), { human: owner.id })
    }
  ]
]

test.each(endings)("a sponsorship that %s frees no place and gives none", async (_words, end) => {
  const owner = await provenOwner(service)
  const agent = await madeFor(owner, "one")
  expect(outcome(await own(agent))).toBe("409 compartment_limit")
  await end(agent, owner)
  await expect(madeFor(owner, "two")).rejects.toThrow("There is room for 1 of each owner.")
  const refused = await own(agent)
  expect(outcome(refused)).toBe("403 agent_provisional")
  expect(detailsOf(refused)["admission"]).toMatchObject({ answers: "POST /api/v1/me/admission" })
  const [first] = dataOf<ReadonlyArray<Compartment>>(await agent.call("GET", "/api/v1/compartments"))
  expect(first).toMatchObject({ name: "one" })
})

test("once it has passed registration's questions it has a place of its own", async () => {
  const owner = await provenOwner(service)
  const agent = await madeFor(owner, "one")
  await agent.call("POST", `/api/v1/me/sponsorships/${(await sponsorshipOf(agent)).id}/reject`)
  dataOf(await admit(agent, edge))
  expect(outcome(await own(agent))).toBe("201")
})
