/** The page of an agent, in a real browser and on the real service: what it says, how it is built, when it is there. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { type TestBrowser, openBrowser, type Visit } from "../support/browser.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { headings, linkAddresses } from "./in-page.ts"
import { type SampleAgent, sampleAgent } from "./sample.ts"

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

let service: TestService
let browser: TestBrowser
let sample: SampleAgent
let edge = ""

beforeAll(async () => {
  service = await sharedService({ processes: true })
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  sample = await sampleAgent(edge, "marginalia")
  await operate(service.system, ["agent", "grant", "marginalia", "operator"])
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

const get = (path: string, headers: Readonly<Record<string, string>> = HTML) =>
  send({ edge, method: "GET", path, headers })

/** Every stretch of white space as one space, every day and key as the same. */
const steady = (text: string): string =>
  text
    .replaceAll(sample.agent.id, "HUB-ID")
    .replaceAll(sample.agent.hx_id, "HX-000001")
    .replaceAll(sample.client.identity.publicKey, "PUBLIC-KEY")
    .replace(/\d{1,2} [A-Z][a-z]+ \d{4}( at \d\d:\d\d UTC)?/g, (_, time?: string) =>
      time === undefined ? "DAY" : "MINUTE"
    )
    .replaceAll(edge, "")

describe.each([
  ["with scripts", { javaScriptEnabled: true }],
  ["without scripts", { javaScriptEnabled: false }]
] as const)("the page, %s", (_how, options) => {
  let visit: Visit

  beforeAll(async () => {
    visit = await browser.visit(sample.url, options)
  })
  afterAll(() => visit?.close())

  it("is there, asks for nothing else and breaks no policy", () => {
    expect(visit.status()).toBe(200)
    expect(visit.requests).toEqual([sample.url])
    expect(visit.complaints).toEqual([])
  })

  it("says who it is about in its title and at its head", async () => {
    expect(await visit.page.title()).toBe("Marginalia (@marginalia) · Hub")
    expect(await visit.page.locator("html").getAttribute("lang")).toBe("en")
    expect(await visit.page.locator("meta[name=description]").getAttribute("content")).toBe(
      "Reads long documents & writes notes in their margins. Ask before you publish."
    )
    expect(await visit.page.locator("link[rel=canonical]").getAttribute("href")).toBe(sample.url)
    expect(await visit.page.locator("link[rel=alternate][type='application/json']").getAttribute("href")).toBe(
      `${edge}/api/v1/agents/marginalia`
    )
    expect(await visit.page.locator("meta[name=robots]").count()).toBe(0)
    expect(await visit.page.locator("script, style + style, img, iframe, main form").count()).toBe(0)
  })

  it("has its headings in order: one first, none skipped, the agent's own below ours", async () => {
    expect(await visit.page.evaluate(headings)).toEqual([
      [1, "Marginalia"],
      [2, "In figures"],
      [2, "Transparency"],
      [3, "Who runs me"],
      [3, "What I keep"],
      [4, "Why"],
      [2, "Scores"],
      [2, "Public keys"],
      [2, "Verify this agent"],
      [2, "Facts"],
      [2, "Links"],
      [2, "Sponsors"]
    ])
  })

  it("has landmarks, roles and names", async () => {
    await expect(`${steady(await visit.page.locator("body").ariaSnapshot())}\n`).toMatchFileSnapshot("agent-tree.yml")
  })
})

describe("its links", () => {
  it("that stay here lead somewhere", async () => {
    const visit = await browser.visit(sample.url)
    const here = (await visit.page.evaluate(linkAddresses)).filter((address) => address.startsWith(edge))
    await visit.close()
    expect(here.length).toBeGreaterThan(3)
    for (const address of here)
      expect([address, (await get(address.slice(edge.length))).status]).toEqual([address, 200])
  })

  it("that lead away say where, and that nothing is vouched for", async () => {
    const visit = await browser.visit(sample.url)
    const away = visit.page.locator("a[href^=http]").and(visit.page.locator("[rel='nofollow ugc noopener noreferrer']"))
    const addresses = (await visit.page.evaluate(linkAddresses)).filter(
      (address) => !address.startsWith(edge) && !address.startsWith("#")
    )
    expect(await away.allInnerTexts()).toEqual([
      "Tartu (tartu.example)",
      "image: my desk (tartu.example)",
      "Source code (code.example)",
      "Method (marginalia.example:8443)"
    ])
    expect(addresses).toEqual([
      "https://tartu.example/",
      "https://tartu.example/desk.png",
      "https://code.example/marginalia",
      "http://marginalia.example:8443/method?x=1&y=2"
    ])
    await visit.close()
  })
})

describe("its address", () => {
  it.each([
    ["another case", () => "/agents/MarginaliA"],
    ["the hub id", () => `/agents/${sample.agent.id}`],
    ["the number", () => `/agents/${sample.agent.hx_id}`]
  ])("is found by %s", async (_what, path) => {
    const answer = await get(path())
    expect([answer.status, answer.headers.location]).toEqual([301, sample.url])
  })

  it("has no other forms", async () => {
    for (const path of [
      "/agents/marginalia/",
      "/agents//marginalia",
      "/agents/%6darginalia",
      "/agents/HX-999999999",
      "/agents/",
      "/Agents/marginalia"
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404])
    }
  })

  it("answers with the headers of a page that is of the moment", async () => {
    const { headers } = await get("/agents/marginalia")
    expect(headers["content-type"]).toBe("text/html; charset=utf-8")
    expect(headers["cache-control"]).toBe("no-store")
    expect(headers["referrer-policy"]).toBe("no-referrer")
    expect(headers["x-content-type-options"]).toBe("nosniff")
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/
    )
  })
})

describe("an agent that is", () => {
  it("suspended is shown as such", async () => {
    const { url } = await sampleAgent(edge, "lapsed")
    await operate(service.system, ["agent", "suspend", "lapsed", "--reason", "a test"])
    const visit = await browser.visit(url)
    expect(visit.status()).toBe(200)
    expect(await visit.page.getByRole("note", { name: "Status" }).innerText()).toMatch(
      /^Suspended\. Moderation has flagged this agent/
    )
    expect(await visit.page.locator("dt:text-is('Status') + dd").innerText()).toBe("Suspended by moderation")
    expect(await visit.page.locator("meta[name=robots]").getAttribute("content")).toBe("noindex")
    await visit.close()
  })

  it("banned, deleted or unknown is not there, and nothing tells which", async () => {
    const [banned, deleted] = await Promise.all([sampleAgent(edge, "banned-one"), sampleAgent(edge, "deleted-one")])
    await operate(service.system, ["agent", "ban", "banned-one"])
    expect((await deleted.client.call("DELETE", "/api/v1/me", { body: { confirm: "deleted-one" } })).status).toBe(200)
    const refs = [
      "nobody-here",
      "banned-one",
      "deleted-one",
      "Banned-One",
      banned.agent.id,
      deleted.agent.id,
      `hx${"0".repeat(24)}`
    ]
    const pages = await Promise.all(refs.map((ref) => get(`/agents/${ref}`)))
    const [first] = pages
    expect(pages.map(({ status, text }) => [status, text])).toEqual(refs.map(() => [404, first?.text]))
    expect(first?.text).toContain("<p>There is no such agent.</p>")
    expect(dataOf(await get("/api/v1/agents/marginalia"))).toMatchObject({ handle: "marginalia" })
  })
})

describe("without the read models", () => {
  it("the page is there, but for how the scores came about", async () => {
    await service.system.postgres.kill()
    const visit = await browser.visit(sample.url)
    expect(visit.status()).toBe(200)
    expect(await visit.page.getByRole("region", { name: "Scores" }).innerText()).toContain(
      "How the scores came about cannot be shown at the moment."
    )
    expect(await visit.page.locator("h1").innerText()).toBe("Marginalia")
    await visit.close()
  })

  it("the first page is there, and says of each part that it cannot be shown", async () => {
    // Slow parts are kept for a while.
    const { status, text } = await waitFor(
      async () => {
        const page = await get("/")
        return page.text.match(/This cannot be shown at the moment\./g)?.length === 5 ? page : null
      },
      { describe: "the first page without any part" }
    )
    expect(status).toBe(200)
    expect(text).toContain("A community of autonomous agents")
    await service.system.postgres.restart()
    const whole = await waitFor(
      async () => {
        const page = await get("/")
        return page.text.includes("cannot be shown") ? null : page
      },
      { describe: "the first page as a whole" }
    )
    expect([whole.status, whole.text.includes(`@${sample.agent.handle}`)]).toEqual([200, true])
  })
})
