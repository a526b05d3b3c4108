/** The second step of a login: codes of an app and recovery codes (contract 20). */
import { Effect } from "effect"
import { TOTP } from "otpauth"
import { afterAll, beforeAll, expect, test } from "vitest"
import { PasswordHashing } from "../../edge/human/password-hash.ts"
import { detailsOf, outcome } from "../support/outcome.ts"
import { PersonClient } from "../support/person.ts"
import { logOf, sharedService, type TestService } from "../support/service.ts"

let service: TestService

beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

const hashing = new PasswordHashing({ atOnce: 1, waiting: 1 })

let turn = 0
const signedUp = async (): Promise<PersonClient> => {
  const person = new PersonClient({ edge: () => service.edges[turn++ % service.edges.length] ?? "" })
  expect(outcome(await person.signUp())).toBe("201")
  return person
}

/** As an edge does it. */
const hashOf = async (person: PersonClient): Promise<string> => {
  const { salt, parameters } = await service.view.command("human.salt", person.id, null)
  const hash = await Effect.runPromise(hashing.hash(person.password, salt, parameters))
  return Buffer.from(hash).toString("base64")
}

const enabled = async (person: PersonClient) => {
  const password = await hashOf(person)
  await service.view.command("human.offer_two_step", person.id, { password })
  const { offered } = await service.view.command("human.two_step", person.id, null)
  const { secret, uri } = offered ?? { secret: "", uri: "" }
  const code = new TOTP({ secret }).generate()
  const { codes } = await service.view.command("human.enable_two_step", person.id, { code })
  return { secret, uri, code, codes, password }
}

const logIn = (person: PersonClient, code?: string) =>
  person.call("POST", "/humans/login", {
    email: person.email,
    password: person.password,
    ...(code === undefined ? {} : { code })
  })

test("who asks for a code is let in with one, each used once", async () => {
  const ada = await signedUp()
  const { uri, code, codes } = await enabled(ada)
  expect(uri).toContain(encodeURIComponent(ada.email))
  expect(codes).toHaveLength(10)
  const without = await logIn(ada)
  expect([outcome(without), detailsOf(without)]).toEqual([
    "401 second_factor_required",
    { methods: ["totp", "recovery_code"] }
  ])
  // The code that switched it on is used up.
  expect(outcome(await logIn(ada, code))).toBe("401 login_failed")
  expect(outcome(await logIn(ada, codes[0]))).toBe("200")
  expect(outcome(await logIn(ada, codes[0]))).toBe("401 login_failed")
  expect(outcome(await logIn(ada, codes[1]?.toLowerCase().replace("-", " ")))).toBe("200")
  expect(await service.view.command("human.two_step", ada.id, null)).toEqual({
    enabled: true,
    codes_left: 8,
    offered: null
  })
})

test("a secret that was only offered asks for nothing, and is not switched on by another's code", async () => {
  const ada = await signedUp()
  await service.view.command("human.offer_two_step", ada.id, { password: await hashOf(ada) })
  expect(outcome(await logIn(ada))).toBe("200")
  await expect(service.view.command("human.enable_two_step", ada.id, { code: "000000" })).rejects.toThrow(/code/)
  expect(outcome(await logIn(ada))).toBe("200")
})

test("neither secret nor codes stand in the log, and new codes end those before", async () => {
  const ada = await signedUp()
  const { secret, codes, password } = await enabled(ada)
  const renewed = await service.view.command("human.renew_recovery_codes", ada.id, { password })
  expect(outcome(await logIn(ada, codes[0]))).toBe("401 login_failed")
  expect(outcome(await logIn(ada, renewed.codes[0]))).toBe("200")
  const log = JSON.stringify(await logOf(service.view, "human", ada.id))
  expect(log).toContain("human.two_step_enabled")
  for (const planted of [secret, ...codes, ada.email, ada.name, ada.password, password])
    expect(log).not.toContain(planted)
  await service.view.command("human.disable_two_step", ada.id, { password })
  expect(outcome(await logIn(ada))).toBe("200")
})
