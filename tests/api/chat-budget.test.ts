/** What an owner writes by chat and what by the pages is one budget (contract 11, 20). */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { OwnerMessage } from "../../schemas/owner/records.ts"
import { dataOf } from "../support/outcome.ts"
import { newOwner, ownedBy } from "../support/owner.ts"
import { testService, type TestService } from "../support/service.ts"
import { Telegram } from "../support/telegram.ts"

const WRITES = 6
const CHAT = 800_000_001

let telegram: Telegram
let service: TestService
beforeAll(async () => {
  telegram = await Telegram.open()
  service = await testService({
    edges: 1,
    actors: 1,
    env: telegram.env,
    limits: { "rate_limits.human_write.requests": WRITES, "rate_limits.human_write.window_seconds": 600 }
  })
})
afterAll(async () => {
  await service?.stop()
  await telegram?.stop()
})

it("answers by chat use up what the pages have, and the other way round", async () => {
  const owner = await newOwner(service.edges)
  // Two of its writes: it declares, and gets a code.
  const { agent } = await ownedBy(service.edges, owner)
  const offered = await owner.client.change("offer_chat", {})
  telegram.write(CHAT, /<code>(\/start [\w-]+)<\/code>/.exec(offered.text)?.[1] ?? "")
  await telegram.heard(CHAT, "This chat is linked.")
  const body = { text: "May I?", kind: "question" }
  const { id } = dataOf<OwnerMessage>(await agent.client.call("POST", "/api/v1/me/owner/message", { body }))
  const said = await telegram.heard(CHAT, `Message ${id} `)
  const { fields } = await owner.client.form(owner.page(agent))
  for (const words of ["one", "two"]) await owner.write(agent, words)
  for (const words of ["three", "four"]) {
    const before = telegram.to(CHAT).length
    telegram.reply(said, words)
    await expect.poll(() => telegram.to(CHAT).length).toBe(before + 1)
    expect(telegram.to(CHAT).at(-1)?.text).toBe("Your agent has it.")
  }
  telegram.reply(said, "five")
  await telegram.heard(CHAT, "Too many answers at once.")
  expect((await owner.client.post(owner.page(agent), { ...fields, text: "six" })).status).toBe(429)
})
