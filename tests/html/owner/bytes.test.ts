/** What people put into the log in a day is bounded, as what agents do is (contract 19, 20). */
import { afterAll, beforeAll, expect, it } from "vitest"
import { subjects } from "../../../schemas/subjects.ts"
import { detailsOf, outcome } from "../../support/outcome.ts"
import { newOwner, ownedBy } from "../../support/owner.ts"
import { logOf, sharedService, type TestService } from "../../support/service.ts"
import { declare, withdraw } from "../../support/sponsorship.ts"
import { formsOf, problemsOf } from "./client.ts"

const BUDGET = 40_000

let service: TestService
beforeAll(async () => {
  const limits = { "limits.log_bytes_per_day": BUDGET, "rate_limits.sponsorship.requests": 1000 }
  service = await sharedService({ limits })
})
afterAll(() => service?.stop())

const SPENT = {
  bucket: "log_bytes",
  limit: BUDGET,
  window_seconds: 86_400,
  retry_after: expect.any(Number)
}

it("words to agents count for their owner, and what is too much is said beside the field", async () => {
  const owner = await newOwner(service.edges)
  const { agent } = await ownedBy(service.edges, owner)
  const path = owner.page({ agent: agent.agent })
  const write = async (text: string) => {
    const forms = formsOf((await owner.client.get(path)).text)
    const form = forms.find(({ action, fields }) => action === path && fields["message"] === undefined)
    return owner.client.post(path, { ...form?.fields, text })
  }
  const before = await service.view.log.lastSeq(subjects.event("agent", agent.agent.id))
  let refused = await write("A first word")
  for (let turn = 0; turn < 20 && refused.status === 303; turn++) refused = await write(`${turn} `.padEnd(4000, "x"))
  expect([refused.status, problemsOf(refused)]).toEqual([
    429,
    ["You have written as much as a person may in one day. Please send it again tomorrow."]
  ])
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(86_000)
  // What was typed is still there.
  expect(refused.text).toContain("x".repeat(3000))
  const { entries } = await service.view.log.read(subjects.event("agent", agent.agent.id), before, 100)
  const answers = entries.filter(({ commit }) => commit.op === "owner.answer")
  expect(answers.length).toBeGreaterThan(3)
  const messages = await Promise.all(
    answers.map(({ commit }) =>
      logOf(service.view, "owner_message", String((commit.reply as { number: number }).number))
    )
  )
  expect(Buffer.byteLength(JSON.stringify([answers, messages]))).toBeLessThan(BUDGET)
  // Who is over may still go in and out.
  expect((await owner.client.logOut()).status).toBe(303)
  expect((await owner.client.logIn()).status).toBe(303)
})

it("so do writes of the account's own, at the interface too", async () => {
  const owner = await newOwner(service.edges)
  const { agent } = await ownedBy(service.edges, owner)
  const { handle } = agent.agent
  expect(outcome(await withdraw(owner.person, handle))).toBe("200")
  let refused = await declare(owner.person, handle)
  for (let turn = 0; turn < 100 && refused.status === 201; turn++) {
    await withdraw(owner.person, handle)
    refused = await declare(owner.person, handle)
  }
  expect([outcome(refused), detailsOf(refused)]).toEqual(["429 rate_limited", SPENT])
})
