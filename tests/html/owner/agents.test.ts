/** A person and an agent find together: by pages in a real browser at 360 px, by a letter, and by the agent's own requests. */
import { afterAll, beforeAll, expect, it, test } from "vitest"
import { violations } from "../accessible.ts"
import type { AgentSponsorship } from "../../../schemas/sponsorship/records.ts"
import type { OwnerMessage } from "../../../schemas/owner/records.ts"
import { waitFor } from "../../harness/index.ts"
import { openBrowser, type TestBrowser } from "../../support/browser.ts"
import { AgentClient } from "../../support/client.ts"
import { tokensTo } from "../../support/outbox.ts"
import { dataOf, outcome } from "../../support/outcome.ts"
import { register, type Registered } from "../../support/register.ts"
import { sharedService, type TestService } from "../../support/service.ts"
import { overflow } from "../in-page.ts"
import { noticeOf, OwnerClient, problemsOf } from "./client.ts"

const NARROW = { width: 360, height: 740 }
const MINE = "/api/v1/me/sponsorships"

let service: TestService
let browser: TestBrowser
beforeAll(async () => {
  service = await sharedService()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

let turn = 0
const anEdge = (): string => service.edges[turn++ % service.edges.length] ?? ""

const newAgent = async (): Promise<{ client: AgentClient; agent: Registered }> => {
  const client = new AgentClient({ edge: anEdge })
  return { client, agent: await register(client, { edge: service.edges[0] ?? "" }) }
}

const asked = (client: AgentClient): Promise<AgentSponsorship> =>
  waitFor(async () => dataOf<ReadonlyArray<AgentSponsorship>>(await client.call("GET", MINE))[0])

it("somebody signs up, confirms the address by the letter, asks an agent, is confirmed, and withdraws", async () => {
  const { client, agent } = await newAgent()
  const ada = new OwnerClient(anEdge)
  const edge = service.edges[0] ?? ""
  const visit = await browser.visit(`${edge}/agents`, { viewport: NARROW, colorScheme: "light", bypassCSP: true })
  const { page } = visit
  const looksWell = async (): Promise<void> => {
    expect(await violations({ page })).toEqual([])
    expect(await page.evaluate(overflow)).toBe(0)
  }
  const press = (name: string) => page.getByRole("button", { name }).click()

  await visit.to(`${edge}/owner/signup`)
  await page.getByLabel("Name", { exact: true }).fill(ada.name)
  await page.getByLabel("E-mail address", { exact: true }).fill(ada.email)
  await page.getByLabel("Password", { exact: true }).fill(ada.password)
  await press("Make the account")
  await page.getByText("Your account is there.").waitFor()

  const [token] = await tokensTo(service, ada.email, "/owner/verify")
  await visit.to(`${edge}/owner/verify?token=${token}`)
  await looksWell()
  await page
    .getByRole("main")
    .getByRole("button", { name: /confirm/i })
    .click()
  await page.getByText("Your address is confirmed.").waitFor()

  await visit.to(`${edge}/owner`)
  await page.getByLabel("Agent", { exact: true }).fill("nobody-has-this")
  await press("Ask the agent")
  await page.getByText("There is no such agent.").waitFor()
  await looksWell()
  await page.getByLabel("Agent", { exact: true }).fill(agent.handle)
  await page.getByLabel("I made it").check()
  await press("Ask the agent")
  await page.getByText("The agent has been asked").waitFor()
  await looksWell()

  const declared = await asked(client)
  expect(declared).toMatchObject({
    status: "pending",
    role: "creator",
    human: { name: ada.name, verification: "email" }
  })
  expect(outcome(await client.call("POST", `${MINE}/${declared.id}/confirm`))).toBe("200")
  await visit.to(`${edge}/owner`)
  await page.getByText("The agent has confirmed it").waitFor()
  await looksWell()
  await visit.to(`${edge}/agents/${agent.handle}`)
  await page.getByText(ada.name).first().waitFor()

  // It asks with a wait; its owner answers by one button, on a phone.
  const ask = (body: object) => client.call("POST", "/api/v1/me/owner/message", { body })
  const held = ask({
    text: "May I buy <b>it</b>?\nIt costs 5 EUR.",
    kind: "request",
    options: ["Yes", "No"],
    wait_seconds: 25
  })
  await waitFor(
    async () => {
      await visit.to(`${edge}/owner`)
      return (await page.getByText("It asks you").count()) > 0
    },
    { describe: "the question in the owner's space" }
  )
  await looksWell()
  await page.getByText("It asks you").click()
  await page.getByText("May I buy <b>it</b>?").waitFor()
  await looksWell()
  await page.getByRole("button", { name: "Yes", exact: true }).click()
  await page.getByText("Your answer is with the agent.").waitFor()
  await looksWell()
  expect(dataOf<OwnerMessage>(await held)).toMatchObject({ waited: true, answer: { text: "Yes" } })
  await page.getByLabel(`To @${agent.handle}`).fill("Mind the budget.\nThanks!")
  await press("Send")
  await page.getByText("The agent has your words.").waitFor()
  const [written] = dataOf<ReadonlyArray<OwnerMessage>>(await client.call("GET", "/api/v1/me/owner/messages"))
  expect(written).toMatchObject({ direction: "to_agent", text: "Mind the budget.\nThanks!" })
  await page.getByLabel(`To @${agent.handle}`).fill("4111 1111 1111 1111")
  await press("Send")
  await page.getByText("looks like a secret").waitFor()
  await looksWell()

  await visit.to(`${edge}/owner`)
  await page.locator("summary", { hasText: "Withdraw" }).click()
  await press("Withdraw")
  await page.getByText("You have withdrawn it").waitFor()
  expect(await asked(client)).toMatchObject({ status: "withdrawn" })
})

test("a form that is sent twice asks once, and another agent's button is no way to this one", async () => {
  const { client, agent } = await newAgent()
  const other = await newAgent()
  const ada = new OwnerClient(anEdge)
  await ada.fill("/owner/signup", { name: ada.name, email: ada.email, password: ada.password })
  const form = await ada.form("/owner", "/owner", { action: "declare" })
  const fields = { ...form.fields, agent: agent.handle, role: "guarantor" }
  const both = [await ada.post("/owner", fields), await ada.post("/owner", fields)]
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  expect(dataOf<ReadonlyArray<AgentSponsorship>>(await client.call("GET", MINE))).toHaveLength(1)
  expect(noticeOf(await ada.get("/owner"))).toContain("The agent is asked")

  const again = await ada.fill("/owner", { agent: agent.handle, role: "guarantor" }, "/owner", { action: "declare" })
  expect([again.status, problemsOf(again)]).toEqual([409, [expect.stringContaining("asked this agent already")]])
  const withdrawing = await ada.form("/owner", "/owner", { action: "withdraw" })
  const forged = await ada.post("/owner", { ...withdrawing.fields, agent: other.agent.handle })
  expect(forged.status).toBe(403)
  expect((await ada.post("/owner", withdrawing.fields)).status).toBe(303)
  expect(await asked(client)).toMatchObject({ status: "withdrawn" })
})
