/** Accounts of people: sign-up, login, sessions and their end, over two edges (spec 4.8; contract 6, 20). */
import { afterAll, beforeAll, expect, test } from "vitest"
import { LIMITS } from "../../schemas/limits.ts"
import { tokensTo } from "../support/outbox.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { PersonClient, type PersonOptions } from "../support/person.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService

beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

let turn = 0
/** At either edge, by turns. */
const person = (options: Partial<PersonOptions> = {}): PersonClient =>
  new PersonClient({ edge: () => service.edges[turn++ % service.edges.length] ?? "", ...options })

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

test("a person signs up, logs in, sees the account at either edge, and logs out of both", async () => {
  const ada = person({ name: "Ada Lovelace" })
  const signedUp = await ada.signUp()
  const account = { id: ada.id, name: ada.name, email: ada.email, email_verified: false, created_at: TIME }
  const own = { ...account, sponsorships: [] }
  expect([signedUp.status, dataOf(signedUp)]).toEqual([201, own])
  expect(ada.id).toMatch(/^hum_[a-z2-7]{16}$/)
  const loggedIn = await ada.logIn()
  expect(dataOf(loggedIn)).toEqual({
    token: expect.stringMatching(/^hxh_[a-z2-7]{16}[\w-]{43}$/),
    expires_at: TIME,
    human: own
  })
  for (const _ of service.edges) expect(dataOf(await ada.call("GET", "/humans/me"))).toEqual(own)
  const shown = await person().call("GET", `/humans/${ada.id}`)
  expect(dataOf(shown)).toEqual({ id: ada.id, name: ada.name, created_at: TIME, verification: "none", agents: [] })
  expect(dataOf(await ada.call("POST", "/humans/logout"))).toEqual({ revoked: true })
  for (const _ of service.edges) expect(outcome(await ada.call("GET", "/humans/me"))).toBe("401 session_invalid")
})

test("an address has one account, however it is spelled", async () => {
  const ada = person()
  await ada.signUp()
  const again = person({ email: `  ${ada.email.toUpperCase()} ` })
  expect(outcome(await again.signUp())).toBe("409 human_email_taken")
  expect(outcome(await person({ email: `  ${ada.email.toUpperCase()} `, password: ada.password }).logIn())).toBe("200")
})

test("of two who sign up at once with one address, one has it", async () => {
  const { email } = person()
  const answers = await Promise.all([1, 2, 3].map(() => person({ email }).signUp()))
  expect(answers.map(outcome).toSorted()).toEqual(["201", "409 human_email_taken", "409 human_email_taken"])
})

test("a wrong password and an address that nobody has are told alike", async () => {
  const ada = person()
  await ada.signUp()
  const wrong = await ada.logIn("something else entirely")
  const nobody = await person().logIn()
  expect(outcome(wrong)).toBe("401 login_failed")
  expect(nobody.json.error).toEqual(wrong.json.error)
  expect(wrong.headers["www-authenticate"]).toBe("Bearer")
})

test.each([
  ["no token", {}, "401 authentication_required"],
  ["another scheme", { authorization: "Basic aGk6aGk=" }, "401 session_invalid"],
  ["a token of another kind", { authorization: `Bearer hxv_${"a".repeat(59)}` }, "401 session_invalid"],
  ["a token of nobody", { authorization: `Bearer hxh_${"a".repeat(59)}` }, "401 session_invalid"]
])("%s opens nothing", async (_what, headers, refused) => {
  expect(outcome(await person().call("GET", "/humans/me", undefined, headers))).toBe(refused)
})

test.each([
  ["too short", "short one", "length"],
  ["common", "password123", "common"],
  ["their name", "grace hopper 1", "personal"]
])("a password that is %s is refused, and the reason said", async (_what, password, rule) => {
  const answer = await person({ password }).signUp()
  expect([outcome(answer), detailsOf(answer)]).toEqual([
    "422 validation_error",
    expect.objectContaining({ field: "password" })
  ])
  if (rule !== "length") expect(detailsOf(answer)).toMatchObject({ rule })
})

test("the link of a letter confirms the address once, and a newer letter ends older links", async () => {
  const ada = person()
  await ada.signUp()
  const confirm = async (token: string) => person().call("POST", "/humans/verify-email", { token })
  const [first = ""] = await tokensTo(service, ada.email, "/owner/verify")
  await ada.logIn()
  expect(outcome(await ada.call("POST", "/humans/me/verify-email"))).toBe("202")
  const both = await tokensTo(service, ada.email, "/owner/verify", 2)
  const second = both.find((token) => token !== first) ?? ""
  expect(outcome(await confirm(first))).toBe("400 token_invalid")
  expect(outcome(await confirm("not a token"))).toBe("400 token_invalid")
  expect(dataOf(await confirm(second))).toEqual({ email_verified: true })
  expect(outcome(await confirm(second))).toBe("400 token_invalid")
  expect(dataOf(await ada.call("GET", "/humans/me"))).toMatchObject({ email_verified: true })
  expect(dataOf(await ada.call("GET", `/humans/${ada.id}`))).toMatchObject({ verification: "email" })
  expect(outcome(await ada.call("POST", "/humans/me/verify-email"))).toBe("409 already_verified")
})

test("what a person sends twice under one Idempotency-Key is done once, whichever edge and token", async () => {
  const ada = person()
  await ada.signUp()
  await ada.logIn()
  const key = { "idempotency-key": "letter-1" }
  const first = await ada.call("POST", "/humans/me/verify-email", undefined, key)
  expect([first.status, dataOf(first)]).toEqual([202, { sent: true }])
  await ada.logIn()
  for (const _ of service.edges) {
    const again = await ada.call("POST", "/humans/me/verify-email", undefined, key)
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([202, "true"])
  }
  const other = await ada.call("POST", "/humans/me/verify-email", { another: "body" }, key)
  expect(outcome(other)).toBe("422 idempotency_conflict")
  // One of these letters has gone out, beside that of the sign-up; two more may.
  for (let letter = 2; letter <= LIMITS.limits.owner.verify_letters.requests; letter++)
    expect(outcome(await ada.call("POST", "/humans/me/verify-email"))).toBe("202")
  const many = await ada.call("POST", "/humans/me/verify-email")
  expect([outcome(many), Number(many.headers["retry-after"]) > 0]).toEqual(["429 rate_limited", true])
})

test("an account that is deleted is gone everywhere, and its address is free", async () => {
  const ada = person()
  await ada.signUp()
  await ada.logIn()
  const bare = await ada.call("DELETE", "/humans/me")
  expect([outcome(bare), detailsOf(bare)]).toEqual(["422 confirmation_required", { field: "confirm" }])
  const { password, email } = ada
  expect(outcome(await ada.call("DELETE", "/humans/me", { password: "not the right one", confirm: email }))).toBe(
    "401 login_failed"
  )
  expect(outcome(await ada.call("DELETE", "/humans/me", { password, confirm: "else@example.com" }))).toBe(
    "422 confirmation_required"
  )
  expect(dataOf(await ada.call("DELETE", "/humans/me", { password, confirm: email }))).toEqual({
    deleted: true,
    id: ada.id
  })
  expect(outcome(await ada.call("GET", "/humans/me"))).toBe("401 session_invalid")
  expect(outcome(await ada.call("GET", `/humans/${ada.id}`))).toBe("404 not_found")
  expect(outcome(await ada.logIn())).toBe("401 login_failed")
  const next = person({ email })
  expect(outcome(await next.signUp())).toBe("201")
  expect(next.id).not.toBe(ada.id)
})
