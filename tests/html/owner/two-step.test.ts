/** The second step of the login, set up and taken away by pages (contract 20). */
import { TOTP } from "otpauth"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Answer } from "../../support/http.ts"
import { sharedService, type TestService } from "../../support/service.ts"
import { headingOf, noticeOf, OwnerClient, problemsOf } from "./client.ts"

const SETTINGS = "/owner/settings"

let service: TestService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

let turn = 0
const signedUp = async (): Promise<OwnerClient> => {
  const person = new OwnerClient(() => service.edges[turn++ % service.edges.length] ?? "")
  const { name, email, password } = person
  expect((await person.fill("/owner/signup", { name, email, password })).status).toBe(303)
  return person
}

const secretOn = ({ text }: Answer): string => /<code>([A-Z2-7 ]+)<\/code>/.exec(text)?.[1]?.replaceAll(" ", "") ?? ""
const codesOn = ({ text }: Answer): ReadonlyArray<string> =>
  [...text.matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code]) => code ?? "")

const logIn = async (person: OwnerClient, code: string): Promise<Answer> => {
  person.cookies.clear()
  const { email, password } = person
  return person.fill("/owner/login", { email, password, code })
}

test("an app is let in on, its codes asked for, lost and done without", async () => {
  const ada = await signedUp()
  const { password } = ada
  const wrong = await ada.change("offer_two_step", { password: "not the right one" })
  expect([wrong.status, problemsOf(wrong)]).toEqual([422, ["This is not your password."]])
  expect((await ada.change("offer_two_step", { password })).status).toBe(303)
  const offered = await ada.get(SETTINGS)
  expect(noticeOf(offered)).toContain("let your app read the code")
  expect(offered.text).toContain("<svg")
  expect(offered.headers["cache-control"]).toBe("no-store")
  const totp = new TOTP({ secret: secretOn(offered) })

  const mistyped = await ada.change("enable_two_step", { code: "12345" })
  expect([mistyped.status, problemsOf(mistyped)]).toEqual([422, [expect.stringContaining("code is wrong")]])
  const form = await ada.form(SETTINGS, SETTINGS, { action: "enable_two_step" })
  const enabling = { ...form.fields, code: totp.generate() }
  const shown = await ada.post(SETTINGS, enabling)
  expect([shown.status, headingOf(shown), shown.headers["cache-control"]]).toEqual([200, "Recovery codes", "no-store"])
  const codes = codesOn(shown)
  expect(codes).toHaveLength(10)
  // The form sent again shows the same, and makes no others.
  expect(codesOn(await ada.post(SETTINGS, enabling))).toEqual(codes)
  expect((await ada.get(SETTINGS)).text).not.toContain(codes[0])

  expect((await logIn(ada, "")).status).toBe(422)
  expect((await logIn(ada, codes[0] ?? "")).status).toBe(303)
  expect((await ada.get(SETTINGS)).text).toContain("9 recovery codes are left")
  const renewed = codesOn(await ada.change("renew_codes", { password }))
  expect(renewed).toHaveLength(10)
  expect((await logIn(ada, codes[1] ?? "")).status).toBe(422)
  expect((await logIn(ada, renewed[0] ?? "")).status).toBe(303)

  expect((await ada.change("disable_two_step", { password })).status).toBe(303)
  expect(noticeOf(await ada.get(SETTINGS))).toContain("asks for no code")
  expect((await logIn(ada, "")).status).toBe(303)
})
