/** What is sent again is no second draw on a limit, and what was right is no failure (contract 11, 13, 20). */
import { TOTP } from "otpauth"
import { afterAll, beforeAll, expect, test } from "vitest"
import { detailsOf, outcome } from "../../support/outcome.ts"
import { PersonClient } from "../../support/person.ts"
import { testService, type TestService } from "../../support/service.ts"
import { anAgent, declare } from "../../support/sponsorship.ts"
import { OwnerClient, problemsOf } from "./client.ts"

const SETTINGS = "/owner/settings"

let service: TestService
beforeAll(async () => {
  const limits = {
    "rate_limits.human_register.requests": 3,
    "rate_limits.sponsorship.requests": 2,
    "limits.owner.login_failures.requests": 2
  }
  service = await testService({ edges: 2, actors: 1, limits })
})
afterAll(() => service?.stop())

let turn = 0
const edge = (): string => service.edges[turn++ % service.edges.length] ?? ""

test("a sign-up that is sent again is none more, at once or later; a try with other words is one", async () => {
  const ada = new OwnerClient(edge)
  const { name, email, password } = ada
  const { fields } = await ada.form("/owner/signup")
  const sent = { ...fields, name, email, password }
  const both = await Promise.all([ada.post("/owner/signup", sent), ada.post("/owner/signup", sent)])
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  ada.cookies.delete("hub_owner")
  expect((await ada.post("/owner/signup", sent)).status).toBe(303)
  ada.cookies.delete("hub_owner")
  const other = { ...sent, email: `another-${email}` }
  expect((await ada.post("/owner/signup", other)).status).not.toBe(429)
  expect((await new OwnerClient(edge).signUp()).status).toBe(303)
  ada.cookies.delete("hub_owner")
  expect((await ada.post("/owner/signup", sent)).status).toBe(303)
  expect((await new OwnerClient(edge).signUp()).status).toBe(429)

  // The account that is made goes on.
  const person = new PersonClient({ edge, name, email, password })
  await person.logIn()
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => anAgent(service.edges)))
  if (first === undefined || second === undefined || third === undefined) throw new Error("no agents")

  // Of declarations, what was sent again and what is refused counts for nothing.
  const form = await ada.form("/owner", "/owner", { action: "declare" })
  const declaring = { ...form.fields, agent: first.agent.handle, role: "creator" }
  for (const _ of [1, 2, 3]) expect((await ada.post("/owner", declaring)).status).toBe(303)
  for (const _ of [1, 2, 3]) expect(outcome(await declare(person, first.agent.handle))).toBe("409 sponsorship_exists")
  const key = { "idempotency-key": "once" }
  const body = { agent: second.agent.handle }
  for (const _ of [1, 2]) expect(outcome(await person.call("POST", "/humans/me/agents", body, key))).toBe("201")
  const refused = await declare(person, third.agent.handle)
  expect([outcome(refused), detailsOf(refused)]).toEqual([
    "429 rate_limited",
    { bucket: "sponsorship", limit: 2, window_seconds: 86_400, retry_after: expect.any(Number) }
  ])
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(86_000)

  // A login that is asked for its code has failed in nothing; one with a wrong code has.
  await ada.change("offer_two_step", { password })
  const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec((await ada.get(SETTINGS)).text)?.[1]?.replaceAll(" ", "") ?? ""
  const shown = await ada.change("enable_two_step", { code: new TOTP({ secret }).generate() })
  const recovery = /<li><code>([^<]+)<\/code>/.exec(shown.text)?.[1] ?? ""
  const logIn = (code: string) => ada.another().fill("/owner/login", { email, password, code })
  for (const _ of [1, 2, 3, 4]) {
    const asked = await logIn("")
    expect([asked.status, problemsOf(asked)]).toEqual([422, [expect.stringContaining("asks for a code")]])
  }
  expect((await logIn(recovery)).status).toBe(303)
  expect([(await logIn("000000")).status, (await logIn("000000")).status]).toEqual([422, 422])
  expect((await logIn("")).status).toBe(429)
})
