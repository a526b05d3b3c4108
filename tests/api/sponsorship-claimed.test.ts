/** Somebody signs up with an address of another's: its holder finds nothing of that in the way (spec 3.4; contract 22). */
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { OwnerClient, problemsOf } from "../html/owner/client.ts"
import { lettersTo, tokensTo } from "../support/outbox.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { newOwner } from "../support/owner.ts"
import { PersonClient } from "../support/person.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, answer, aPerson, declare, declared, withdraw } from "../support/sponsorship.ts"

const PASSWORD = "a new and quiet one 77"
const DECLARATIONS = 3

let service: TestService
let edge = ""

beforeAll(async () => {
  service = await testService({
    edges: 1,
    actors: 1,
    limits: {
      "rate_limits.human_register.requests": 1000,
      "rate_limits.sponsorship.requests": DECLARATIONS
    }
  })
  edge = service.edges[0] ?? ""
})
afterAll(() => service?.stop())

const refusedOf = async (person: PersonClient, agent: Awaited<ReturnType<typeof anAgent>>): Promise<void> => {
  const { id } = await declared(person, agent)
  dataOf(await answer(agent, id, "reject"))
}

const closed = async (person: PersonClient): Promise<void> => {
  dataOf(await person.call("DELETE", "/humans/me", { password: person.password, confirm: person.email }))
}

/** A new account of the address, whose holder confirms it by the letter. */
const holderOf = async (email: string): Promise<PersonClient> => {
  const holder = new PersonClient({ edge: () => edge, email })
  dataOf(await holder.signUp())
  dataOf(await holder.logIn())
  await waitFor(
    async () => {
      const tokens = await tokensTo(service, email, "/owner/verify")
      const answers = await Promise.all(tokens.map((token) => holder.call("POST", "/humans/verify-email", { token })))
      return answers.some(({ status }) => status === 200) ? true : null
    },
    { describe: "the letter of the new account" }
  )
  return holder
}

/** The holder takes the account over by a new password. */
const takenOver = async (email: string): Promise<PersonClient> => {
  const browser = new OwnerClient(() => edge)
  await browser.fill("/owner/forgot", { email })
  const [token = ""] = await tokensTo(service, email, "/owner/forgot")
  await browser.fill(`/owner/forgot?token=${token}`, { password: PASSWORD }, "/owner/forgot")
  const holder = new PersonClient({ edge: () => edge, email, password: PASSWORD })
  dataOf(await holder.logIn())
  return holder
}

test("refusals of an account that was closed keep its next nameless one away, and not the holder", async () => {
  const agent = await anAgent(service.edges)
  const stranger = await aPerson(service.edges)
  await refusedOf(stranger, agent)
  await closed(stranger)
  const again = new PersonClient({ edge: () => edge, email: stranger.email })
  dataOf(await again.signUp())
  dataOf(await again.logIn())
  const kept = await declare(again, agent.agent.handle)
  expect([outcome(kept), detailsOf(kept)["status"]]).toEqual(["409 sponsorship_exists", "refused"])
  await closed(again)
  expect(outcome(await declare(await holderOf(stranger.email), agent.agent.handle))).toBe("201")
})

test("refusals of the same account end when the holder takes it over", async () => {
  const agent = await anAgent(service.edges)
  const stranger = await aPerson(service.edges)
  await refusedOf(stranger, agent)
  expect(outcome(await declare(stranger, agent.agent.handle))).toBe("409 sponsorship_exists")
  const holder = await takenOver(stranger.email)
  expect(outcome(await declare(holder, agent.agent.handle))).toBe("201")
  // What the holder was refused holds.
  dataOf(await withdraw(holder, agent.agent.handle))
  await refusedOf(holder, agent)
  expect(outcome(await declare(holder, agent.agent.handle))).toBe("409 sponsorship_exists")
})

test("declarations of somebody else spend nothing of the holder's", async () => {
  const stranger = await aPerson(service.edges)
  for (let n = 0; n < DECLARATIONS; n++) {
    const agent = await anAgent(service.edges)
    await declared(stranger, agent)
    dataOf(await withdraw(stranger, agent.agent.handle))
  }
  expect(outcome(await declare(stranger, (await anAgent(service.edges)).agent.handle))).toBe("429 rate_limited")
  await closed(stranger)
  const holder = await holderOf(stranger.email)
  expect(outcome(await declare(holder, (await anAgent(service.edges)).agent.handle))).toBe("201")
})

test("what somebody else chose to hear by letter is forgotten: the holder hears of a new owner", async () => {
  const stranger = await newOwner(service.edges)
  expect(problemsOf(await stranger.client.change("choose_relay", { "email:message.received": "on" }))).toEqual([])
  const { email } = stranger.client
  const holder = await takenOver(email)
  const agent = await anAgent(service.edges)
  dataOf(await answer(agent, (await declared(holder, agent)).id, "confirm"))
  dataOf(await answer(agent, (await declared(await aPerson(service.edges), agent)).id, "confirm"))
  await waitFor(async () => (await lettersTo(service, email)).some((letter) => letter.includes("has another owner")), {
    describe: "the letter of the new owner"
  })
})
