/** An agent's limit of confirmed sponsorships holds however many come at once, over two nodes (contract 6, 20). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { AgentPrivate } from "../../schemas/agent/records.ts"
import type { HumanMe } from "../../schemas/human/records.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import type { Answer } from "../support/http.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import type { PersonClient } from "../support/person.ts"
import { type TestService, testService } from "../support/service.ts"
import {
  anAgent,
  answer,
  aPerson,
  type Carried,
  confirmAddress,
  declare,
  sponsorshipsOf,
  told
} from "../support/sponsorship.ts"

let service: TestService

beforeAll(async () => {
  const limits = {
    "limits.owner.agent_humans_max": 3,
    "limits.owner.agent_pending_max": 4,
    "rate_limits.sponsorship.requests": 1000,
    "rate_limits.human_register.requests": 100,
    "rate_limits.human_login.requests": 100
  }
  service = await testService({ edges: 2, actors: 2, limits })
})
afterAll(() => service?.stop())

const LIMITED = "409 sponsorship_limit"

const several = async (count: number): Promise<ReadonlyArray<PersonClient>> => {
  const people: Array<PersonClient> = []
  while (people.length < count) people.push(await aPerson(service.edges))
  return people
}

test("of four confirmations at once as many stand as may; a refusal leaves nothing", async () => {
  const agent = await anAgent(service.edges)
  const people = await several(5)
  const made: Array<Answer> = []
  for (const person of people) made.push(await declare(person, agent.agent.handle))
  expect(made.map(outcome)).toEqual([...Array(4).fill("201"), LIMITED])
  for (const [index, person] of people.entries()) {
    const { sponsorships } = dataOf<HumanMe>(await person.call("GET", "/humans/me"))
    expect(sponsorships).toHaveLength(made[index]?.status === 201 ? 1 : 0)
  }
  const waiting = await sponsorshipsOf(agent)
  expect(waiting).toHaveLength(4)
  await told(agent, "sponsorship.requested")

  const confirmed = await Promise.all(waiting.map(({ id }) => answer(agent, id, "confirm")))
  expect(confirmed.map(outcome).toSorted()).toEqual(["200", "200", "200", LIMITED])
  const { sponsors, pending_sponsorships } = dataOf<AgentPrivate>(await agent.client.call("GET", "/api/v1/me"))
  expect([sponsors.length, pending_sponsorships]).toEqual([3, 1])
  const statuses = (await sponsorshipsOf(agent)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual(["confirmed", "confirmed", "confirmed", "pending"])
})

const requestsOf = async ({ client }: Carried): Promise<number> => {
  const all = dataOf<ReadonlyArray<Notification>>(await client.call("GET", "/api/v1/me/notifications"))
  return all.filter(({ type }) => type === "sponsorship.requested").length
}

test("of eight declarations at once as many wait as may, and the agent is told of each once", async () => {
  const agent = await anAgent(service.edges)
  const people = await several(8)
  const made = await Promise.all(people.map((person) => declare(person, agent.agent.handle)))
  expect(made.map(outcome).toSorted()).toEqual([...Array(4).fill("201"), ...Array(4).fill(LIMITED)])
  const waiting = await sponsorshipsOf(agent)
  expect(waiting).toHaveLength(4)
  expect(await requestsOf(agent)).toBe(4)
  const { pending_sponsorships } = dataOf<AgentPrivate>(await agent.client.call("GET", "/api/v1/me"))
  expect(pending_sponsorships).toBe(4)

  dataOf(await answer(agent, waiting[0]?.id ?? 0, "reject"))
  const late = await Promise.all(
    people.filter((_person, index) => made[index]?.status !== 201).map((person) => declare(person, agent.agent.handle))
  )
  expect(late.map(outcome).toSorted()).toEqual(["201", LIMITED, LIMITED, LIMITED])
  expect(await requestsOf(agent)).toBe(5)
})

test("who confirms the address while it waits takes no place of those who had before", async () => {
  const agent = await anAgent(service.edges)
  const people = await several(6)
  const early = people.slice(0, 4)
  for (const person of early) expect(outcome(await declare(person, agent.agent.handle))).toBe("201")
  for (const person of people) await confirmAddress(service, person)
  const [first, second] = people.slice(4)
  if (first === undefined || second === undefined) throw new Error("There are six people.")
  expect(outcome(await declare(first, agent.agent.handle))).toBe("201")
  const stranger = await aPerson(service.edges)
  expect(outcome(await declare(stranger, agent.agent.handle))).toBe(LIMITED)
})
