/** An agent's limit of confirmed sponsorships holds however many come at once, over two nodes (contract 6, 20). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { AgentPrivate } from "../../schemas/agent/records.ts"
import type { HumanMe } from "../../schemas/human/records.ts"
import type { Answer } from "../support/http.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import type { PersonClient } from "../support/person.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, answer, aPerson, declare, sponsorshipsOf, told } from "../support/sponsorship.ts"

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

test("of four confirmations at once as many stand as may; a refusal leaves nothing", async () => {
  const agent = await anAgent(service.edges)
  const people: Array<PersonClient> = []
  while (people.length < 5) people.push(await aPerson(service.edges))
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
