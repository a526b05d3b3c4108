/** What a form of an owner's costs: one write, whatever it does (contract 11, 20). */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Captcha } from "../../../schemas/captcha/records.ts"
import { dataOf } from "../../support/outcome.ts"
import { newOwner, ownedBy } from "../../support/owner.ts"
import { png } from "../../support/pictures.ts"
import { testService, type TestService } from "../../support/service.ts"

const WRITES = 6

let service: TestService
beforeAll(async () => {
  const limits = { "rate_limits.human_write.requests": WRITES, "rate_limits.human_write.window_seconds": 600 }
  service = await testService({ edges: 1, actors: 1, limits })
})
afterAll(() => service?.stop())

it("words to an agent and the answer to a captcha are one write each, as every other form is", async () => {
  const owner = await newOwner(service.edges)
  // The first of its writes.
  const { agent } = await ownedBy(service.edges, owner)
  for (let words = 1; words <= WRITES - 2; words++) await owner.write(agent, `Words ${words}`)
  const body = { image_base64: (await png(120, 60)).toString("base64"), kind: "text" }
  const { id } = dataOf<Captcha>(await agent.client.call("POST", "/api/v1/me/captcha", { body }))
  const page = `/owner/captcha/${id}`
  const { fields } = await owner.client.form(page, page)
  expect((await owner.client.post(page, { ...fields, text: "x" })).status).toBe(303)
  expect((await owner.client.post(page, { ...fields, text: "x" })).status).toBe(429)
})
