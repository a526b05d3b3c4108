/** Fills wait for each other; one whose caller has gone meanwhile is not made. */
import { request } from "node:http"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type FillBench, openBench, told } from "../support/fill.ts"
import { waitFor } from "../harness/index.ts"

const SHOP = "https://shop.example"
/** As many as may wait. */
const WAITING = 8

let bench: FillBench
beforeAll(async () => {
  bench = await openBench(["*.example"])
  await bench.write({ fields: { username: "ada", password: "Correct-Horse 7" } })
})
afterAll(() => bench?.stop())

const tabAt = async (path: string): Promise<string> => {
  const tabs = (await (await fetch(`${bench.browser.cdp}/json/list`)).json()) as ReadonlyArray<{
    id: string
    url: string
  }>
  return tabs.find(({ url }) => url.endsWith(path))?.id ?? ""
}

/** Asks, and goes once the whole request was sent. */
const leave = (tab: string): Promise<void> =>
  new Promise((resolve) => {
    const body = JSON.stringify({ tab })
    const headers = { "x-hub-vault": "1", "content-type": "application/json", "content-length": body.length }
    const call = request(`${bench.fill.url}/login`, { method: "POST", agent: false, headers })
    call.on("error", () => undefined)
    call.on("close", () => resolve())
    call.end(body, () => call.destroy())
  })

it("a fill whose caller has gone while it waited is not made, and holds no place", async () => {
  await bench.open(`${SHOP}/blank`)
  const other = await bench.browser.agent.contexts()[0]?.newPage()
  await other?.goto(`${SHOP}/single`)
  const [blank, single] = [await tabAt("/blank"), await tabAt("/single")]
  bench.websites.sent.length = 0
  // There is no form, so this one waits for it, and the others wait for this one.
  let last = bench.post("/login", { tab: blank })
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < WAITING; n++) await leave(single)
    expect(told(await last)).toBe("404 form_not_found")
    last = bench.post("/login", { tab: blank })
  }
  expect(told(await last)).toBe("404 form_not_found")
  expect(told(await bench.post("/login", { tab: single, submit: false }))).toBe("200 done")
  await waitFor(async () => (await bench.journal()).some(({ status }) => status === "done"))
  expect((await bench.journal()).filter(({ event }) => event === "fill")).toHaveLength(1)
  expect(bench.websites.sent).toEqual([])
})
