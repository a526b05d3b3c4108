/**
 * A person and an agent, from the sign-up to the end: in a real browser at 360 px, by letters through a mail server, and by
 * a chat. What single steps do otherwise, their own tests show.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { violations } from "../accessible.ts"
import type { Captcha } from "../../../schemas/captcha/records.ts"
import type { OwnerMessage } from "../../../schemas/owner/records.ts"
import type { AgentSponsorship } from "../../../schemas/sponsorship/records.ts"
import { waitFor } from "../../harness/index.ts"
import { openBrowser, type TestBrowser } from "../../support/browser.ts"
import { captchaBody } from "../../support/captcha.ts"
import { mailServer, type MailServerControl } from "../../support/mail-server.ts"
import { dataOf, outcome } from "../../support/outcome.ts"
import { foundIn } from "../../support/planted.ts"
import { type TestService, testService } from "../../support/service.ts"
import { anAgent } from "../../support/sponsorship.ts"
import { Telegram } from "../../support/telegram.ts"
import { overflow } from "../in-page.ts"
import { OwnerClient } from "./client.ts"

const NARROW = { width: 360, height: 740 }
const CHAT = 800_000_123

let mail: MailServerControl
let telegram: Telegram
let service: TestService
let browser: TestBrowser
beforeAll(async () => {
  mail = await mailServer()
  telegram = await Telegram.open()
  service = await testService({
    metrics: true,
    edges: 2,
    actors: 2,
    env: { ...telegram.env, HUB_LETTERS: "smtp", HUB_SMTP_URL: `smtp://127.0.0.1:${mail.port}` }
  })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
  await telegram?.stop()
  await mail?.stop()
})

/** Lines that go on are one, and encoded signs are themselves. */
const plain = (text: string): string =>
  text
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

const letter = (to: string, part: string): Promise<string> =>
  waitFor(
    () =>
      Promise.resolve(mail.taken.find((one) => one.to.includes(to) && plain(one.text).includes(part))?.text ?? null),
    { describe: `a letter with ${part}` }
  ).then(plain)

const STORY =
  "a person signs up, carries an agent, answers it on a page and in a chat, hears of it by letter, " +
  "and leaves nothing behind"

it(STORY, async () => {
  const { client, agent } = await anAgent(service.edges)
  const [edge = "", other = ""] = service.edges
  const ada = new OwnerClient(() => edge)
  const visit = await browser.visit(`${edge}/agents`, { viewport: NARROW, colorScheme: "light", bypassCSP: true })
  const { page } = visit
  const looksWell = async (): Promise<void> => {
    expect(await violations({ page })).toEqual([])
    expect(await page.evaluate(overflow)).toBe(0)
  }
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click()
  const type = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)

  await visit.to(`${edge}/owner/signup`)
  await type("Name", ada.name)
  await type("E-mail address", ada.email)
  await type("Password", ada.password)
  await press("Make the account")
  await page.getByText("Your account is there.").waitFor()
  const [, path = ""] = /(\/owner\/verify\?token=[\w-]+)/.exec(await letter(ada.email, "/owner/verify?token=")) ?? []
  await visit.to(`${other}${path}`)
  await page
    .getByRole("main")
    .getByRole("button", { name: /confirm/i })
    .click()
  await page.getByText("Your address is confirmed.").waitFor()
  await visit.to(`${edge}/owner`)
  await type("Agent", agent.handle)
  await press("Ask the agent")
  await page.getByText("The agent has been asked").waitFor()
  const asked = await waitFor(
    async () => dataOf<ReadonlyArray<AgentSponsorship>>(await client.call("GET", "/api/v1/me/sponsorships"))[0]
  )
  expect(outcome(await client.call("POST", `/api/v1/me/sponsorships/${asked.id}/confirm`))).toBe("200")

  const ask = async (text: string): Promise<OwnerMessage> =>
    dataOf(
      await client.call("POST", "/api/v1/me/owner/message", {
        body: { text, kind: "question", options: ["Yes", "No"], wait_seconds: 25 }
      })
    )
  const onPage = ask("May I begin?")
  await waitFor(
    async () => {
      await visit.to(`${edge}/owner`)
      return (await page.getByText("It asks you").count()) > 0
    },
    { describe: "the question" }
  )
  await page.getByText("It asks you").click()
  await press("Yes")
  await page.getByText("Your answer is with the agent.").waitFor()
  expect((await onPage).answer?.text).toBe("Yes")

  await visit.to(`${edge}/owner/settings`)
  await looksWell()
  await press("Link a chat")
  await page.getByRole("heading", { level: 1, name: "Link your chat" }).waitFor()
  await looksWell()
  telegram.write(CHAT, (await page.locator("code").textContent()) ?? "")
  await telegram.heard(CHAT, "This chat is linked.")
  await visit.to(`${edge}/owner/settings`)
  await page.getByText("Your chat in Telegram is linked.").waitFor()
  await page.getByText(/By what way you hear of/).click()
  await looksWell()
  await page.getByLabel("E-mail: owner.asked").check()
  await press("Keep this choice")
  await page.getByText("From now on you hear of what you have chosen.").waitFor()

  const inChat = ask("And now, by chat?")
  const said = await telegram.heard(CHAT, "And now, by chat?")
  telegram.press(said, said.buttons[1]?.callback_data ?? "")
  const answered = await inChat
  expect([answered.answer?.text, answered.delivered_to[0]?.state]).toEqual(["No", "queued"])
  expect(await letter(ada.email, "And now, by chat?")).toContain(`/owner/agents/${agent.handle}`)

  const body = { ...(await captchaBody({ context: "The sign-up" })), wait_seconds: 25 }
  const held = client.call("POST", "/api/v1/me/captcha", { body })
  telegram.reply(await telegram.heard(CHAT, "The sign-up"), "w8 r7")
  expect(dataOf<Captcha>(await held)).toMatchObject({ state: "answered", answer: { text: "w8 r7" }, waited: true })

  await visit.to(`${edge}/owner/settings`)
  await page.locator("#delete-password").fill(ada.password)
  await type("Your e-mail address", ada.email)
  await press("Delete my account")
  await page.getByText("Your account is deleted").waitFor()
  telegram.write(CHAT, "hello?")
  await telegram.heard(CHAT, "not open to you")
  await visit.close()
  const left = [ada.email, ada.name, ada.password, String(CHAT), "And now, by chat?", "The sign-up", "w8 r7"]
  expect(await foundIn(service, left)).toEqual([])
})
