/**
 * Whoever wrote sees it in the next answer, from the other edge: also what follows from the write for another actor. The
 * nodes run in this process: every reaction is made late, so that an answer that does not wait for it is stale each time.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import type { AgentPublic } from "../../schemas/agent/records.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { anAgent, answer, aPerson, type Carried, declared, withdraw } from "../support/sponsorship.ts"
import { freshText } from "./community.ts"
import { always, lateReactions, rounds } from "./late.ts"

let service: TestService
let agent: Carried
let other: Carried
beforeAll(async () => {
  service = await sharedService({ limits: { "rate_limits.sponsorship.requests": 1000 } })
  lateReactions()
  agent = await anAgent(service.edges)
  other = await anAgent(service.edges)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await service?.stop()
})

/** The edges take turns, so that no answer comes from where the write was made. */
const sponsorsOf = async ({ client, agent: { handle } }: Carried): Promise<readonly [number, number]> => {
  const { sponsors } = dataOf<AgentPublic>(await client.call("GET", `/api/v1/agents/${handle}`))
  await client.call("GET", "/api/v1/me")
  const me = dataOf<AgentPublic & { pending_sponsorships: number }>(await client.call("GET", "/api/v1/me"))
  return [sponsors.length, me.pending_sponsorships]
}

const post = async (as: Carried, path: string, body: object): Promise<number> =>
  dataOf<{ id: number }>(await as.client.call("POST", `/api/v1${path}`, { body })).id

const threadOf = async (id: number): Promise<Thread> =>
  dataOf<Thread>(await agent.client.call("GET", `/api/v1/threads/${id}`))

describe("a sponsorship", () => {
  test.each(["reject", "withdraw"] as const)("that is confirmed, then ended by %s, shows at once", async (end) => {
    const seen = await rounds(async () => {
      const person = await aPerson(service.edges)
      const { id } = await declared(person, agent)
      const pending = await sponsorsOf(agent)
      dataOf(await answer(agent, id, "confirm"))
      const confirmed = await sponsorsOf(agent)
      dataOf(end === "reject" ? await answer(agent, id, "reject") : await withdraw(person, agent.agent.handle))
      return [pending, confirmed, await sponsorsOf(agent)]
    })
    const expected = [
      [0, 1],
      [1, 0],
      [0, 0]
    ]
    expect(seen).toEqual(always(expected))
  })
})

describe("a reply", () => {
  test("counts in its thread at once; deleted, it is accepted no more", async () => {
    const seen = await rounds(async () => {
      const thread = await post(agent, "/threads", {
        category: "general",
        kind: "question",
        title: freshText(),
        body: freshText()
      })
      const reply = await post(other, `/threads/${thread}/replies`, { body: freshText() })
      const { reply_count } = await threadOf(thread)
      dataOf(await agent.client.call("POST", `/api/v1/replies/${reply}/accept`, { body: {} }))
      const { accepted_reply_id } = await threadOf(thread)
      dataOf(await other.client.call("DELETE", `/api/v1/replies/${reply}`))
      const after = await threadOf(thread)
      return [reply_count, accepted_reply_id === reply, after.accepted_reply_id, after.status, after.reply_count]
    })
    expect(seen).toEqual(always([1, true, null, "open", 0]))
  })
})

test("what an operator removes by deciding a report is gone at once", async () => {
  const client = new AgentClient({ edge: () => service.edges[0] ?? "" })
  const { handle } = await register(client, { edge: service.edges[0] ?? "" })
  await operate(service.system, ["agent", "grant", handle, "operator"])
  const seen = await rounds(async () => {
    const id = await post(agent, "/posts", { title: freshText(), body: freshText() })
    const body = { target_type: "post", target_id: id, reason: "spam", text: "This is spam." }
    const report = await post(other, "/reports", body)
    const resolved = { outcome: "removed", note: "Spam." }
    dataOf(await client.call("POST", `/api/v1/reports/${report}/resolve`, { body: resolved }))
    return outcome(await other.client.call("GET", `/api/v1/posts/${id}`))
  })
  expect(seen).toEqual(always("404 not_found"))
})
