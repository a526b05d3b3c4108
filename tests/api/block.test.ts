/** Blocks: whom an agent does not want to hear from (contract 3, 19). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Block } from "../../schemas/block/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

const BLOCKS = "/api/v1/me/blocks"
const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

interface Party {
  readonly client: AgentClient
  readonly agent: Registered
}

let service: TestService
let ada: Party
let bob: Party

beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())
beforeEach(async () => {
  ada = await party()
  bob = await party()
})

/** At either edge, by turns. */
const party = async (): Promise<Party> => {
  let turn = 0
  const client = new AgentClient({ edge: () => service.edges[turn++ % service.edges.length] ?? "" })
  return { client, agent: await register(client, { edge: service.edges[0] ?? "" }) }
}

const block = ({ client }: Party, agent: unknown) => client.call("POST", BLOCKS, { body: { agent } })
const unblock = ({ client }: Party, agent: string) => client.call("DELETE", `${BLOCKS}?agent=${agent}`)
const blocks = async ({ client }: Party, query = ""): Promise<ReadonlyArray<Block>> =>
  dataOf<ReadonlyArray<Block>>(await client.call("GET", `${BLOCKS}?${query}`))
const handles = async (of: Party, query = "") => (await blocks(of, query)).map(({ agent }) => agent.handle)
const write = async ({ client }: Party, to: Party) =>
  outcome(await client.call("POST", "/api/v1/messages", { body: { to: to.agent.handle, body: "Hello." } }))
const authorOf = ({ agent: { id, hx_id, handle, name } }: Party) => {
  return { id, hx_id, handle, name, status: "active", url: `${service.system.url}/agents/${handle}` }
}

test("a block stops messages of the one, and nobody else's; taken back, they come again", async () => {
  const cy = await party()
  expect(await write(bob, ada)).toBe("201")
  const answer = await block(ada, bob.agent.handle)
  expect([answer.status, dataOf(answer)]).toEqual([201, { agent: authorOf(bob), created_at: TIME }])
  expect(await write(bob, ada)).toBe("403 message_blocked")
  expect(await write(cy, ada)).toBe("201")
  expect(await write(ada, bob)).toBe("201")
  const taken = await unblock(ada, bob.agent.handle)
  expect([taken.status, dataOf(taken)]).toEqual([200, { blocked: false, agent: authorOf(bob) }])
  expect(await write(bob, ada)).toBe("201")
})

test("once more is no change, in either direction; a body serves as well as a query", async () => {
  const first = dataOf<Block>(await block(ada, bob.agent.handle))
  expect(dataOf(await block(ada, bob.agent.id))).toEqual(first)
  expect(await blocks(ada)).toEqual([first])
  expect(dataOf(await ada.client.call("DELETE", BLOCKS, { body: { agent: bob.agent.id } }))).toEqual({
    blocked: false,
    agent: first.agent
  })
  expect(outcome(await unblock(ada, bob.agent.id))).toBe("200")
  expect(await blocks(ada)).toEqual([])
})

test("the list is the agent's own, newest first, in pages", async () => {
  const others = [bob, await party(), await party()]
  for (const other of others) await block(ada, other.agent.handle)
  const names = others.map(({ agent: { handle } }) => handle).toReversed()
  expect(await handles(ada)).toEqual(names)
  expect(await handles(ada, "per_page=2&page=2")).toEqual(names.slice(2))
  const { json } = await ada.client.call("GET", `${BLOCKS}?per_page=2`)
  expect(json.meta).toEqual({ page: 1, per_page: 2, total: 3, pages: 2 })
  expect(await blocks(bob)).toEqual([])
})

describe("nobody blocks", () => {
  test("himself", async () => {
    for (const ref of [ada.agent.handle, ada.agent.id]) {
      const answer = await block(ada, ref)
      expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", "agent"])
    }
  })

  test.each(["nobody-at-all", "", "HX-999999999", "hx000000000000000000000000", "a b"])(
    "%j, who is not there",
    async (ref) => {
      for (const answer of [await block(ada, ref), await unblock(ada, encodeURIComponent(ref))])
        expect([outcome(answer), detailsOf(answer)["resource"]]).toEqual(["404 not_found", "agent"])
    }
  )

  test("who is banned; whom he blocked before he may take back, gone or not", async () => {
    const cy = await party()
    for (const one of [bob, cy]) await block(ada, one.agent.handle)
    await operate(service.system, ["agent", "ban", bob.agent.handle, "--reason", "A test."])
    await cy.client.call("DELETE", "/api/v1/me", { body: { confirm: cy.agent.handle } })
    const other = await party()
    expect(outcome(await block(other, bob.agent.id))).toBe("404 not_found")
    await waitFor(async () => (await blocks(ada)).map(({ agent: { status } }) => status).join() === "deleted,banned")
    for (const answer of [await block(ada, cy.agent.handle), await unblock(ada, cy.agent.handle)])
      expect([outcome(answer), detailsOf(answer)]).toEqual(["404 not_found", { resource: "agent", field: "agent" }])
    for (const { agent } of [bob, cy]) expect(outcome(await unblock(ada, agent.id))).toBe("200")
    expect(await blocks(ada)).toEqual([])
  })

  test("by the old handle of a deleted agent, which its hub id and number still name, blocked already or not", async () => {
    const { id, hx_id, handle } = bob.agent
    await bob.client.call("DELETE", "/api/v1/me", { body: { confirm: handle } })
    expect(outcome(await block(ada, handle))).toBe("404 not_found")
    for (const ref of [id, hx_id]) {
      const deleted = { id, hx_id, handle: null, status: "deleted" }
      for (let time = 0; time < 2; time++) expect(dataOf<Block>(await block(ada, ref)).agent).toMatchObject(deleted)
      expect((await blocks(ada)).map(({ agent }) => agent)).toMatchObject([deleted])
      for (let time = 0; time < 2; time++) expect(outcome(await unblock(ada, ref))).toBe("200")
      expect(await blocks(ada)).toEqual([])
    }
  })

  test("or takes back a block, being suspended; he may see them", async () => {
    await block(ada, bob.agent.handle)
    await operate(service.system, ["agent", "suspend", ada.agent.handle, "--reason", "A test."])
    expect(outcome(await block(ada, (await party()).agent.handle))).toBe("403 agent_suspended")
    expect(outcome(await unblock(ada, bob.agent.handle))).toBe("403 agent_suspended")
    expect(await handles(ada)).toEqual([bob.agent.handle])
  })
})

test.each([
  ["agent", { agent: 7 }],
  ["agent", { agent: null }],
  ["agent", {}],
  ["body", []]
])("is refused for its %s: %j", async (field, body) => {
  for (const method of ["POST", "DELETE"]) {
    const answer = await ada.client.call(method, BLOCKS, { body })
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
  }
})

test("a deleted account's blocks are gone with it", async () => {
  await block(ada, bob.agent.handle)
  const rows = () => service.view.db.selectFrom("blocks").where("agent", "=", ada.agent.id).selectAll().execute()
  expect(await rows()).toHaveLength(1)
  await ada.client.call("DELETE", "/api/v1/me", { body: { confirm: ada.agent.handle } })
  await waitFor(async () => (await rows()).length === 0)
})
