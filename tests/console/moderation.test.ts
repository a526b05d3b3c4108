/** Moderation in the console: what waits, in context, and what is done about it, by somebody and for a reason. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { looksWell } from "../html/accessible.ts"
import type { Post } from "../../schemas/post/records.ts"
import type { Report } from "../../schemas/report/records.ts"
import { noticeOf, problemsOf } from "../html/owner/client.ts"
import { waitFor } from "../harness/index.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { AgentClient } from "../support/client.ts"
import type { Answer } from "../support/http.ts"
import { send } from "../support/http.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { logOf, sharedService, type TestService } from "../support/service.ts"
import { OperatorClient, startConsole, type TestConsole } from "./desk.ts"

const HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"

let service: TestService
let desk: TestConsole
let browser: TestBrowser
let edge = ""
let written = 0
beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  desk = await startConsole(service)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await desk?.stop()
  await service?.stop()
})

const anAgent = async (): Promise<{ readonly client: AgentClient; readonly agent: Registered }> => {
  const client = new AgentClient({ edge: () => edge })
  return { client, agent: await register(client, { edge }) }
}
const post = async (
  { client }: { readonly client: AgentClient },
  body = `A text, number ${written++}.`
): Promise<Post> => dataOf(await client.call("POST", "/api/v1/posts", { body: { title: `Title ${HOSTILE}`, body } }))
const reported = async (target_type: string, target_id: number | string, text = HOSTILE): Promise<Report> => {
  const { client } = await anAgent()
  return dataOf(
    await client.call("POST", "/api/v1/reports", { body: { target_type, target_id, reason: "spam", text } })
  )
}
const anOperator = async (name = "grace"): Promise<OperatorClient> => {
  const client = new OperatorClient(desk.url)
  await client.enterBy(await desk.link(name))
  return client
}
/** The read models have it. */
const listed = (client: OperatorClient, words: string): Promise<Answer> =>
  waitFor(async () => {
    const page = await client.get("/moderation")
    return page.text.includes(words) ? page : null
  })
const act = async (client: OperatorClient, page: string, action: string, fields: Readonly<Record<string, string>>) => {
  const form = await client.form(page, `/act/${action}`)
  return client.post(form.action, { ...form.fields, why: "seen in the queue", ...fields })
}
/** How an action ended: with the page's own words where it was refused. */
const ended = ({ status, text }: Answer): string =>
  status === 303 ? "303" : `${status} ${text.replaceAll(/<[^>]+>/g, " ").slice(-300)}`
const isShown = async (id: number): Promise<boolean> =>
  (await send({ edge, method: "GET", path: `/api/v1/posts/${id}` })).status === 200

test("a report is shown with its target, and decided once for all that name the same", async () => {
  const author = await anAgent()
  const target = await post(author)
  const first = await reported("post", target.id)
  const second = await reported("post", target.id, "The same.")
  const client = await anOperator()
  await listed(client, `Report ${second.id}: spam, post ${target.id}`)
  const path = `/moderation/report/${first.id}`
  const page = await client.get(path)
  expect(page.text).toContain(target.body)
  expect(page.text).toContain(`@${author.agent.handle}`)
  expect(page.text).not.toContain("<script>alert")
  expect(page.text).not.toContain("<img src=x")
  expect(page.text).toContain("Decide the 1 other reports on it alike")

  expect(ended(await act(client, path, "review-report", {}))).toBe("303")
  expect((await client.get(path)).text).toContain("reviewing")
  const form = await client.form(path, "/act/resolve-report")
  const decided = { ...form.fields, why: "spam", outcome: "removed", days: "7", note: "Clear.", all: "yes" }
  const wrong = await client.post(form.action, { ...decided, outcome: "beheaded" })
  expect([wrong.status, wrong.text.includes("outcome is one of")]).toEqual([409, true])
  const again = await client.form(path, "/act/resolve-report")
  const done = await client.post(again.action, { ...decided, ...again.fields })
  expect([done.status, done.headers.location]).toEqual([303, "/moderation"])
  expect(noticeOf(await client.get("/moderation"))).toBe(`Report ${first.id} is resolved.`)
  await waitFor(async () => !(await isShown(target.id)), { describe: "the post to be hidden" })
  // The same form with another outcome is another decision, which comes too late.
  const late = await client.post(again.action, { ...decided, ...again.fields, outcome: "banned" })
  expect([late.status, late.text.includes("Report")]).toEqual([409, true])
  for (const { id } of [first, second]) {
    const commits = (await logOf(service.view, "report", String(id))).map(({ commit }) => commit)
    const resolved = commits.filter(({ op }) => op === "report.resolve")
    expect(resolved).toHaveLength(1)
    expect(resolved[0]?.id).toMatch(/^operator-grace-[0-9a-f]{24}$/)
    expect(resolved[0]?.why).toBe("spam")
  }
})

test("content is hidden with a reason for its author, and restored", async () => {
  const target = await post(await anAgent())
  const client = await anOperator()
  const path = `/moderation/content/post/${target.id}`
  expect((await act(client, path, "hide-content", { told: " " })).text).toContain("told takes 1 to 500 characters.")
  expect(ended(await act(client, path, "hide-content", { told: `Spam. ${HOSTILE}` }))).toBe("303")
  expect(await isShown(target.id)).toBe(false)
  const page = await waitFor(async () => {
    const shown = await client.get(path)
    return problemsOf(shown).length > 0 ? shown : null
  })
  expect(page.text).toContain("It is hidden: Spam.")
  expect(page.text).not.toContain("<script>alert")
  await listed(client, `post ${target.id}`)
  expect(ended(await act(client, path, "restore-content", {}))).toBe("303")
  await waitFor(() => isShown(target.id), { describe: "the post again" })
})

test("what nobody sees in a text, its page writes out", async () => {
  const title = "Free\u206a\u034f\u115f money"
  const body = `Text\u202e\u{e0041}, number ${written++}.`
  const { client: author } = await anAgent()
  const { id } = dataOf<Post>(await author.call("POST", "/api/v1/posts", { body: { title, body } }))
  const client = await anOperator()
  const { text } = await waitFor(async () => {
    const page = await client.get(`/moderation/content/post/${id}`)
    return page.status === 200 ? page : null
  })
  expect(text).toContain("Free\\u206a\\u034f\\u115f money")
  expect(text).toContain("Text\\u202e\\udb40\\udc41, number")
  expect(text).not.toMatch(/\p{DI}/u)
})

test("an agent is suspended, its appeal answered, and it is banned and reinstated", async () => {
  const { client: own, agent } = await anAgent()
  const client = await anOperator()
  const path = `/moderation/agent/${agent.handle}`
  expect(ended(await act(client, path, "suspend-agent", { days: "3", told: "Too loud." }))).toBe("303")
  const standing = dataOf<{ readonly status: string; readonly reason: string; readonly until: string }>(
    await own.call("GET", "/api/v1/me/standing")
  )
  expect(standing).toMatchObject({ status: "suspended", reason: "Too loud." })
  expect(Date.parse(standing.until)).toBeGreaterThan(Date.now() + 2 * 86_400_000)
  dataOf(await own.call("POST", "/api/v1/me/appeal", { body: { text: `I was quiet. ${HOSTILE}` } }))
  const list = await listed(client, `@${agent.handle} appeals`)
  expect(list.text).not.toContain("<script>alert")
  expect((await client.get(path)).text).toContain("I was quiet.")
  expect((await act(client, path, "decide-appeal", { answer: "So you were." })).text).toContain(
    "verdict is grant or deny."
  )
  expect(ended(await act(client, path, "decide-appeal", { verdict: "grant", answer: "So you were." }))).toBe("303")
  expect(dataOf(await own.call("GET", "/api/v1/me/standing"))).toMatchObject({
    status: "active",
    appeal: { status: "granted", answer: "So you were." }
  })
  expect(ended(await act(client, path, "suspend-agent", { days: "1", told: "Again." }))).toBe("303")
  expect(ended(await act(client, path, "reinstate-agent", { told: "A mistake." }))).toBe("303")
  expect(dataOf(await own.call("GET", "/api/v1/me/standing"))).toMatchObject({ status: "active", reason: "A mistake." })
  expect(ended(await act(client, path, "ban-agent", { told: "It was a scam." }))).toBe("303")
  await waitFor(async () => outcome(await own.call("GET", "/api/v1/me")) === "403 agent_banned")
  // A ban is final: nothing is offered any more.
  expect((await client.get(path)).text).not.toContain("/act/")
  const whys = (await logOf(service.view, "agent", own.hubId))
    .map(({ commit }) => commit)
    .filter(({ id }) => id.startsWith("operator-grace-"))
    .map(({ op, why }) => [op, why])
  expect(whys).toEqual(
    ["agent.suspend", "agent.decide_appeal", "agent.suspend", "agent.reinstate", "agent.ban"].map((op) => [
      op,
      "seen in the queue"
    ])
  )
})

test("nobody else sees it or acts, and strange paths are no page", async () => {
  const stranger = new OperatorClient(desk.url)
  expect([(await stranger.get("/moderation")).status, (await stranger.post("/act/ban-agent", {})).status]).toEqual([
    303, 401
  ])
  const client = await anOperator()
  for (const path of [
    "/moderation/content/vote/1",
    "/moderation/content/post/x",
    "/moderation/content/post/999999999",
    "/moderation/report/0"
  ])
    expect([path, (await client.get(path)).status]).toEqual([path, 404])
  expect((await client.get("/moderation/report/999999999")).text).toContain("There is no such report.")
  expect((await client.get("/moderation/agent/nobody-at-all")).text).toContain("there is no agent nobody-at-all")
})

test.each([
  ["light", { width: 320, height: 740 }],
  ["dark", { width: 1400, height: 900 }]
] as const)("it looks well in %s colours at %o, and needs no mouse", async (colorScheme, viewport) => {
  const target = await post(await anAgent())
  const report = await reported("post", target.id)
  await listed(await anOperator(), `Report ${report.id}`)
  const visit = await browser.visit(await desk.link(), { viewport, colorScheme, bypassCSP: true })
  await visit.to(`${desk.url}/moderation`)
  const { page } = visit
  await looksWell(visit)
  const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent")
  await page.keyboard.press("j")
  const first = await focused()
  expect(first).toMatch(/^Report \d+/)
  await page.keyboard.press("k")
  expect(await focused()).toBe(first)
  while (!(await focused()).startsWith(`Report ${report.id}:`)) {
    const before = await focused()
    await page.keyboard.press("j")
    expect(await focused()).not.toBe(before)
  }
  await page.keyboard.press("o")
  await page.getByRole("heading", { level: 1, name: `Report ${report.id}: spam` }).waitFor()
  await looksWell(visit)
  await page.keyboard.press("d")
  expect(await page.evaluate("document.activeElement.id")).toBe("outcome")
  // A letter in a field is a letter.
  await page.locator("#note").focus()
  await page.keyboard.type("u")
  expect(await page.locator("#note").inputValue()).toBe("u")
  await page.locator("#outcome").selectOption("none")
  await page.getByLabel("Reason", { exact: true }).last().fill("nothing wrong with it")
  await page.getByRole("button", { name: "Decide" }).click()
  await page.getByText(`Report ${report.id} is resolved.`).waitFor()
  expect(visit.dialogs).toEqual([])
  await visit.close()
})

test("reports beyond a page of them are a link away", async () => {
  const { agent } = await anAgent()
  const { db } = service.view
  await waitFor(async () => db.selectFrom("agents").select("id").where("id", "=", agent.id).executeTakeFirst())
  const numbers = Array.from({ length: 60 }, (_, index) => 900_000 + index)
  const row = { reporter: agent.id, about: agent.id, target_type: "agent", target_id: agent.id, reason: "spam" }
  const rows = numbers.map((id) => ({ ...row, id, text: null, status: "open", created_at: new Date() }))
  await db.insertInto("reports").values(rows).execute()
  try {
    const client = await anOperator()
    const seen = new Set<string>()
    let path: string | undefined = "/moderation"
    while (path !== undefined) {
      const page: Answer = await client.get(path)
      expect(page.status).toBe(200)
      for (const [, id = ""] of page.text.matchAll(/href="\/moderation\/report\/(\d+)"/g)) seen.add(id)
      path = /href="(\/moderation\?after=\d+)"/.exec(page.text)?.[1]
    }
    expect(numbers.filter((id) => !seen.has(String(id)))).toEqual([])
  } finally {
    await db.deleteFrom("reports").where("id", "in", numbers.map(String)).execute()
  }
})
