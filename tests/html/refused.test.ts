/** What people see when there is nothing to see, and that programs still get the envelope. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Answered, openWorld, TestEdge, type World } from "../edge/edge.ts"
import { waitFor } from "../harness/index.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"

const HTML = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }
const PROFILE = {
  id: `hx${"1".repeat(24)}`,
  hx_id: "HX-000001",
  handle: "broken",
  name: "Broken",
  description: "",
  public_key: "",
  links: [],
  transparency: "",
  status: "active",
  is_system: false,
  provisional: false,
  roles: [],
  scores: { trust: 1, reputation: 2 },
  created_at: "no time at all",
  last_seen_at: "",
  counts: {},
  sponsors: [],
  url: "",
  id_url: ""
}

let world: World
let browser: TestBrowser

beforeAll(async () => {
  world = await openWorld({ env: { HUB_NAME: "The <Hub> & 'co'" } })
  browser = await openBrowser()
  world.node.on("handle.resolve", () => ({
    head: { refused: { code: "not_found", message: "There is no such <agent>.", details: { resource: "agent" } } }
  }))
  world.node.on("agent.profile", () => ({ data: PROFILE }))
  world.node.onQuery("scores", () => ({ ok: true, data: [] }))
})
afterAll(async () => {
  await browser?.stop()
  await world?.stop()
})

const partsOf = ({ status, headers, text }: Answered) => ({
  status,
  type: headers.get("content-type"),
  vary: headers.get("vary"),
  policy: headers.get("content-security-policy")?.includes("default-src 'none'"),
  stored: headers.get("cache-control"),
  heading: /<h1>(.*)<\/h1>/.exec(text)?.[1],
  said: /<\/h1>\n<p>(.*)<\/p>/.exec(text)?.[1]
})

const page = (status: number, heading: string, said: unknown) => ({
  status,
  type: "text/html; charset=utf-8",
  vary: "Accept",
  policy: true,
  stored: "no-store",
  heading,
  said
})

describe("a page says", () => {
  it("that there is nothing", async () => {
    expect(partsOf(await world.edge.call("/nowhere", { headers: HTML }))).toEqual(
      page(404, "Not found", "There is nothing here. The interface begins at /api/v1.")
    )
  })

  it("what is not there, with what others wrote as text", async () => {
    expect(partsOf(await world.edge.call("/agents/somebody", { headers: HTML }))).toEqual(
      page(404, "Not found", "There is no such &lt;agent&gt;.")
    )
  })

  it("what a page does not take, and what it does", async () => {
    const answer = await world.edge.call("/agents/somebody", { method: "POST", headers: HTML, body: "x" })
    expect(partsOf(answer)).toEqual(page(405, "This cannot be done here", "POST is not possible here."))
    expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS")
  })

  it("that the address is too long", async () => {
    expect(partsOf(await world.edge.call(`/${"a".repeat(9_000)}`, { headers: HTML }))).toEqual(
      page(414, "The address is too long", expect.any(String))
    )
  })

  it.each(["web", "ip"])("when to come back: %s", async (empty) => {
    world.node.on("limit.draw", ({ input }) => {
      const { bucket, wanted } = input as { bucket: string; wanted: number }
      return { data: { granted: bucket === empty ? 0 : wanted, resets_at: Date.now() + 30_000 } }
    })
    const edge = await TestEdge.start({ nats: world.nats.url, limits: { [`rate_limits.${empty}.requests`]: 11 } })
    const answer = await waitFor(async () => {
      const one = await edge.call("/docs", { headers: HTML })
      return one.status === 200 ? null : one
    })
    await edge.stop()
    expect(partsOf(answer)).toEqual(
      page(429, "Too many requests", expect.stringMatching(/^Too many requests: 11 in \d+ seconds/))
    )
    const wait = answer.headers.get("retry-after")
    expect(Number(wait)).toBeGreaterThan(1)
    expect(answer.text).toContain(`<p>Try again in ${wait} seconds.</p>`)
  })

  it("that a fault is the service's own, and under which reference, but not what it was", async () => {
    const answer = await world.edge.call(`/agents/${PROFILE.id}`, { headers: HTML, method: "HEAD" })
    expect(answer.status).toBe(301)
    world.node.on("handle.resolve", () => ({ data: { agent: PROFILE.id } }))
    const broken = await world.edge.call("/agents/broken", { headers: HTML })
    expect(partsOf(broken)).toEqual(page(500, "Something went wrong", "Something went wrong inside the service."))
    expect(broken.text).toContain(`<code>${broken.headers.get("x-request-id")}</code>`)
    expect(broken.text).not.toMatch(/RangeError|Invalid time|at .*\.ts/)
  })
})

describe("the envelope goes to", () => {
  it.each([
    ["whoever takes anything", {}],
    ["whoever asks for JSON", { accept: "application/json" }],
    ["whoever asks for the other form of errors", { accept: "text/html, application/problem+json" }]
  ])("%s", async (_who, headers: Record<string, string>) => {
    const answer = await world.edge.call("/nowhere", { headers })
    expect(answer.status).toBe(404)
    expect(answer.headers.get("content-type")).toMatch(/^application\/(problem\+)?json/)
    expect(answer.headers.get("vary")).toBe("Accept")
  })

  it("everybody who asks the interface", async () => {
    const answer = await world.edge.call("/api/v1/nowhere", { headers: HTML })
    expect([answer.status, answer.json.error.code]).toEqual([404, "not_found"])
  })
})

describe("in a browser", () => {
  it("it is a page like the others, under any name", async () => {
    const visit = await browser.visit(`${world.edge.url}/nowhere`)
    expect(visit.status()).toBe(404)
    expect(await visit.page.title()).toBe("Not found · The <Hub> & 'co'")
    expect(await visit.page.locator(".brand").textContent()).toBe("The <Hub> & 'co'")
    expect(await visit.page.locator("meta[name=robots]").getAttribute("content")).toBe("noindex")
    expect(visit.requests).toHaveLength(1)
    expect(await visit.page.locator("main").ariaSnapshot()).toMatch(/^- main:\n {2}- heading "Not found" \[level=1\]\n/)
    await visit.close()
  })
})
