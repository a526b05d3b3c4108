/**
 * Edges and actors die while agents wait for their owners: no answer is lost, and nothing is said twice (spec 4.10).
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { OwnerMessage } from "../../schemas/owner/records.ts"
import { waitFor } from "../harness/index.ts"
import type { Answer } from "../support/http.ts"
import { AgentClient } from "../support/client.ts"
import { newOwner, type TestOwner, writtenBy } from "../support/owner.ts"
import { dataOf } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { rounds } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"
import { type TestService, testService } from "../support/service.ts"
import type { Carried } from "../support/sponsorship.ts"

const PAIRS = 4
const ROUNDS = rounds(2)
const WAIT_SECONDS = 25

let service: TestService

beforeAll(async () => {
  service = await testService({
    processes: true,
    edges: 2,
    actors: 2,
    limits: { "rate_limits.message.requests": 1_000_000 }
  })
})
afterAll(() => service?.stop())

interface Pair {
  readonly agent: Carried
  readonly owner: TestOwner
}

const aPair = async (): Promise<Pair> => {
  let turn = 0
  const edge = (): string => service.edges[turn++ % service.edges.length] ?? ""
  const client = new AgentClient({ edge, losesConnections: true })
  const agent = { client, agent: await register(client, { edge: edge() }) }
  const owner = await newOwner(service.edges)
  await owner.carries(agent)
  return { agent, owner }
}

/** What a person does whose page did not load: the same again. */
const persistently = (act: () => Promise<Answer>): Promise<Answer> =>
  waitFor(
    async () => {
      const answer = await act().catch(() => null)
      return answer === null || answer.status >= 500 ? null : answer
    },
    { describe: "an edge that answers the owner" }
  )

const ask = async ({ agent }: Pair, text: string): Promise<OwnerMessage> =>
  dataOf(
    await agent.client.retrying("POST", "/api/v1/me/owner/message", {
      body: { text, kind: "question", wait_seconds: WAIT_SECONDS },
      idempotencyKey: crypto.randomUUID()
    })
  )

const answered = async ({ agent, owner }: Pair, text: string): Promise<void> => {
  const message = await waitFor(() => writtenBy(owner, agent, text).catch(() => null), { describe: "the question" })
  const form = await waitFor(
    () => owner.client.form(owner.page(agent), owner.page(agent), { message: String(message) }).catch(() => null),
    { describe: "the form of the answer" }
  )
  const sent = { ...form.fields, text: `answer to ${text}` }
  expect((await persistently(() => owner.client.post(form.action, sent))).status).toBe(303)
}

const conversation = async ({ agent }: Pair): Promise<ReadonlyArray<OwnerMessage>> =>
  dataOf(await agent.client.retrying("GET", "/api/v1/me/owner/messages?per_page=100"))

test("every question has its answer, once, whoever dies in between", async () => {
  const random = seeded("waits under kills")
  const pairs: Array<Pair> = []
  while (pairs.length < PAIRS) pairs.push(await aPair())
  const victims = [...service.system.actors, ...service.system.edges]
  for (let round = 0; round < ROUNDS; round++) {
    const text = (index: number): string => `question ${index} of round ${round}`
    const held = pairs.map((pair, index) => ask(pair, text(index)))
    // Each is written, and waits.
    await Promise.all(pairs.map(({ agent, owner }, index) => writtenBy(owner, agent, text(index))))
    const victim = random.pick(victims)
    const dying = victim.kill()
    await Promise.all([dying, ...pairs.map((pair, index) => answered(pair, text(index)))])
    await victim.restart()
    for (const [index, message] of (await Promise.all(held)).entries()) {
      expect(message.text).toBe(text(index))
      // A request that was made anew may have met itself, which was held still: then the list tells.
      if (message.answer !== null) expect(message.answer.text).toBe(`answer to ${text(index)}`)
    }
  }
  for (const [index, pair] of pairs.entries()) {
    const all = await waitFor(
      async () => {
        const found = await conversation(pair)
        return found.length === 2 * ROUNDS ? found : null
      },
      { describe: "the whole conversation" }
    )
    for (let round = 0; round < ROUNDS; round++) {
      const text = `question ${index} of round ${round}`
      const asked = all.filter((one) => one.text === text)
      const told = all.filter((one) => one.text === `answer to ${text}`)
      expect([asked.length, told.length]).toEqual([1, 1])
      expect(told[0]?.in_reply_to).toBe(asked[0]?.id)
      expect(asked[0]?.answer?.id).toBe(told[0]?.id)
    }
  }
})
