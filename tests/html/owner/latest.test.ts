/** An owner sees at once how each agent stands, what it said last and what is unread, on a narrow screen too. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { waitFor } from "../../harness/index.ts"
import { openBrowser, type TestBrowser } from "../../support/browser.ts"
import { dataOf } from "../../support/outcome.ts"
import { newOwner, ownedBy, type OwnerOf, type TestOwner } from "../../support/owner.ts"
import { sharedService, type TestService } from "../../support/service.ts"
import { overflow } from "../in-page.ts"

const NARROW = { width: 360, height: 740 }

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

const say = async ({ agent }: OwnerOf, text: string, kind = "question"): Promise<void> => {
  dataOf(await agent.client.call("POST", "/api/v1/me/owner/message", { body: { text, kind } }))
}

const rowOf = async (owner: TestOwner, { agent }: OwnerOf): Promise<string> => {
  const { text } = await owner.client.get("/owner")
  return text.split('<li class="tile">').find((row) => row.includes(`@${agent.agent.handle}`)) ?? ""
}

it("each agent stands with its state, the beginning of its last words, and how many messages nobody has read", async () => {
  const owner = await newOwner(service.edges)
  const [first, second] = [await ownedBy(service.edges, owner), await ownedBy(service.edges, owner)]
  const stranger = await newOwner(service.edges)
  await stranger.carries(first.agent)
  expect(await rowOf(owner, first)).not.toContain("It said last")
  await say(first, "An <b>early</b> word")
  await say(first, `\n${"wide".repeat(25)}\nand a second line`, "alert")
  const row = await waitFor(async () => {
    const found = await rowOf(owner, first)
    return found.includes("2 new messages.") ? found : null
  })
  expect(row).toContain(`It said last: <q><bdi>${"wide".repeat(25).slice(0, 79)}…</bdi></q>`)
  expect(row).toContain('<span class="chip good">Active</span>')
  expect(row).toContain("The agent has confirmed it.")
  expect(row).not.toContain("second line")
  expect(await rowOf(owner, second)).not.toContain("new message")

  const visit = await browser.visit(`${service.edges[0]}/agents`, { viewport: NARROW })
  await visit.to(`${service.edges[0]}/owner/login`)
  await visit.page.getByLabel("E-mail address", { exact: true }).fill(owner.client.email)
  await visit.page.getByLabel("Password", { exact: true }).fill(owner.client.password)
  await visit.page.getByRole("button", { name: "Log in", exact: true }).click()
  await visit.page.getByText("It said last").waitFor()
  expect(await visit.page.evaluate(overflow)).toBe(0)
  await visit.close()

  // Who opens the agent's page has read it.
  await owner.client.get(owner.page(first.agent))
  await waitFor(async () => !(await rowOf(owner, first)).includes("new message"))
  await service.view.command("agent.suspend", second.agent.agent.id, { reason: "a test" })
  await waitFor(async () => (await rowOf(owner, second)).includes('<span class="chip bad">Suspended</span>'))
  await stranger.client.get(stranger.page(first.agent))
})
