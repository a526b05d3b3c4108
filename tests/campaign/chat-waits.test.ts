/** Whoever listens to the chat dies while owners answer there: each answer reaches its agent, once (contract 20). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { OwnerMessage } from "../../schemas/owner/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { dataOf } from "../support/outcome.ts"
import { newOwner, type TestOwner } from "../support/owner.ts"
import { register } from "../support/register.ts"
import { rounds } from "../support/rounds.ts"
import { type TestService, testService } from "../support/service.ts"
import type { Carried } from "../support/sponsorship.ts"
import { Telegram } from "../support/telegram.ts"

const ROUNDS = rounds(2)
const CHAT = 900_000_001

let telegram: Telegram
let service: TestService
beforeAll(async () => {
  telegram = await Telegram.open()
  service = await testService({
    processes: true,
    edges: 2,
    actors: 2,
    env: telegram.env,
    limits: { "rate_limits.message.requests": 1000 }
  })
})
afterAll(async () => {
  await service?.stop()
  await telegram?.stop()
})

let turn = 0
const edge = (): string => service.edges[turn++ % service.edges.length] ?? ""

const linked = async (owner: TestOwner): Promise<void> => {
  const page = await owner.client.change("offer_chat", {})
  telegram.write(CHAT, /<code>(\/start [\w-]+)<\/code>/.exec(page.text)?.[1] ?? "")
  await telegram.heard(CHAT, "This chat is linked.")
}

const conversation = async ({ client }: Carried): Promise<ReadonlyArray<OwnerMessage>> =>
  dataOf(await client.retrying("GET", "/api/v1/me/owner/messages?per_page=100"))

test("every answer arrives, whichever node dies as it is given", async () => {
  const client = new AgentClient({ edge, losesConnections: true })
  const agent = { client, agent: await register(client, { edge: edge() }) }
  const owner = await newOwner(service.edges)
  await owner.carries(agent)
  await linked(owner)
  for (let round = 0; round < ROUNDS; round++) {
    const text = `question of round ${round}.`
    await client.retrying("POST", "/api/v1/me/owner/message", {
      body: { text, kind: "question" },
      idempotencyKey: crypto.randomUUID()
    })
    const said = await telegram.heard(CHAT, text)
    // One of them listens; both die over the rounds, as the answer is on its way to it.
    const victim = service.system.actors[round % service.system.actors.length]
    telegram.reply(said, `answer of round ${round}.`)
    await victim?.kill()
    await victim?.restart()
    const answers = await waitFor(
      async () => {
        const found = (await conversation(agent)).filter((one) => one.text === `answer of round ${round}.`)
        return found.length > 0 ? found : null
      },
      { describe: `the answer of round ${round}` }
    )
    expect(answers.length).toBe(1)
  }
  const all = await conversation(agent)
  expect(all.map(({ direction }) => direction).toSorted()).toEqual([
    ...Array.from({ length: ROUNDS }, () => "to_agent"),
    ...Array.from({ length: ROUNDS }, () => "to_owner")
  ])
  // What was said before a node died is not said again.
  for (let round = 0; round < ROUNDS; round++)
    expect(telegram.to(CHAT).filter((one) => one.text.includes(`question of round ${round}.`)).length).toBe(1)
})
