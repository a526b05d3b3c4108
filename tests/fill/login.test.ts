/** Logins into pages made as great sites make theirs, over a real browser and a real service (spec 4.12). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { askFill, type FillBench, openBench, told } from "../support/fill.ts"
import { totpOf } from "../../edge/fill/totp.ts"

const SHOP = "https://shop.example"
const TOTP = "JBSWY3DPEHPK3PXP"
const USER = "ada@shop.example"
const PASSWORD = "Correct-Horse 7"

let bench: FillBench
let entry: number
beforeAll(async () => {
  bench = await openBench(["*.example", "shop.example", "several.example", "none.example", "www.shop.example"])
  const fields = { username: USER, password: PASSWORD, totp: TOTP }
  entry = (await bench.write({ fields })).id
})
afterAll(() => bench?.stop())
beforeEach(() => {
  bench.websites.sent.length = 0
})

const open = (page: string, site = SHOP) => bench.open(`${site}/${page}`)
const sent = () => waitFor(() => bench.lastSent(), { describe: "the page has sent it" })

describe("one page", () => {
  it("is filled and sent, and the answer says no more than that", async () => {
    await open("single")
    const answer = await bench.post("/login", {})
    expect(answer.json).toEqual({
      status: "done",
      site: SHOP,
      entry_id: entry,
      filled: ["username", "password"],
      submitted: true
    })
    expect(await sent()).toEqual({ email: USER, password: PASSWORD })
  })

  it("is left for the agent to send where it says so", async () => {
    await open("single")
    const answer = await bench.post("/login", { entry_id: entry, submit: false })
    expect(answer.json).toMatchObject({ status: "done", submitted: false })
    expect(bench.websites.sent).toEqual([])
    await bench.page.click("text=Sign in >> nth=-1")
    expect(await sent()).toMatchObject({ email: USER, password: PASSWORD })
  })
})

describe("steps", () => {
  it("username, password, and code of the authenticator", async () => {
    await open("two-step")
    const first = await bench.post("/login")
    expect(first.json).toMatchObject({ status: "done", filled: ["username"], submitted: true })
    await bench.page.waitForURL("**/two-step-password?*")
    expect(new URL(bench.page.url()).searchParams.get("identifier")).toBe(USER)
    const second = await bench.post("/login")
    expect(second.json).toMatchObject({ status: "done", filled: ["password"], submitted: true })
    await bench.page.waitForURL("**/two-step-code")
    expect(await sent()).toMatchObject({ Passwd: PASSWORD })
    bench.websites.sent.length = 0
    const before = totpOf(TOTP, Date.now())
    const third = await bench.post("/login")
    expect(third.json).toMatchObject({ status: "done", filled: ["totp"], submitted: true })
    expect([before, totpOf(TOTP, Date.now())]).toContain((await sent())["totpPin"])
  })
})

describe("which entry", () => {
  it("none, several, or one that is not for here", async () => {
    await open("single", "https://none.example")
    expect(told(await bench.post("/login"))).toBe("404 entry_unknown")
    expect(told(await bench.post("/login", { entry_id: 999 }))).toBe("404 entry_unknown")
    expect(told(await bench.post("/login", { entry_id: entry }))).toBe("403 origin_mismatch")
    const origins = ["https://several.example"]
    const first = await bench.write({ origins, label: "one" })
    const second = await bench.write({ origins, label: "two" })
    await open("single", "https://several.example")
    const answer = await bench.post("/login")
    expect([told(answer), answer.json["candidates"]]).toEqual([
      "409 entry_ambiguous",
      [
        { entry_id: first.id, label: "one" },
        { entry_id: second.id, label: "two" }
      ]
    ])
    expect(told(await bench.post("/login", { entry_id: second.id }))).toBe("200 done")
    expect(await sent()).toMatchObject({ email: "ada", password: "correct horse" })
  })

  it("of another kind is refused, and every refusal is in the journal", async () => {
    const card = await bench.write({ kind: "card" })
    await open("single")
    expect(told(await bench.post("/login", { entry_id: card.id }))).toBe("403 kind_mismatch")
    const codes = await waitFor(async () => {
      const lines = (await bench.journal()).filter(({ event }) => event === "refusal")
      return lines.length === 3 ? lines.map(({ code }) => code) : null
    })
    expect(codes.toReversed()).toEqual(["entry_unknown", "origin_mismatch", "kind_mismatch"])
  })
})

describe("which tab", () => {
  it("is the one last brought to front, or the one that is named", async () => {
    await open("blank")
    const [context] = bench.browser.agent.contexts()
    const other = await context?.newPage()
    await other?.goto(`${SHOP}/single`)
    expect(told(await bench.post("/login", { submit: false }))).toBe("200 done")
    await bench.page.bringToFront()
    await waitFor(async () => told(await bench.post("/login")) === "404 form_not_found")
    const tabs = (await (await fetch(`${bench.browser.cdp}/json/list`)).json()) as ReadonlyArray<Record<string, string>>
    const tab = tabs.find(({ url }) => url === `${SHOP}/single`)?.["id"]
    expect(told(await bench.post("/login", { tab }))).toBe("200 done")
    expect(await sent()).toMatchObject({ email: USER })
    expect((await bench.post("/login", { tab: "none" })).json).toMatchObject({ code: "validation_error", field: "tab" })
    await other?.close()
  })

  it("is not chosen among several windows", async () => {
    await open("single")
    const context = await bench.browser.agent.newContext()
    const page = await context.newPage()
    await page.goto(`${SHOP}/single`)
    const answer = await bench.post("/login")
    expect([told(answer), (answer.json["candidates"] as ReadonlyArray<unknown>).length]).toEqual([
      "409 page_ambiguous",
      2
    ])
    await context.close()
  })
})

it("answers hold no secret, and one fill waits for the other", async () => {
  await open("single")
  const both = await Promise.all([
    bench.post("/login", { submit: false }),
    askFill(bench.fill.url, "POST", "/login", { submit: false })
  ])
  expect(both.map(told)).toEqual(["200 done", "200 done"])
  for (const { text } of both) for (const secret of [USER, PASSWORD, TOTP]) expect(text).not.toContain(secret)
})
