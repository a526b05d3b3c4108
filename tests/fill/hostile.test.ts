/** Pages that are after a secret which is not theirs: each gets none of it, and the agent is told why. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { type FillBench, openBench, told } from "../support/fill.ts"

const SHOP = "https://shop.example"
const USER = "ada@shop.example"
const PASSWORD = "Correct-Horse 7"

let bench: FillBench
let entry: number
beforeAll(async () => {
  bench = await openBench(["*.example", "xn--shp-nna.example"])
  entry = (await bench.write({ fields: { username: USER, password: PASSWORD } })).id
})
afterAll(() => bench?.stop())
beforeEach(() => {
  bench.websites.sent.length = 0
})

const open = (page: string, site = SHOP) => bench.open(`${site}/${page}`)
/** Anything of what is sealed, wherever it was sent. */
const stolen = () => bench.websites.sent.filter(({ host }) => host !== "shop.example")
const lastResult = (status: string) =>
  waitFor(async () => (await bench.journal()).find((line) => line.status === status)?.code ?? null)

describe("another website", () => {
  it.each(["https://shop.example.thief.example", "https://xn--shp-nna.example", "https://sh0p.example"])(
    "that looks like it: %s",
    async (site) => {
      await open("single", site)
      expect(told(await bench.post("/login"))).toBe("404 entry_unknown")
      expect(told(await bench.post("/login", { entry_id: entry }))).toBe("403 origin_mismatch")
      expect(bench.websites.sent).toEqual([])
    }
  )

  it("in a frame of the right one is refused", async () => {
    await open("framed")
    const answer = await bench.post("/login")
    expect([told(answer), answer.json["frame"]]).toEqual(["403 frame_refused", "https://accounts.example"])
    expect(bench.websites.sent).toEqual([])
  })

  it("in a frame is filled where the entry names it", async () => {
    const site = "https://checkout.example"
    await bench.write({ origins: [site, "https://accounts.example"], fields: { username: USER, password: PASSWORD } })
    await open("framed", site)
    await bench.page.frameLocator("iframe").locator("#p").waitFor()
    expect(told(await bench.post("/login"))).toBe("200 done")
    const sent = await waitFor(() => bench.websites.sent[0])
    expect(sent).toMatchObject({ host: "accounts.example", fields: { email: USER, password: PASSWORD } })
  })

  it("in a frame that takes the focus again and again learns nothing", async () => {
    await open("frame-thief")
    await bench.page.frameLocator("iframe").locator("#i").waitFor()
    expect(told(await bench.post("/login"))).toBe("200 done")
    const sent = await waitFor(() => bench.lastSent())
    expect(sent).toEqual({ user: USER, pass: PASSWORD })
    expect(stolen()).toEqual([])
  })

  it("to which the page goes while it is typed into gets nothing", async () => {
    await open("navigates")
    expect(told(await bench.post("/login"))).toBe("403 origin_mismatch")
    await bench.page.waitForURL("**/greedy")
    expect(stolen()).toEqual([])
    expect(await lastResult("failed")).toBe("origin_mismatch")
  })
})

describe("a page that is none of https", () => {
  const FORM = "<form><input autocomplete=username><input type=password><button>Log in</button></form>"

  it.each([
    ["data:", async () => bench.open(`data:text/html,${FORM}`)],
    ["about:blank", async () => bench.open("about:blank")],
    [
      "blob: of the right website",
      async () => {
        await open("single")
        const script = `location.href = URL.createObjectURL(new Blob([${JSON.stringify(FORM)}], { type: "text/html" }))`
        await bench.page.evaluate(script)
        await bench.page.waitForURL("blob:**")
      }
    ]
  ] as ReadonlyArray<[string, () => Promise<unknown>]>)("%s", async (_, go) => {
    await go()
    expect(told(await bench.post("/login"))).toBe("403 page_not_https")
    expect(told(await bench.post("/login", { entry_id: entry }))).toBe("403 page_not_https")
  })
})

it("a page's own script reaches nothing at the local port", async () => {
  await open("blank")
  const script = `Promise.all([
    fetch(${JSON.stringify(`${bench.fill.url}/status`)}, { headers: { "x-hub-vault": "1" } }),
    fetch(${JSON.stringify(`${bench.fill.url}/login`)}, { method: "POST", mode: "no-cors", body: "{}" }).then((answer) => answer.text())
  ].map((one) => one.then((value) => "got " + value, () => "refused")))`
  expect(await bench.page.evaluate(script)).not.toContainEqual(expect.stringMatching(/got .*(?:vault|done)/))
  expect((await bench.journal()).filter(({ event, origin }) => event === "fill" && origin === null)).toEqual([])
})
