/** What the links of letters do, by way of the pages; and logins of accounts that ask for a code. */
import { Effect } from "effect"
import { TOTP } from "otpauth"
import { afterAll, beforeAll, expect, test } from "vitest"
import { PasswordHashing } from "../../../edge/human/password-hash.ts"
import { waitFor } from "../../harness/index.ts"
import { lettersTo, tokensTo } from "../../support/outbox.ts"
import { newOwner, ownedBy } from "../../support/owner.ts"
import { sharedService, type TestService } from "../../support/service.ts"
import { sponsorshipsOf } from "../../support/sponsorship.ts"
import { headingOf, noticeOf, OwnerClient, problemsOf } from "./client.ts"

let service: TestService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

let turn = 0
const edge = (): string => service.edges[turn++ % service.edges.length] ?? ""

const signedUp = async (): Promise<OwnerClient> => {
  const ada = new OwnerClient(edge)
  expect((await ada.signUp()).status).toBe(303)
  return ada
}

const lastOf = (tokens: ReadonlyArray<string>): string => tokens.at(-1) ?? ""

test("an address is confirmed by a button behind the link, once; a form sent twice hears the same", async () => {
  const ada = await signedUp()
  expect((await ada.get("/owner")).text).toContain("Your address is not confirmed yet.")
  const page = `/owner/verify?token=${lastOf(await tokensTo(service, ada.email, "/owner/verify"))}`
  const visitor = new OwnerClient(edge)
  for (const _ of [1, 2]) expect(headingOf(await visitor.get(page))).toBe("Confirm your address")
  expect((await ada.get("/owner")).text).toContain("Your address is not confirmed yet.")
  const form = await visitor.form(page, "/owner/verify")
  const answers = [await visitor.post("/owner/verify", form.fields), await visitor.post("/owner/verify", form.fields)]
  expect(answers.map(({ status, headers }) => [status, headers.location])).toEqual([
    [303, "/owner"],
    [303, "/owner"]
  ])
  const led = await visitor.follow(await visitor.get("/owner"))
  expect([headingOf(led), noticeOf(led), visitor.session]).toEqual(["Log in", "Your address is confirmed.", undefined])
  expect((await ada.get("/owner")).text).not.toContain("Your address is not confirmed yet.")
  const again = await visitor.fill(page, {}, "/owner/verify")
  expect([again.status, headingOf(again)]).toEqual([400, "This link holds no longer"])
  expect((await ada.get("/owner/settings")).text).not.toContain("Send the letter again")
})

test("another letter takes the place of the first", async () => {
  const ada = await signedUp()
  const first = await tokensTo(service, ada.email, "/owner/verify")
  const sent = await ada.change("send_verification", {})
  expect(noticeOf(await ada.follow(sent))).toContain("Another letter is on its way")
  const both = await tokensTo(service, ada.email, "/owner/verify", 2)
  const newer = both.find((token) => !first.includes(token)) ?? ""
  const old = await ada.fill(`/owner/verify?token=${lastOf(first)}`, {}, "/owner/verify")
  expect(old.status).toBe(400)
  const done = await ada.fill(`/owner/verify?token=${newer}`, {}, "/owner/verify")
  expect(noticeOf(await ada.follow(done))).toBe("Your address is confirmed.")
})

test("a forgotten password is chosen anew by the link, once, and every session ends", async () => {
  const ada = await signedUp()
  const other = new OwnerClient(edge)
  await other.fill("/owner/forgot", { email: ` ${ada.email.toUpperCase()} ` })
  const token = lastOf(await tokensTo(service, ada.email, "/owner/forgot"))
  const page = `/owner/forgot?token=${token}`
  expect((await other.get(page)).text).toContain(`For the account of ${ada.email}.`)
  const form = await other.form(page, "/owner/forgot")
  const weak = await other.post("/owner/forgot", { ...form.fields, password: "grace hopper 1" })
  expect([weak.status, problemsOf(weak)]).toEqual([422, [expect.stringContaining("holds your name")]])
  expect((await ada.get("/owner")).status).toBe(200)
  const password = "chosen by a letter 7"
  const answers = [1, 2].map(() => other.post("/owner/forgot", { ...form.fields, password }))
  for (const { status, headers } of await Promise.all(answers))
    expect([status, headers.location]).toEqual([303, "/owner/login"])
  expect(noticeOf(await other.get("/owner/login"))).toContain("Your new password holds")
  for (const _ of service.edges) expect((await ada.get("/owner")).status).toBe(303)
  const late = await other.get(page)
  expect([late.status, headingOf(late)]).toEqual([400, "This link holds no longer"])
  expect((await ada.logIn()).status).toBe(422)
  expect((await ada.logIn(password)).status).toBe(303)
})

const hashing = new PasswordHashing({ atOnce: 1, waiting: 1 })

test("an account that asks for a code is entered with one", async () => {
  const ada = await signedUp()
  const id = `hum_${ada.session?.slice(4, 20)}`
  const { salt, parameters } = await service.view.command("human.salt", id, null)
  const hash = await Effect.runPromise(hashing.hash(ada.password, salt, parameters))
  const password = Buffer.from(hash).toString("base64")
  await service.view.command("human.offer_two_step", id, { password })
  const { offered } = await service.view.command("human.two_step", id, null)
  const code = new TOTP({ secret: offered?.secret ?? "" }).generate()
  const { codes } = await service.view.command("human.enable_two_step", id, { code })
  const other = ada.another()
  const asked = await other.logIn()
  expect([asked.status, problemsOf(asked)]).toEqual([422, [expect.stringContaining("asks for a code")]])
  expect(asked.text).toContain("<details open>")
  expect(asked.text).toContain('autocomplete="one-time-code"')
  const { fields } = await other.form("/owner/login")
  const typed = { ...fields, email: ada.email, password: ada.password }
  const wrong = await other.post("/owner/login", { ...typed, code: "AAAAA-AAAAA" })
  expect([wrong.status, problemsOf(wrong)]).toEqual([422, ["The code is wrong, or was used already."]])
  const [first, second] = [1, 2].map(() => other.post("/owner/login", { ...typed, code: codes[0] ?? "" }))
  expect([(await first)?.status, (await second)?.status]).toEqual([303, 303])
  const used = await ada
    .another()
    .fill("/owner/login", { email: ada.email, password: ada.password, code: codes[0] ?? "" })
  expect(used.status).toBe(422)
  expect(other.session).toMatch(/^hxh_/)
})

test("that the password was changed is told to an address that is confirmed, and to nobody who never asked", async () => {
  const [ada, eve] = [await signedUp(), await signedUp()]
  const page = `/owner/verify?token=${lastOf(await tokensTo(service, ada.email, "/owner/verify"))}`
  await ada.fill(page, {}, "/owner/verify")
  const told = async ({ email }: OwnerClient): Promise<number> =>
    (await lettersTo(service, email)).filter((letter) => letter.includes("Subject: Your password was changed")).length
  for (const who of [eve, ada]) {
    const sent = await who.change("change_password", { password: who.password, changed: "another one by far" })
    expect(sent.status).toBe(303)
  }
  await waitFor(async () => (await told(ada)) === 1 || null, { describe: "a letter" })
  expect(await told(eve)).toBe(0)
})

test("who takes an account by a letter vouches for no agent that a stranger declared with their address", async () => {
  const { agent, owner } = await ownedBy(service.edges, await newOwner(service.edges))
  const person = owner.client.another()
  await person.fill("/owner/forgot", { email: person.email })
  const page = `/owner/forgot?token=${lastOf(await tokensTo(service, person.email, "/owner/forgot"))}`
  expect((await person.fill(page, { password: "another one by far" }, "/owner/forgot")).status).toBe(303)
  const ended = await waitFor(async () => (await sponsorshipsOf(agent)).find(({ status }) => status !== "confirmed"), {
    describe: "a sponsorship that has ended"
  })
  expect(ended).toMatchObject({ status: "withdrawn", human: { id: owner.id } })
})
