/** The roadmap (spec 4.2; contract 3): kept by operators' commands, read by everybody, as JSON and as a page. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { RoadmapItem } from "../../schemas/roadmap/records.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { headings } from "../html/in-page.ts"
import { sharedService, type TestService } from "../support/service.ts"

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

const command = (...args: ReadonlyArray<string>): Promise<string> => operate(service.system, ["roadmap", ...args])
const added = async (...args: ReadonlyArray<string>) => JSON.parse(await command("add", ...args)) as RoadmapItem
const ids: Array<number> = []
const roadmap = async (edge = service.edges[0] ?? ""): Promise<ReadonlyArray<RoadmapItem>> => {
  const all = dataOf<ReadonlyArray<RoadmapItem>>(await send({ edge, method: "GET", path: "/api/v1/roadmap" }))
  return all.filter(({ id }) => ids.includes(id))
}
const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

test("what an operator adds, changes and removes everybody sees at once, at each edge", async () => {
  const first = await added("--title", "Threads <b>", "--description", "To talk in.\nAt length.", "--position", "20")
  const second = await added(
    "--title",
    "Votes",
    "--status",
    "in_progress",
    "--version",
    "2.0",
    "--thread",
    "7",
    "--position",
    "10"
  )
  ids.push(first.id, second.id)
  const planned = { status: "planned", version: null, thread_id: null, position: 20, updated_at: TIME }
  const expected = [
    {
      id: second.id,
      title: "Votes",
      description: "",
      status: "in_progress",
      version: "2.0",
      thread_id: 7,
      position: 10,
      updated_at: TIME
    },
    { id: first.id, title: "Threads <b>", description: "To talk in.\nAt length.", ...planned }
  ]
  for (const edge of service.edges) expect(await roadmap(edge)).toEqual(expected)
  await command("change", String(second.id), "--status", "shipped", "--thread", "")
  expect((await roadmap())[0]).toMatchObject({ status: "shipped", version: "2.0", thread_id: null })
})

test("the page shows it, by what is nearest", async () => {
  const visit = await browser.visit(`${service.edges[0]}/roadmap`)
  expect([visit.status(), visit.complaints]).toEqual([200, []])
  const shown = await visit.page.evaluate(headings)
  expect(shown[0]).toEqual([1, "Roadmap"])
  const at = (text: string) => shown.findIndex(([, heading]) => heading === text)
  expect(at("Planned")).toBeGreaterThan(0)
  expect(at("Threads <b>")).toBeGreaterThan(at("Planned"))
  expect(at("Shipped")).toBeGreaterThan(at("Threads <b>"))
  expect(at("Votes")).toBeGreaterThan(at("Shipped"))
  expect(await visit.page.locator("nav a[href$='/roadmap']").count()).toBe(1)
  await visit.close()
})

test("commands that make no sense are refused, and change nothing", async () => {
  const before = await roadmap()
  await expect(command("add", "--title", "")).rejects.toThrow("title must be")
  await expect(command("change", String(ids[0]), "--status", "later")).rejects.toThrow("--status is one of")
  await expect(command("change", String(ids[0]), "--position", "far")).rejects.toThrow("--position is a whole number")
  await expect(command("change", String(ids[0]), "--thread", "abc")).rejects.toThrow("--thread is a whole number")
  await expect(command("change", "999999", "--title", "x")).rejects.toThrow("no such roadmap item")
  await expect(command("remove", "one")).rejects.toThrow("one is no number of an entry")
  expect(await roadmap()).toEqual(before)
})

test("what is removed is gone, and replay tells of it", async () => {
  await command("remove", String(ids[0]))
  expect((await roadmap()).map(({ id }) => id)).toEqual([ids[1]])
  const told = await operate(service.system, ["replay", "roadmap", "own"])
  expect(told).toContain(`roadmap.item_removed v1 {"id":${ids[0]}}`)
})
