/** What an owner hears of by letter, since somebody else may have done it: logins from new browsers, a chat or browser that is added. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { waitFor } from "../../harness/index.ts"
import { lettersTo, tokensTo } from "../../support/outbox.ts"
import { dataOf } from "../../support/outcome.ts"
import { newOwner, type TestOwner } from "../../support/owner.ts"
import { foundIn } from "../../support/planted.ts"
import { PushService } from "../../support/push-service.ts"
import { testService, type TestService } from "../../support/service.ts"
import { Telegram } from "../../support/telegram.ts"
import { formsOf } from "./client.ts"

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
const CHAT = 810_000_001

let telegram: Telegram
let service: TestService
beforeAll(async () => {
  telegram = await Telegram.open()
  service = await testService({
    metrics: true,
    edges: 2,
    actors: 1,
    env: { ...telegram.env, HUB_VAPID_KEY: Buffer.alloc(32, 7).toString("base64url") }
  })
})
afterAll(async () => {
  await service?.stop()
  await telegram?.stop()
})

const confirmed = async (owner: TestOwner): Promise<TestOwner> => {
  const [token] = await tokensTo(service, owner.client.email, "/owner/verify")
  dataOf(await owner.person.call("POST", "/humans/verify-email", { token }))
  return owner
}

const lettersOf = async ({ client }: TestOwner, subject: string): Promise<ReadonlyArray<string>> =>
  (await lettersTo(service, client.email)).filter((letter) => letter.includes(`Subject: ${subject}`))

const logIn = async ({ client }: TestOwner, browser: string): Promise<void> => {
  const { email, password } = client
  const visitor = client.another()
  const { fields } = await visitor.form("/owner/login")
  const headers = { "user-agent": browser }
  expect((await visitor.post("/owner/login", { ...fields, email, password }, headers)).status).toBe(303)
}

it("a login from a browser that the account does not know is told of once, at a confirmed address alone", async () => {
  const [owner, other] = [await confirmed(await newOwner(service.edges)), await newOwner(service.edges)]
  await logIn(other, FIREFOX)
  // The browsers of the sign-up and of the logins since are known.
  expect((await owner.client.another().logIn(owner.client.password)).status).toBe(303)
  await logIn(owner, FIREFOX)
  const [letter = ""] = await waitFor(
    async () => {
      const letters = await lettersOf(owner, "New login to your account")
      return letters.length > 0 ? letters : null
    },
    { describe: "the letter of the login" }
  )
  expect(letter).toMatch(/When: \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC/)
  expect(letter).toContain("With: Firefox on Linux")
  await logIn(owner, FIREFOX)
  await logIn(owner, "curl/8.5.0")
  await owner.client.change("change_password", { password: owner.client.password, changed: "quite another of theirs" })
  await waitFor(async () => (await lettersOf(owner, "Your password was changed")).length > 0)
  expect(await lettersOf(owner, "New login to your account")).toHaveLength(1)
  expect(await lettersOf(other, "New login to your account")).toEqual([])
  // What a browser is called stands nowhere in clear.
  expect(await foundIn(service, ["Firefox on Linux"])).toEqual([])
})

it("a browser that is subscribed is told of once", async () => {
  const owner = await confirmed(await newOwner(service.edges))
  const push = await PushService.open()
  const { fields } = push.browser()
  await push.stop()
  for (let count = 0; count < 2; count++) {
    const page = await owner.client.change("offer_push", {})
    const form = formsOf(page.text).find(({ fields: hidden }) => hidden["action"] === "subscribe_push")
    expect((await owner.client.post("/owner/settings", { ...form?.fields, ...fields })).status).toBe(303)
  }
  await owner.client.change("change_password", { password: owner.client.password, changed: "quite another of theirs" })
  await waitFor(async () => (await lettersOf(owner, "Your password was changed")).length > 0)
  expect(await lettersOf(owner, "A browser was added to your account")).toHaveLength(1)
})

it("a chat that is linked is told of", async () => {
  const owner = await confirmed(await newOwner(service.edges))
  const offered = await owner.client.change("offer_chat", {})
  telegram.write(CHAT, /<code>(\/start [\w-]+)<\/code>/.exec(offered.text)?.[1] ?? "")
  await telegram.heard(CHAT, "This chat is linked.")
  await waitFor(async () => (await lettersOf(owner, "A chat was linked to your account")).length === 1)
})
