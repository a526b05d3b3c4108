/** A password that is said once more in the settings: right, it is no failure; and who hears of what it changed (spec 8). */
import { afterAll, beforeAll, expect, it } from "vitest"
import { waitFor } from "../../harness/index.ts"
import { lettersTo, tokensTo } from "../../support/outbox.ts"
import { dataOf, outcome } from "../../support/outcome.ts"
import { newOwner, type TestOwner } from "../../support/owner.ts"
import { sharedService, type TestService } from "../../support/service.ts"

const FAILURES = 5
const SETTINGS = "/owner/settings"

let service: TestService
beforeAll(async () => {
  const limits = { "limits.owner.login_failures.requests": FAILURES }
  service = await sharedService({ limits })
})
afterAll(() => service?.stop())

const said = async ({ client }: TestOwner, password: string, action: string, more: object = {}): Promise<number> =>
  (await client.fill(SETTINGS, { password, ...more }, SETTINGS, { action })).status

it("the right one is none of the failures, also where it changes nothing; a wrong one is", async () => {
  const owner = await newOwner(service.edges)
  const { password } = owner.client
  for (let turn = 0; turn < FAILURES + 2; turn++) {
    expect(await said(owner, password, "offer_two_step")).toBe(303)
    expect(await said(owner, password, "offer_passkey", { label: "Phone" })).toBe(200)
  }
  for (let turn = 0; turn < FAILURES; turn++) expect(await said(owner, "none of mine", "offer_two_step")).toBe(422)
  expect(await said(owner, password, "offer_two_step")).toBe(429)
  expect(outcome(await owner.person.logIn())).toBe("429 rate_limited")
})

const changed = async (owner: TestOwner, password: string): Promise<void> => {
  expect(await said(owner, owner.client.password, "change_password", { changed: password })).toBe(303)
}

const subjects = async ({ client }: TestOwner): Promise<ReadonlyArray<string>> =>
  (await lettersTo(service, client.email)).map((letter) => /^Subject: (.*?)\r?$/m.exec(letter)?.[1] ?? "")

it("letters of what it changed go to an address that is confirmed, and to no other", async () => {
  const [confirmed, other] = [await newOwner(service.edges), await newOwner(service.edges)]
  const [token] = await tokensTo(service, confirmed.client.email, "/owner/verify")
  dataOf(await confirmed.person.call("POST", "/humans/verify-email", { token }))
  await changed(other, "quite another secret of theirs")
  await changed(confirmed, "quite another secret of mine")
  await waitFor(async () => (await subjects(confirmed)).includes("Your password was changed"))
  expect(await subjects(other)).toEqual(["Confirm your address"])
})
