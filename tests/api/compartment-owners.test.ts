/** The owner of an agent's compartment is the agent's present owner (spec 2.11, 3.7). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Compartment } from "../../schemas/compartment/records.ts"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { waitFor } from "../harness/index.ts"
import { newIdentity } from "../support/identity.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { provenOwner, type TestOwner } from "../support/owner.ts"
import { PlayedHost } from "../support/played-host.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, answer, type Carried, sponsorshipsOf, withdraw } from "../support/sponsorship.ts"

let service: TestService
let host: PlayedHost

beforeAll(async () => {
  service = await testService({ edges: 1, actors: 1 })
  host = await PlayedHost.start(service, 100)
})
afterAll(async () => {
  host?.stop()
  await service?.stop()
})

const created = ({ client }: Carried, name = "own") =>
  client.call("POST", "/api/v1/compartments", { body: { name, command: "true", accept_terms: true } })

const madeBy = async (agent: Carried): Promise<Compartment> => dataOf(await created(agent))

const standing = async ({ client }: Carried, { id }: Compartment): Promise<Compartment> =>
  dataOf(await client.call("GET", `/api/v1/compartments/${id}`))

const madeFor = async ({ id: human }: TestOwner): Promise<string> => {
  const id = `cmp_${randomBytes(10).toString("hex")}`
  const input = { id, human, name: "mine", command: "true", public_key: newIdentity().publicKey, hub_key: "box" }
  await service.view.command("fleet.create_for_human", FLEET_ID, input)
  return id
}

const isDeleting = (id: string): Promise<unknown> =>
  waitFor(
    async () => {
      const by = { type: "agent", agent: "operator", operator: true } as const
      const { compartment } = await service.view.command("compartment.look", id, { by })
      return compartment.status === "deleting"
    },
    { describe: "the person's own compartment ends" }
  )

const sharesOf = async ({ id }: TestOwner): Promise<ReadonlyArray<string>> => {
  const wanted = { agents: null, human: id, page: 1, per_page: 100 }
  const { items } = await service.view.command("fleet.places", FLEET_ID, wanted)
  return items.map(({ compartment }) => compartment)
}

const sharesBecome = (owner: TestOwner, shares: ReadonlyArray<string>): Promise<unknown> =>
  waitFor(async () => String(await sharesOf(owner)) === String(shares), { describe: "the person's places change" })

const isSuspended = (agent: Carried, compartment: Compartment): Promise<unknown> =>
  waitFor(async () => (await standing(agent, compartment)).suspended !== null, { describe: "it is suspended" })

const ENDS: ReadonlyArray<readonly [string, (owner: TestOwner, agent: Carried) => Promise<unknown>]> = [
  ["the owner withdraws", async (owner, { agent }) => dataOf(await withdraw(owner.person, agent.handle))],
  [
    "the agent rejects its owner",
    async (_owner, agent) => {
      const [one] = await sponsorshipsOf(agent)
      return dataOf(await answer(agent, one?.id ?? 0, "reject"))
    }
  ]
]

test.each(ENDS)("when %s, the compartment is the agent's own, and the person's place is free", async (_words, end) => {
  const owner = await provenOwner(service)
  const agent = await anAgent(service.edges)
  await owner.carries(agent)
  const compartment = await madeBy(agent)
  expect((await standing(agent, compartment)).owner?.human_id).toBe(owner.id)
  await expect(madeFor(owner)).rejects.toThrow("There is room for 1 of each owner.")
  await end(owner, agent)
  await sharesBecome(owner, [])
  expect((await standing(agent, compartment)).owner).toBeNull()
  expect(outcome(await created(agent, "two"))).toBe("409 compartment_limit")
  const own = await madeFor(owner)
  await owner.deleted()
  // The fleet decides on all compartments of a person at once.
  await isDeleting(own)
  expect((await standing(agent, compartment)).suspended).toBeNull()
})

test("an owner who is confirmed later counts, and the deletion of that account suspends the compartment", async () => {
  const agent = await anAgent(service.edges)
  const compartment = await madeBy(agent)
  expect((await standing(agent, compartment)).owner).toBeNull()
  const owner = await provenOwner(service)
  await owner.carries(agent)
  await sharesBecome(owner, [compartment.id])
  expect((await standing(agent, compartment)).owner?.human_id).toBe(owner.id)
  expect(outcome(await created(agent, "two"))).toBe("409 compartment_limit")
  await owner.deleted()
  await isSuspended(agent, compartment)
  expect(await standing(agent, compartment)).toMatchObject({ owner: null, suspended: { by: "owner" } })
})

test("the next owner in line follows the one who leaves", async () => {
  const agent = await anAgent(service.edges)
  const [first, second] = [await provenOwner(service), await provenOwner(service)]
  await first.carries(agent)
  await second.carries(agent)
  const compartment = await madeBy(agent)
  await second.deleted()
  expect((await standing(agent, compartment)).suspended).toBeNull()
  const third = await provenOwner(service)
  await third.carries(agent)
  expect(await sharesOf(first)).toEqual([compartment.id])
  dataOf(await withdraw(first.person, agent.agent.handle))
  await sharesBecome(third, [compartment.id])
  expect((await standing(agent, compartment)).owner?.human_id).toBe(third.id)
})
