/** An action of the console: asked with a reason, carried out once, and told by the log with who and why. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { operate } from "../support/hub.ts"
import { logOf } from "../support/service.ts"
import { waitFor } from "../harness/index.ts"
import { aSender, closeSending, DOMAIN, openSending, send, service, stranger, world } from "../api/sending.ts"
import { headingOf, noticeOf } from "../html/owner/client.ts"
import { OperatorClient, startConsole, type TestConsole } from "./desk.ts"

let desk: TestConsole
beforeAll(async () => {
  await openSending({ "limits.email.pause_recipients_min": 2 })
  desk = await startConsole(service, { HUB_MAIL_PROVIDER: "smtp", HUB_MAIL_DOMAIN: DOMAIN })
})
afterAll(async () => {
  await desk?.stop()
  await closeSending()
})

/** Nobody has it. */
const nobody = (): string => {
  const to = stranger()
  world.refuses.set(to.slice(0, to.indexOf("@")), { at: "rcpt", code: 550, says: "5.1.1 nobody" })
  return to
}

const resumed = async () =>
  (await logOf(service.view, "mail_service", "service")).filter(({ commit }) => commit.op === "mail_service.resume")

test("mail that is paused is resumed once, by somebody and for a reason", async () => {
  const client = new OperatorClient(desk.url)
  await client.enterBy(await desk.link("grace"))
  expect((await client.get("/")).text).toContain("Mail is sent.")
  // One sender alone pauses nobody.
  const senders = [await aSender(), await aSender(), await aSender()]
  await Promise.all(senders.map((sender) => send(sender, { to: [nobody()] })))
  await waitFor(async () => (await client.get("/")).text.includes("Mail is paused since"))

  const form = await client.form("/", "/act/resume-mail")
  expect((await client.get("/")).text).toContain("Agents&#39; mail is sent again.")
  const silent = await client.post(form.action, { ...form.fields, why: " " })
  expect([silent.status, headingOf(silent)]).toEqual([422, "Resume mail"])
  expect((await client.post(form.action, { why: "without its token" })).status).toBe(403)
  expect(await resumed()).toEqual([])

  const sent = { ...form.fields, why: "the bounces were a typing error" }
  const done = await client.post(form.action, sent)
  expect([done.status, done.headers.location]).toEqual([303, "/"])
  expect(noticeOf(await client.get("/"))).toBe("Mail is sent again.")
  expect((await client.post(form.action, sent)).status).toBe(303)
  const commits = (await resumed()).map(({ commit }) => commit)
  expect(commits).toMatchObject([{ why: sent.why }])
  expect(commits[0]?.id).toMatch(/^operator-grace-[0-9a-f]{24}$/)
  const history = await operate(service.system, ["replay", "mail_service", "service"])
  expect(history).toContain("by operator grace")
  expect(history).toContain("why: the bounces were a typing error")
})

test("mail is paused by an operator, once, and agents are told", async () => {
  const client = new OperatorClient(desk.url)
  await client.enterBy(await desk.link("ada"))
  const form = await client.form("/", "/act/pause-mail")
  const sent = { ...form.fields, why: "the provider asks for it" }
  expect((await client.post(form.action, sent)).status).toBe(303)
  expect((await client.post(form.action, sent)).status).toBe(303)
  const { text } = await client.get("/")
  expect(text).toContain("Mail is paused since")
  expect(text).toContain("/act/resume-mail")
  const paused = (await logOf(service.view, "mail_service", "service")).filter(
    ({ commit }) => commit.op === "mail_service.pause"
  )
  expect(paused.map(({ commit }) => commit)).toMatchObject([{ why: "the provider asks for it" }])
  expect(paused[0]?.commit.id).toMatch(/^operator-ada-[0-9a-f]{24}$/)
  const refused = await send(await aSender(), { to: [stranger()] })
  expect(refused.json.error).toMatchObject({ code: "email_paused" })
  expect(await operate(service.system, ["mail", "pause"])).toContain("mail was paused already")
  expect(await operate(service.system, ["mail", "resume"])).toContain("mail is sent again")
  expect(await operate(service.system, ["mail", "pause"])).toContain("no mail is sent until")
})

test("an action that there is not changes nothing", async () => {
  const client = new OperatorClient(desk.url)
  await client.enterBy(await desk.link())
  expect((await client.post("/act/nothing", { why: "to see" })).status).toBe(404)
  expect((await client.get("/act/resume-mail")).status).toBe(404)
})
