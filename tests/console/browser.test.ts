/** The console in a real browser: the cluster's page, live, on narrow and wide screens, in light and dark. */
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, test } from "vitest"
import { looksWell } from "../html/accessible.ts"
import { SHARD_COUNT } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { OperatorClient, startConsole, type TestConsole } from "./desk.ts"

const PAGE_MAX_BYTES = 150_000
const NARROW = { width: 320, height: 740 }

let service: TestService
let desk: TestConsole
let browser: TestBrowser
beforeAll(async () => {
  service = await sharedService({ processes: true })
  desk = await startConsole(service)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await desk?.stop()
  await service?.stop()
})

const looked = ({ page }: Visit) => page.locator("#verdict.healthy").waitFor()

test.each([
  ["light", NARROW],
  ["dark", NARROW],
  ["light", { width: 1400, height: 900 }]
] as const)("it looks well in %s colours at %o", async (colorScheme, viewport) => {
  const visit = await browser.visit(`${desk.url}/login`, { viewport, colorScheme, bypassCSP: true })
  await visit.page.getByRole("heading", { level: 1, name: "Log in" }).waitFor()
  await looksWell(visit)
  await visit.to(await desk.link())
  await looked(visit)
  await visit.page.getByText("The map as a table").click()
  await looksWell(visit)
  await visit.close()
})

test("the page weighs little, and comes from the console alone", async () => {
  const client = new OperatorClient(desk.url)
  await client.enterBy(await desk.link())
  const visit = await browser.visit(await desk.link())
  await looked(visit)
  expect(visit.complaints).toEqual([])
  expect(visit.requests.every((address) => address.startsWith(`${desk.url}/`))).toBe(true)
  const loaded = new Set(
    visit.requests.map((address) => new URL(address).pathname).filter((path) => path !== "/events")
  )
  let bytes = 0
  for (const path of loaded) if (path !== "/enter") bytes += gzipSync((await client.get(path)).bytes).length
  expect(bytes).toBeLessThan(PAGE_MAX_BYTES)
  await visit.close()
})

test("it can be reached by the keyboard, and left", async () => {
  const visit = await browser.visit(await desk.link())
  const { page } = visit
  await page.keyboard.press("Tab")
  expect(await page.evaluate("document.activeElement.className")).toBe("skip")
  await page.getByRole("button", { name: "Log out" }).focus()
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { level: 1, name: "Log in" }).waitFor()
  await visit.close()
})

test("a node that is killed leaves the map while the page is open", async () => {
  const visit = await browser.visit(await desk.link())
  const { page } = visit
  await looked(visit)
  const sessions = async (): Promise<ReadonlyArray<string>> => page.locator("#nodes tbody th").allTextContents()
  await waitFor(async () => (await sessions()).length === 2)
  const before = await sessions()
  const map = page.locator("#map")
  const label = async () => (await map.getAttribute("aria-label")) ?? ""
  for (const session of before) expect(await label()).toContain(`by ${session}`)
  expect(await page.locator("#map .cell").count()).toBe(SHARD_COUNT)

  await service.system.actors[0]?.kill()
  await waitFor(async () => (await sessions()).length === 1)
  const [left = ""] = await sessions()
  expect(before).toContain(left)
  // The other takes over, and the map follows without being asked.
  await waitFor(async () => (await label()) === `${SHARD_COUNT} shards: ${SHARD_COUNT} by ${left}, 0 without an owner`)
  expect(await page.locator("#map .cell.none").count()).toBe(0)
  await visit.close()
})
