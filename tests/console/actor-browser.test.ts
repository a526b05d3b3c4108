/** An actor's page in a real browser: the slider, another command, and its looks. */
import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, test } from "vitest"
import { looksWell } from "../html/accessible.ts"
import { type History, liveThrough } from "../ops/history.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { dataOf } from "../support/outcome.ts"
import { logOf, sharedService, type TestService } from "../support/service.ts"
import { OperatorClient, startConsole, type TestConsole } from "./desk.ts"

const PAGE_MAX_BYTES = 150_000
const NARROW = { width: 320, height: 740 }
const EVIL = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">"

let service: TestService
let desk: TestConsole
let browser: TestBrowser
let past: History
beforeAll(async () => {
  service = await sharedService()
  desk = await startConsole(service)
  past = await liveThrough(service)
  dataOf(await past.client.call("PATCH", "/api/v1/me", { body: { description: EVIL } }))
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await desk?.stop()
  await service?.stop()
})

const seqs = async () => (await logOf(service.view, "agent", past.id)).map(({ seq }) => seq)

test("the arrow keys move along the commits", async () => {
  const visit = await browser.visit(await desk.link())
  const { page } = visit
  await visit.to(`${desk.url}/actor/agent/${past.handle}`)
  const all = await seqs()
  const slider = page.getByRole("slider", { name: "Commit" })
  await slider.focus()
  expect(await slider.getAttribute("aria-valuetext")).toContain(`#${all.at(-1)} `)
  for (const seq of all.toReversed().slice(1)) {
    await page.keyboard.press("ArrowLeft")
    await page.locator("#commit-title", { hasText: `#${seq} ` }).waitFor()
    expect(await page.locator("#past [aria-current]").textContent()).toBe(`#${seq}`)
    expect(new URL(page.url()).search).toBe(`?at=${seq}`)
    expect(await page.locator('#what-if input[name="at"]').inputValue()).toBe(String(seq))
  }
  await page.keyboard.press("End")
  await page.locator("#commit-title", { hasText: `#${all.at(-1)} ` }).waitFor()
  expect(await page.title()).toBe("Actor · Hub console")
  expect(await page.locator("#commit").textContent()).toContain("<script>document.title")
  expect([visit.complaints, visit.dialogs]).toEqual([[], []])
  await visit.close()
})

test("another command is put to it, and downloaded as a test", async () => {
  const visit = await browser.visit(await desk.link())
  const { page } = visit
  await page.getByRole("searchbox", { name: "Search the log" }).fill(past.number)
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { level: 1, name: `agent/${past.id}` }).waitFor()
  await page.getByLabel("Operation").selectOption("agent.suspend")
  await page.getByRole("button", { name: "Show its fields" }).click()
  await page.getByLabel("reason", { exact: true }).fill("to see")
  await page.getByRole("button", { name: "Decide" }).click()
  await page.getByText("Accepted.").waitFor()
  expect(await page.locator("#decided").textContent()).toContain('agent.suspended v1 {"reason":"to see"')
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download the test" }).click()
  ])
  expect(download.suggestedFilename()).toBe(`agent-${(await seqs()).at(-1)}.test.ts`)
  expect(readFileSync(await download.path(), "utf8")).toContain('"agent.suspended"')
  await visit.close()
})

test.each([
  ["light", NARROW],
  ["dark", NARROW],
  ["light", { width: 1400, height: 900 }]
] as const)("it looks well in %s colours at %o", async (colorScheme, viewport) => {
  const visit = await browser.visit(await desk.link(), { viewport, colorScheme, bypassCSP: true })
  const [first] = await seqs()
  const pages = [
    `/actor/agent/${past.id}?op=agent.suspend&in.reason=x&show=decision`,
    `/actor/agent/${past.id}?at=${first}&when=before&op=agent.update&in.name=X&show=decision`,
    `/explain/%23${first}`,
    "/search?q=nobody-at-all"
  ]
  for (const path of pages) {
    await visit.to(desk.url + path)
    await looksWell(visit)
  }
  await visit.close()
})

test("the page weighs little, and comes from the console alone", async () => {
  const client = new OperatorClient(desk.url)
  await client.enterBy(await desk.link())
  const visit = await browser.visit(await desk.link())
  await visit.to(`${desk.url}/actor/agent/${past.id}`)
  await visit.page.getByRole("slider", { name: "Commit" }).waitFor()
  expect(visit.requests.every((address) => address.startsWith(`${desk.url}/`))).toBe(true)
  let bytes = 0
  for (const path of new Set(visit.requests.map((address) => new URL(address).pathname)))
    bytes += gzipSync((await client.get(path)).bytes).length
  expect(bytes).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(PAGE_MAX_BYTES)
  await visit.close()
})
