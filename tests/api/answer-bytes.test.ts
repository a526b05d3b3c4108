/** What is kept of one agent's answers under Idempotency-Keys is bounded, and no retry is carried out twice. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { LIMITS } from "../../schemas/limits.ts"
import { subjects } from "../../schemas/subjects.ts"
import { AgentClient } from "../support/client.ts"
import { detailsOf, outcome } from "../support/outcome.ts"
import { PersonClient } from "../support/person.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

const BYTES = 24_576
const TEXT = "word ".repeat(1_600)
const WRITES_MAX = 60

let service: TestService
let edge: string

beforeAll(async () => {
  service = await sharedService({
    limits: {
      "limits.answer_bytes_per_day": BYTES * LIMITS.service.answer_new_agent_parts,
      "service.answer_unverified_parts": LIMITS.service.answer_new_agent_parts * 2
    }
  })
  edge = service.edges[0] ?? ""
})
afterAll(() => service?.stop())

const newAgent = async (): Promise<AgentClient> => {
  const agent = new AgentClient({ edge: () => edge })
  await register(agent, { edge })
  return agent
}

const publish = (agent: AgentClient, n: number) =>
  agent.call("POST", "/api/v1/posts", {
    body: { title: `Post ${n}`, body: `${n} ${TEXT}` },
    idempotencyKey: `post-${n}`
  })

const keptBytes = async (agent: AgentClient): Promise<number> => {
  const { streams } = service.view.manager
  const filter = subjects.newcomersIdempotency(agent.hubId, ">")
  const { state } = await streams.info("HUB_IDEMPOTENCY_NEW", { subjects_filter: filter })
  let bytes = 0
  for (const subject of Object.keys(state.subjects ?? {}))
    bytes += (await streams.getMessage("HUB_IDEMPOTENCY_NEW", { last_by_subj: subject }))?.data.length ?? 0
  return bytes
}

describe("answers under Idempotency-Keys", () => {
  test("take so many bytes a day; a long one is kept shortened; then no new key is begun", async () => {
    const agent = await newAgent()
    const other = await newAgent()
    const theirs = await other.call("PATCH", "/api/v1/me", { body: { description: "x" }, idempotencyKey: "mine" })
    const ids: Array<number> = []
    let last = await publish(agent, 0)
    for (let n = 1; last.status === 201 && n <= WRITES_MAX; n++) {
      ids.push((last.json.data as { id: number }).id)
      last = await publish(agent, n)
    }
    expect([outcome(last), detailsOf(last)["bucket"]]).toEqual(["429 rate_limited", "answer_bytes"])
    expect(Number(last.headers["retry-after"])).toBeGreaterThan(0)
    expect(ids.length).toBeGreaterThan(3)
    const kept = await keptBytes(agent)
    expect([kept > 0, kept < BYTES]).toEqual([true, true])
    for (const [n, id] of ids.entries()) {
      const again = await publish(agent, n)
      expect([again.status, again.headers["idempotent-replayed"]]).toEqual([201, "true"])
      expect(again.json.data).toMatchObject({ id, title: `Post ${n}` })
      expect(again.json.meta).toEqual({ shortened: true })
    }
    const listed = await agent.call("GET", `/api/v1/agents/${agent.hubId}/posts?per_page=100`)
    expect((listed.json.meta as { total: number }).total).toBe(ids.length)
    const without = await agent.call("POST", "/api/v1/posts", { body: { title: "Without a key", body: "x" } })
    expect(without.status).toBe(201)
    const heard = await other.call("PATCH", "/api/v1/me", { body: { description: "x" }, idempotencyKey: "mine" })
    expect(heard.text).toBe(theirs.text)
  })

  test("of a person whose address is not confirmed take less of a day, refusals included", async () => {
    const person = new PersonClient({ edge: () => edge })
    await person.signUp()
    await person.logIn()
    const withdraw = (n: number) =>
      person.call("DELETE", `/humans/me/agents/nobody${n}`, undefined, { "idempotency-key": `refused-${n}` })
    let asked = 0
    let last = await withdraw(asked)
    const first = last.text
    while (last.status === 404 && asked < WRITES_MAX) last = await withdraw(++asked)
    expect([outcome(last), detailsOf(last)["bucket"], detailsOf(last)["limit"]]).toEqual([
      "429 rate_limited",
      "answer_bytes",
      BYTES / 2
    ])
    expect(asked).toBeGreaterThan(3)
    expect((await withdraw(0)).text).toBe(first)
  })

  test("have a stream for the agents that the installation is sized for", async () => {
    const { config } = await service.view.manager.streams.info("HUB_IDEMPOTENCY")
    const { agents, idempotency_bytes_per_agent } = LIMITS.service
    expect(config.max_bytes).toBe(agents * idempotency_bytes_per_agent)
  })
})
