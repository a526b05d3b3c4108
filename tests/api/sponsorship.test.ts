/** Sponsorships from declaration to end, over two edges (spec 3.4, 4.4, 4.8; contract 6, 12, 20). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { AgentPrivate } from "../../schemas/agent/records.ts"
import type { HumanMe, HumanProfile } from "../../schemas/human/records.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { type AgentSponsorship, OWNER_RIGHTS } from "../../schemas/sponsorship/records.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import type { PersonClient } from "../support/person.ts"
import { logOf, type TestService, sharedService } from "../support/service.ts"
import {
  anAgent,
  answer,
  aPerson,
  type Carried,
  declare,
  declared,
  sponsorshipsOf,
  told,
  withdraw
} from "../support/sponsorship.ts"

let service: TestService

beforeAll(async () => {
  service = await sharedService({ limits: { "rate_limits.sponsorship.requests": 1000 } })
})
afterAll(() => service?.stop())

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

const pair = async (name = "Grace Hopper"): Promise<readonly [PersonClient, Carried]> =>
  Promise.all([aPerson(service.edges, { name }), anAgent(service.edges)])

const confirmedPair = async (name?: string): Promise<readonly [PersonClient, Carried, number]> => {
  const [person, agent] = await pair(name)
  const { id } = await declared(person, agent)
  dataOf(await answer(agent, id, "confirm"))
  return [person, agent, id]
}

const me = async ({ client }: Carried) => dataOf<AgentPrivate>(await client.call("GET", "/api/v1/me"))
const account = async (person: PersonClient) => dataOf<HumanMe>(await person.call("GET", "/humans/me"))
const shown = async (person: PersonClient) => dataOf<HumanProfile>(await person.call("GET", `/humans/${person.id}`))
const profile = async (ref: string, person: PersonClient) =>
  dataOf<AgentPrivate>(await person.call("GET", `/agents/${ref}`))

const sponsorsOf = (agent: Carried, count: number) =>
  waitFor(
    async () => {
      const { sponsors } = await me(agent)
      return sponsors.length === count ? sponsors : null
    },
    { describe: `the agent has ${count} sponsors` }
  )

const author = ({ agent }: Carried) =>
  expect.objectContaining({ id: agent.id, hx_id: agent.hx_id, handle: agent.handle, status: "active" })

test("a person declares, the agent is asked and confirms, and both are listed everywhere", async () => {
  const [person, agent] = await pair("Ada Lovelace")
  const first = await declare(person, agent.agent.handle, "creator")
  const pending = {
    id: expect.any(Number),
    agent: author(agent),
    role: "creator",
    status: "pending",
    may: OWNER_RIGHTS,
    created_at: TIME,
    confirmed_at: null,
    ended_at: null
  }
  expect([first.status, dataOf(first)]).toEqual([201, pending])
  const { id } = dataOf<{ id: number }>(first)
  expect((await account(person)).sponsorships).toEqual([{ ...pending, id }])
  const human = { id: person.id, name: "Ada Lovelace" }
  expect((await told(agent, "sponsorship.requested")).payload).toMatchObject({
    sponsorship_id: id,
    human,
    role: "creator"
  })
  expect(await me(agent)).toMatchObject({ pending_sponsorships: 1, sponsors: [] })
  const asAgent = { ...pending, agent: undefined, id, sponsorship_id: id, human: { ...human, verification: "none" } }
  expect(await sponsorshipsOf(agent)).toEqual([asAgent])

  const confirmed = dataOf(await answer(agent, id, "confirm"))
  expect(confirmed).toEqual({ ...asAgent, status: "confirmed", confirmed_at: TIME })
  expect(await sponsorshipsOf(agent)).toEqual([confirmed])
  const sponsor = {
    human_id: person.id,
    name: "Ada Lovelace",
    role: "creator",
    since: TIME,
    verified: false,
    verification: "none"
  }
  expect(await sponsorsOf(agent, 1)).toEqual([sponsor])
  expect(await me(agent)).toMatchObject({ pending_sponsorships: 0, scores: { trust: 10 } })
  expect((await profile(agent.agent.handle, person)).sponsors).toEqual([sponsor])
  const directory = dataOf<ReadonlyArray<AgentPrivate>>(await person.call("GET", `/agents?q=${agent.agent.handle}`))
  expect(directory.map(({ sponsors }) => sponsors)).toEqual([[sponsor]])
  expect((await account(person)).sponsorships).toEqual([{ ...pending, id, status: "confirmed", confirmed_at: TIME }])
  expect((await shown(person)).agents).toEqual([author(agent)])
  // A login shows the same record.
  expect(dataOf<{ human: HumanMe }>(await person.logIn()).human).toEqual(await account(person))

  const renamed = dataOf(await agent.client.call("PATCH", "/api/v1/me", { body: { description: "Carried." } }))
  expect(renamed).toMatchObject({ description: "Carried.", sponsors: [sponsor] })
})

test("an agent is named by handle, hub id or number; what names nobody is not found", async () => {
  const [person, { agent }] = await pair()
  for (const ref of [agent.handle, agent.id, agent.hx_id, agent.hx_id.toLowerCase()]) {
    expect(outcome(await declare(person, ref)), ref).toBe("201")
    expect(outcome(await withdraw(person, ref)), ref).toBe("200")
  }
  for (const ref of ["nobody-at-all", `hx${"0".repeat(24)}`, "HX-999999999", "!", ""]) {
    const refused = await declare(person, ref)
    expect([ref, outcome(refused), detailsOf(refused)]).toEqual([
      ref,
      "404 not_found",
      expect.objectContaining({ resource: "agent" })
    ])
  }
  expect(outcome(await withdraw(person, "HX-999999999"))).toBe("404 not_found")
})

test.each([
  [{}, "agent"],
  [{ agent: 7 }, "agent"],
  [{ agent: null }, "agent"],
  [{ agent: "somebody", role: "owner" }, "role"]
])("%j is refused", async (body, field) => {
  const person = await aPerson(service.edges)
  const refused = await person.call("POST", "/humans/me/agents", body)
  expect([outcome(refused), fieldOf(refused)]).toEqual(["422 validation_error", field])
})

test("an agent is declared once, and again when that has ended; after a refusal not for seven days", async () => {
  const [person, agent] = await pair()
  const { id } = await declared(person, agent)
  const again = await declare(person, agent.agent.handle)
  expect([outcome(again), detailsOf(again)]).toEqual(["409 sponsorship_exists", { status: "pending" }])
  expect(outcome(await withdraw(person, agent.agent.handle))).toBe("200")
  const next = await declared(person, agent)
  expect(next.id).toBeGreaterThan(id)
  expect(dataOf(await answer(agent, next.id, "reject"))).toMatchObject({ status: "refused", may: [], ended_at: TIME })
  const soon = await declare(person, agent.agent.handle)
  const until = Date.parse(String((detailsOf(soon) as { until?: string }).until))
  expect([outcome(soon), detailsOf(soon)]).toEqual(["409 sponsorship_exists", { status: "refused", until: TIME }])
  expect(until - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
  expect((await sponsorshipsOf(agent)).map(({ status, may }) => [status, may])).toEqual([
    ["refused", []],
    ["withdrawn", []]
  ])
  expect((await account(person)).sponsorships.map(({ status }) => status)).toEqual(["refused", "withdrawn"])
})

test("of two declarations at once one is made", async () => {
  const [person, agent] = await pair()
  const answers = await Promise.all([1, 2, 3].map(() => declare(person, agent.agent.handle)))
  expect(answers.map(outcome).toSorted()).toEqual(["201", "409 sponsorship_exists", "409 sponsorship_exists"])
  expect(await sponsorshipsOf(agent)).toHaveLength(1)
})

test("what is not the agent's own, or no number, is not there; what has ended is not decided again", async () => {
  const [[, agent, id], stranger] = [await confirmedPair(), await anAgent(service.edges)]
  for (const what of ["confirm", "reject"] as const) {
    for (const wrong of ["0", "x", "999999999", "1e3"])
      expect(outcome(await answer(agent, wrong, what)), wrong).toBe("404 not_found")
    expect(outcome(await answer(stranger, id, what))).toBe("404 not_found")
  }
  const confirmed = await answer(agent, id, "confirm")
  expect([outcome(confirmed), detailsOf(confirmed)]).toEqual(["409 sponsorship_not_pending", { status: "confirmed" }])
  expect(dataOf(await answer(agent, id, "reject"))).toMatchObject({
    status: "revoked",
    confirmed_at: TIME,
    ended_at: TIME
  })
  for (const what of ["confirm", "reject"] as const)
    expect([outcome(await answer(agent, id, what))]).toEqual(["409 sponsorship_not_pending"])
  await sponsorsOf(agent, 0)
})

test("the person withdraws, and the agent is told", async () => {
  const [person, agent, id] = await confirmedPair("Mary Shelley")
  await sponsorsOf(agent, 1)
  expect(dataOf(await withdraw(person, agent.agent.id))).toMatchObject({ id, status: "withdrawn", ended_at: TIME })
  expect((await told(agent, "sponsorship.withdrawn")).payload).toMatchObject({
    sponsorship_id: id,
    human: { id: person.id, name: "Mary Shelley" },
    role: "guarantor"
  })
  await sponsorsOf(agent, 0)
  expect((await shown(person)).agents).toEqual([])
  expect(outcome(await withdraw(person, agent.agent.id))).toBe("409 sponsorship_not_pending")
  expect(outcome(await withdraw(person, (await anAgent(service.edges)).agent.id))).toBe("404 not_found")
})

test("confirmed, rejected and withdrawn at once, it ends in one state, which everybody sees", async () => {
  for (let round = 0; round < 5; round++) {
    const [person, agent] = await pair()
    const { id } = await declared(person, agent)
    const answers = await Promise.all([
      answer(agent, id, "confirm"),
      withdraw(person, agent.agent.handle),
      answer(agent, id, "reject"),
      answer(agent, id, "confirm")
    ])
    for (const one of answers) expect(outcome(one)).toMatch(/^(200|409 sponsorship_not_pending)$/)
    const ends = answers.filter((one) => one.status === 200).map((one) => dataOf<{ status: string }>(one).status)
    expect(ends.filter((status) => status !== "confirmed")).toHaveLength(1)
    const [listed] = await sponsorshipsOf(agent)
    expect(ends).toContain(listed?.status)
    expect((await account(person)).sponsorships).toMatchObject([{ id, status: listed?.status }])
    await waitFor(async () => {
      const { sponsors, pending_sponsorships } = await me(agent)
      return sponsors.length + pending_sponsorships === 0
    })
  }
})

describe("with an account", () => {
  test("of an agent its sponsorships end", async () => {
    const [person, agent, id] = await confirmedPair()
    const other = await aPerson(service.edges)
    await declared(other, agent)
    await waitFor(async () => (await me(agent)).pending_sponsorships === 1)
    dataOf(await agent.client.call("DELETE", "/api/v1/me", { body: { confirm: agent.agent.handle } }))
    for (const one of [person, other]) {
      const [ended] = await waitFor(async () => {
        const { sponsorships } = await account(one)
        return sponsorships[0]?.ended_at === null ? null : sponsorships
      })
      expect(ended).toMatchObject({ status: "revoked", agent: { status: "deleted", name: "Deleted agent" } })
    }
    expect((await shown(person)).agents).toEqual([])
    expect(outcome(await declare(person, agent.agent.id))).toBe("404 not_found")
    expect(outcome(await withdraw(person, agent.agent.id))).toBe("409 sponsorship_not_pending")
    expect(outcome(await withdraw(person, agent.agent.handle))).toBe("404 not_found")
    expect(id).toBeGreaterThan(0)
  })

  test("of a person they are withdrawn, and the name goes everywhere; it stood in no log but sealed", async () => {
    const name = `Planted ${Date.now()} Name`
    const [person, agent, id] = await confirmedPair(name)
    await sponsorsOf(agent, 1)
    const { password, email } = person
    dataOf(await person.call("DELETE", "/humans/me", { password, confirm: email }))
    await sponsorsOf(agent, 0)
    const withdrawn = await told(agent, "sponsorship.withdrawn")
    expect(withdrawn.payload).toMatchObject({ sponsorship_id: id, human: { id: person.id, name: null } })
    const gone = await waitFor(async () => {
      const [one] = await sponsorshipsOf(agent)
      return one?.human.name === null ? one : null
    })
    expect(gone).toMatchObject({ status: "withdrawn", human: { id: person.id, name: null, verification: "none" } })
    await waitFor(async () => {
      const { payload } = await told(agent, "sponsorship.requested")
      return (payload["human"] as { name: unknown }).name === null
    })
    const logs = await Promise.all([
      logOf(service.view, "agent", agent.agent.id),
      logOf(service.view, "human", person.id),
      logOf(service.view, "sponsorship", String(id))
    ])
    expect(logs.map((log) => log.length > 0)).toEqual([true, true, true])
    expect(JSON.stringify(logs)).not.toContain(name)
    const rows = await service.view.db
      .selectFrom("notifications")
      .selectAll()
      .where("agent", "=", agent.agent.id)
      .execute()
    expect(JSON.stringify(rows)).toContain(person.id)
    expect(JSON.stringify(rows)).not.toContain(name)
  })

  test("that is suspended an agent may be declared, and may not answer", async () => {
    const [person, agent] = await pair()
    await service.view.command("agent.suspend", agent.agent.id, { reason: "a test" })
    const { id } = await declared(person, agent)
    expect(outcome(await answer(agent, id, "confirm"))).toBe("403 agent_suspended")
    expect(await sponsorshipsOf(agent)).toMatchObject([{ id, status: "pending" }])
    await service.view.command("agent.ban", agent.agent.id, { reason: "a test" })
    expect(outcome(await withdraw(person, agent.agent.id))).toBe("200")
    expect(outcome(await declare(person, agent.agent.id))).toBe("404 not_found")
  })
})

test("who was refused asks no sooner under a new account of the same address, and nobody reads there whom", async () => {
  const [person, agent] = await pair()
  const other = await anAgent(service.edges)
  const { id } = await declared(person, agent)
  dataOf(await answer(agent, id, "reject"))
  for (const turn of ["first", "second"]) {
    await waitFor(async () => (await account(person)).sponsorships.every(({ status }) => status !== "pending"))
    dataOf(await person.call("DELETE", "/humans/me", { password: person.password, confirm: person.email }))
    person.token = ""
    dataOf(await person.signUp())
    dataOf(await person.logIn())
    const again = await declare(person, agent.agent.handle)
    expect([turn, outcome(again)]).toEqual([turn, "409 sponsorship_exists"])
    const until = detailsOf(again)["until"]
    expect(detailsOf(again)).toMatchObject({ status: "refused", until: TIME })
    expect(Date.parse(String(until))).toBeLessThan(Date.now() + LIMITS.limits.owner.refused_wait_seconds * 1000)
    const allowed = await declared(person, other)
    dataOf(await withdraw(person, other.agent.handle))
    expect(allowed.status).toBe("pending")
  }
  const [made] = await logOf(service.view, "human", person.id)
  const registered = JSON.stringify(made)
  const address = /"address":"(\w+)"/.exec(registered)?.[1] ?? ""
  const remains = registered + JSON.stringify(await logOf(service.view, "address", address))
  expect(remains).toContain("address.released")
  expect(remains).not.toContain(agent.agent.id)
})

test("a refusal at the moment in which the account is deleted holds, or comes too late", async () => {
  for (let round = 0; round < 6; round++) {
    const [person, agent] = await pair()
    const { id } = await declared(person, agent)
    const { password, email } = person
    const [rejected, deleted] = await Promise.all([
      answer(agent, id, "reject"),
      person.call("DELETE", "/humans/me", { password, confirm: email })
    ])
    expect(outcome(deleted)).toBe("200")
    person.token = ""
    dataOf(await person.signUp())
    dataOf(await person.logIn())
    const again = outcome(await declare(person, agent.agent.handle))
    expect([outcome(rejected), again]).toEqual(
      rejected.status === 200 ? ["200", "409 sponsorship_exists"] : ["409 sponsorship_not_pending", "201"]
    )
  }
})

test("a repeated confirmation under one key is answered as the first, with the name that is kept in no copy", async () => {
  const [person, agent] = await pair()
  const { id } = await declared(person, agent)
  const options = { idempotencyKey: "confirm-once" }
  const first = dataOf<AgentSponsorship>(await answer(agent, id, "confirm", options))
  const again = await answer(agent, id, "confirm", options)
  expect([outcome(again), again.headers["idempotent-replayed"]]).toEqual(["200", "true"])
  expect(dataOf(again)).toEqual(first)
})

test("a person whose address is not confirmed has three declarations that wait; answered ones do not count", async () => {
  const person = await aPerson(service.edges)
  const agents = await Promise.all(Array.from({ length: 5 }, () => anAgent(service.edges)))
  const [first, second, third, fourth, fifth] = agents as [Carried, Carried, Carried, Carried, Carried]
  const { id } = await declared(person, first)
  for (const agent of [second, third]) await declared(person, agent)
  const refused = await declare(person, fourth.agent.handle)
  expect([outcome(refused), detailsOf(refused)]).toEqual(["409 sponsorship_limit", { max: 3 }])
  dataOf(await answer(first, id, "confirm"))
  await declared(person, fourth)
  expect(outcome(await declare(person, fifth.agent.handle))).toBe("409 sponsorship_limit")
})
