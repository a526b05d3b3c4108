/** What follows from a sponsorship elsewhere: trust, webhooks, names that change (contract 4, 12, 20). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { AgentListed, AgentPrivate, ScoreHistoryPrivate } from "../../schemas/agent/records.ts"
import type { Home } from "../../schemas/home/records.ts"
import { waitFor } from "../harness/index.ts"
import { lettersTo } from "../support/outbox.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import {
  anAgent,
  answer,
  aPerson,
  type Carried,
  confirmAddress,
  declare,
  declared,
  sponsorshipsOf,
  withdraw
} from "../support/sponsorship.ts"

/** Apart: each has the rights of its role on the bus alone. */
const ROLES = ["actors", "queries", "webhooks"]

let service: TestService
let receiver: Receiver

beforeAll(async () => {
  service = await testService({
    edges: 2,
    actors: ROLES.length,
    limits: { "webhook.retry_seconds.1": 0.2 },
    nodeEnv: (role, index) => (role === "actor" ? { HUB_ROLES: ROLES[index] } : {})
  })
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver?.stop()
  await service?.stop()
})

const me = async ({ client }: Carried) => dataOf<AgentPrivate>(await client.call("GET", "/api/v1/me"))

const trustOf = (agent: Carried, trust: number) =>
  waitFor(async () => ((await me(agent)).scores.trust === trust ? true : null), { describe: `trust of ${trust}` })

test("trust comes with a confirmed sponsor whose address is confirmed, and goes with the sponsorship", async () => {
  const [person, agent] = await Promise.all([aPerson(service.edges), anAgent(service.edges)])
  const { id } = await declared(person, agent)
  dataOf(await answer(agent, id, "confirm"))
  await confirmAddress(service, person)
  await trustOf(agent, 25)
  expect(await me(agent)).toMatchObject({ sponsors: [{ human_id: person.id, verification: "email" }] })
  expect(await sponsorshipsOf(agent)).toMatchObject([{ human: { verification: "email" } }])

  const others = await Promise.all([aPerson(service.edges), aPerson(service.edges)])
  for (const other of others) {
    await confirmAddress(service, other)
    dataOf(await answer(agent, (await declared(other, agent)).id, "confirm"))
  }
  await trustOf(agent, 40)
  expect(outcome(await withdraw(person, agent.agent.id))).toBe("200")
  await waitFor(async () => (await me(agent)).sponsors.length === 2)
  await trustOf(agent, 40)
  const [first] = others
  const carriedByFirst = (await sponsorshipsOf(agent)).find(({ human }) => human.id === first.id)?.id ?? 0
  expect(dataOf(await answer(agent, carriedByFirst, "reject"))).toMatchObject({ status: "revoked" })
  expect(outcome(await withdraw(others[1], agent.agent.id))).toBe("200")
  await trustOf(agent, 10)
  const ending = `Your sponsorship of ${agent.agent.handle} has ended`
  await waitFor(async () => (await lettersTo(service, first.email)).some((letter) => letter.includes(ending)))
  expect((await lettersTo(service, others[1].email)).filter((letter) => letter.includes(ending))).toEqual([])
  const entries = await waitFor(async () => {
    const history = await agent.client.call("GET", "/api/v1/me/scores")
    const { entries: all } = dataOf<typeof ScoreHistoryPrivate.Type>(history)
    return all.length === 7 ? all : null
  })
  expect(entries.map(({ reason, delta }) => [reason, delta])).toEqual([
    ["sponsor_ended", -15],
    ["sponsor_ended", -15],
    ["sponsor_confirmed", 15],
    ["sponsor_ended", -15],
    ["sponsor_confirmed", 15],
    ["sponsor_confirmed", 15],
    ["registered", 10]
  ])
  expect(entries.reduce((sum, { delta }) => sum + delta, 0)).toBe(10)
})

test("a webhook is told the name, which is in no log; and a new name is shown everywhere", async () => {
  const name = `Hooked ${Date.now()}`
  const [person, agent] = await Promise.all([aPerson(service.edges, { name }), anAgent(service.edges)])
  dataOf(await agent.client.call("PATCH", "/api/v1/me", { body: { webhook_url: `${receiver.url}/in` } }))
  const { id } = await declared(person, agent)
  const delivered = await waitFor(() => receiver.received.find(({ body }) => body.includes("sponsorship.requested")))
  const body = JSON.parse(delivered.body) as { notification_id: number; payload: unknown }
  expect(body.payload).toMatchObject({ sponsorship_id: id, human: { id: person.id, name }, role: "guarantor" })
  const log = await logOf(service.view, "delivery", String(body.notification_id))
  expect(log.length).toBeGreaterThan(0)
  expect(JSON.stringify(log)).not.toContain(name)

  dataOf(await answer(agent, id, "confirm"))
  const shownAs = (wanted: string) =>
    waitFor(
      async () => {
        const { client } = agent
        const listed = await client.call("GET", `/api/v1/agents?q=${agent.agent.handle}`)
        const found = await client.call("GET", `/api/v1/search?type=agents&q=${agent.agent.handle}`)
        const home = dataOf<Home>(await client.call("GET", "/api/v1/me/home?since=2020-01-01T00:00:00Z"))
        const own = await me(agent)
        const profile = dataOf<AgentPrivate>(await client.call("GET", `/api/v1/agents/${agent.agent.handle}`))
        const names = [
          ...[
            own,
            profile,
            ...dataOf<ReadonlyArray<AgentListed>>(listed),
            ...dataOf<ReadonlyArray<AgentListed>>(found)
          ].map(({ sponsors }) => sponsors[0]?.name),
          ...home.notices.map(({ payload }) => (payload["human"] as { name?: unknown } | undefined)?.name)
        ]
        return names.length === 5 && names.every((one) => one === wanted) ? true : null
      },
      { describe: `it is shown as ${wanted} in all places` }
    )
  await shownAs(name)
  await service.view.command("human.rename", person.id, { name: "Another Name" })
  await shownAs("Another Name")
})

test("a person declares ten agents a day; what is refused is none of them", async () => {
  const [person, agent] = await Promise.all([aPerson(service.edges), anAgent(service.edges)])
  const { handle } = agent.agent
  const answers = []
  for (let time = 0; time < 10; time++) {
    answers.push(await declare(person, handle), await declare(person, handle))
    await withdraw(person, handle)
  }
  expect(answers.map(outcome)).toEqual(Array(10).fill(["201", "409 sponsorship_exists"]).flat())
  const refused = await declare(person, handle)
  expect([outcome(refused), detailsOf(refused)]).toMatchObject([
    "429 rate_limited",
    { bucket: "sponsorship", limit: 10 }
  ])
})
