/** The cluster's page: the last hour in plots, what an operator may do there, and outages that it names by itself. */
import { gzipSync } from "node:zlib"
import fc from "fast-check"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { violations } from "../html/accessible.ts"
import { History, POINTS_MAX, quantileMs } from "../../ops/console/cluster/history.ts"
import type { Figures } from "../../schemas/runtime/metrics/figures.ts"
import { DURATION_SECONDS } from "../../schemas/runtime/metrics/meter.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { smallDisk, takeRoom } from "../chaos/small-disk.ts"
import { waitFor } from "../harness/index.ts"
import { overflow } from "../html/in-page.ts"
import { headingOf, noticeOf } from "../html/owner/client.ts"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { bare, OperatorClient, startConsole, type TestConsole } from "./desk.ts"

const PAGE_MAX_BYTES = 150_000
const HOSTILE = `<img src=x onerror="alert(1)">`

const NONE: ReadonlyArray<number> = [...DURATION_SECONDS, 0].map(() => 0)

/** Lines of the audit stream, as `hub console audit` tells them. */
const audited = async ({ system }: TestService): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
  JSON.parse(await operate(system, ["console", "audit", "--json"]))

describe("the last hour", () => {
  const figures = (id: string, part: Partial<Figures> = {}): Figures => ({
    id,
    host: "h",
    pid: 1,
    roles: "edge",
    cpu_seconds: 0,
    memory_bytes: 1,
    edge: null,
    commits: null,
    ...part
  })
  const edge = (requests: number, refusals: Readonly<Record<string, number>> = {}, durations = NONE) => ({
    requests,
    refusals,
    durations
  })
  const last = (history: History) => Object.values(history.points).at(-1)

  test("knows rates from the second time on, and none of a process that began anew", () => {
    const history = new History()
    history.add(1000, 0, [figures("a", { edge: edge(50) }), figures("n", { commits: 7 })])
    expect(last(history)).toEqual([null, null, null, null, {}])
    const fast = NONE.map((_, place) => (place === 3 ? 100 : 0))
    history.add(1010, 10_000, [
      figures("a", { edge: edge(150, { rate_limited: 20 }, fast), cpu_seconds: 5 }),
      figures("n", { commits: 47, pid: 2 })
    ])
    expect(last(history)).toEqual([10, 4, 7.5, 9.95, { rate_limited: 2 }])
    expect(history.loadOf({ host: "h", pid: 1 })).toEqual({ cpu: 0.5, memory_bytes: 1 })
    expect(history.loadOf({ host: "h", pid: 3 })).toBeNull()
    history.add(1020, 20_000, [figures("b", { edge: edge(3) }), figures("n", { commits: 47, pid: 2 })])
    expect(last(history)).toEqual([null, 0, null, null, {}])
  })

  test("takes a process that missed one point over the whole time", () => {
    const history = new History()
    history.add(0, 0, [figures("a", { edge: edge(0) })])
    history.add(10, 10_000, [])
    history.add(20, 20_000, [figures("a", { edge: edge(100) })])
    expect(last(history)?.[0]).toBe(5)
  })

  test("holds an hour, whoever tells whatever", () => {
    const history = new History()
    const codes = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`code_${"x".repeat(at)}`, at]))
    for (let at = 0; at < 2 * POINTS_MAX; at++)
      history.add(at, at * 10_000, [
        figures(`new ${at}`, { edge: edge(at, codes) }),
        figures("a", { edge: edge(at, codes) })
      ])
    expect(Object.keys(history.points).length).toBe(POINTS_MAX)
    expect(Object.keys(history.points)[0]).toBe(String(POINTS_MAX))
    history.add(1e6, 1e8, [
      figures("a", { edge: edge(9, Object.fromEntries(Object.keys(codes).map((code) => [code, 999]))) })
    ])
    expect(Object.keys(last(history)?.[4] ?? {}).length).toBeLessThanOrEqual(13)
  })

  test("names who is silent, until another of its roles has come or nobody asks any more", () => {
    const history = new History()
    const [one, two] = [figures("one", { pid: 1 }), figures("two", { pid: 2 })]
    history.add(0, 0, [one, two])
    history.add(10, 10_000, [two])
    expect(history.silent).toEqual([])
    history.add(20, 20_000, [two])
    expect(history.silent).toEqual([{ host: "h", pid: 1, roles: "edge", since: 0 }])
    history.add(30, 30_000, [two, figures("other", { roles: "actors", pid: 3 })])
    expect(history.silent).toHaveLength(1)
    history.add(40, 40_000, [two, figures("three", { pid: 4 })])
    expect(history.silent).toEqual([])
    history.add(50, 50_000, [])
    history.add(60, 60_000, [])
    expect(history.silent).toEqual([])
    const keeper = figures("keeper", { roles: "keeper", pid: 5 })
    history.add(70, 70_000, [keeper])
    // The first had a successor, which is silent itself by now.
    expect(history.silent.map(({ pid }) => pid)).toEqual([3, 2, 4])
    history.add(1000, 1_000_000, [keeper])
    expect(history.silent).toEqual([])
  })

  test("reads quantiles between the bounds, in order", () => {
    expect(quantileMs(NONE, 0.5)).toBeNull()
    expect(
      quantileMs(
        NONE.map((_, place) => (place === NONE.length - 1 ? 3 : 0)),
        0.5
      )
    ).toBe(10_000)
    const counts = fc.array(fc.nat(50), { minLength: NONE.length, maxLength: NONE.length })
    fc.assert(
      fc.property(counts, (told) => {
        const [half, high] = [quantileMs(told, 0.5), quantileMs(told, 0.99)]
        expect(half === null).toBe(told.every((count) => count === 0))
        expect(half ?? 0).toBeLessThanOrEqual(high ?? 0)
      })
    )
  })
})

describe("beside a system", () => {
  let service: TestService
  let desk: TestConsole
  let browser: TestBrowser
  let agent: AgentClient
  beforeAll(async () => {
    service = await sharedService({ processes: true })
    desk = await startConsole(service)
    browser = await openBrowser()
    const at = service.edges[0] ?? ""
    agent = new AgentClient({ edge: () => at })
    await register(agent, { edge: at })
  })
  afterAll(async () => {
    await browser?.stop()
    await desk?.stop()
    await service?.stop()
  })

  const entered = async (name?: string): Promise<OperatorClient> => {
    const client = new OperatorClient(desk.url)
    await client.enterBy(await desk.link(name))
    return client
  }
  const textOf = async ({ page }: Visit, selector: string): Promise<string> =>
    (await page.locator(selector).allTextContents()).join("\n")
  const renamed = (name: string) => agent.call("PATCH", `${API_PREFIX}/me`, { body: { name } })
  const problemsOf = async (visit: Visit): Promise<string> =>
    `${await textOf(visit, "#verdict")}\n${await textOf(visit, "#problems")}`

  test("plots what was done since the console began, without any port of metrics", async () => {
    const visit = await browser.visit(await desk.link(), { viewport: { width: 320, height: 740 }, bypassCSP: true })
    let turn = 0
    await waitFor(async () => {
      await renamed(`Name ${turn++}`)
      await agent.call("GET", `${API_PREFIX}/agents/hx${"2".repeat(40)}`)
      const [commits, refusals] = [
        await textOf(visit, "#tile-commits .value"),
        await textOf(visit, "#tile-refusals dd")
      ]
      return Number(commits) > 0 && refusals.includes("not_found")
    })
    expect(await visit.page.locator(".plot canvas").count()).toBe(4)
    expect(await textOf(visit, "#plot-refusals-says")).toContain("not_found")
    expect(await textOf(visit, "#plot-latency-says")).toMatch(/^Now [\d.,]+ ms, at most [\d.,]+ ms\.$/)
    expect(
      Number((await textOf(visit, "#nodes tbody tr:first-child td:nth-child(7)")).replace(",", ""))
    ).toBeGreaterThan(1)
    expect(await violations(visit)).toEqual([])
    expect(await visit.page.evaluate(overflow)).toBe(0)
    const client = await entered()
    const paths = new Set(visit.requests.map((address) => new URL(address).pathname))
    let bytes = 0
    for (const path of paths)
      if (path !== "/enter" && path !== "/events") bytes += gzipSync((await client.get(path)).bytes).length
    expect([...paths].some((path) => path.endsWith("/uplot.js"))).toBe(true)
    expect(bytes).toBeLessThan(PAGE_MAX_BYTES)
    await visit.close()
  })

  test("says everything else in one line each, closed while all is well", async () => {
    const visit = await browser.visit(await desk.link())
    await visit.page.locator("#verdict.healthy").waitFor()
    await waitFor(async () => (await textOf(visit, "#reactions-line")).endsWith("reactions, none behind"))
    expect(await textOf(visit, "#checks-line")).toMatch(/^\d+ checks, all pass$/)
    expect(await visit.page.locator(".part[open]").count()).toBe(0)
    await visit.close()
  })

  test("a read model is rebuilt by the keyboard, once, and a reason is text", async () => {
    const visit = await browser.visit(await desk.link("grace"))
    const { page } = visit
    await page.locator("summary", { hasText: "Rebuild a read model" }).focus()
    await page.keyboard.press("Enter")
    expect(await page.getByText("is made anew from the log").isVisible()).toBe(true)
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.name")).toBe("model")
    await page.keyboard.press("Tab")
    await page.keyboard.type(HOSTILE)
    await page.keyboard.press("Enter")
    await page.locator(".notice", { hasText: "is being rebuilt" }).waitFor()
    await page.locator("#jobs li.done", { hasText: "took over at sequence" }).waitFor()
    expect(await textOf(visit, "#jobs")).toContain(`Reason: ${HOSTILE}`)
    expect(await textOf(visit, "#jobs")).toContain("by grace")
    expect(await page.locator("#jobs img").count()).toBe(0)
    expect(visit.dialogs).toEqual([])

    const client = await entered("grace")
    const form = await client.form("/", "/act/rebuild")
    const sent = { ...form.fields, model: "agent", why: "twice" }
    const before = await page.locator("#jobs li").count()
    expect((await client.post(form.action, sent)).status).toBe(303)
    expect((await client.post(form.action, sent)).status).toBe(303)
    await waitFor(async () => (await page.locator("#jobs li.done").count()) === before + 1)
    const wrong = await client.form("/", "/act/rebuild")
    const refused = await client.post(wrong.action, { ...wrong.fields, model: HOSTILE, why: "to see" })
    expect([refused.status, headingOf(refused)]).toEqual([409, "Rebuild"])
    expect(refused.text).not.toContain("<img src=x")
    await visit.close()
  })

  test("everything is verified, and what was found is told", async () => {
    const visit = await browser.visit(await desk.link())
    const client = await entered("ada")
    const form = await client.form("/", "/act/verify")
    await client.post(form.action, { ...form.fields, extent: "all", why: "to be sure" })
    expect(noticeOf(await client.get("/"))).toBe("The log is being compared.")
    const job = visit.page.locator("#jobs li", { hasText: "verify by ada" })
    await job.filter({ hasText: "verified in" }).waitFor()
    expect(await job.getAttribute("class")).toBe("done")
    expect(await audited(service)).toContainEqual(
      expect.objectContaining({ who: "ada", what: "verify", of: "all", why: "to be sure" })
    )
    await visit.close()
  })

  test("who has not logged in acts on nothing", async () => {
    for (const action of ["pause-mail", "drain-node", "rebuild", "verify"]) {
      const guest = new OperatorClient(desk.url)
      const answer = await guest.post(`/act/${action}`, { why: "to see", model: "agent", extent: "all", session: "x" })
      expect(answer.status).toBe(401)
      const client = await entered()
      expect((await client.post(`/act/${action}`, { why: "without its token", model: "agent" })).status).toBe(403)
    }
    expect((await bare(desk.url, "/")).status).toBe(303)
  })

  test("read models that stand still are named", async () => {
    const visit = await browser.visit(await desk.link())
    const holder = new pg.Client({ connectionString: service.view.databaseUrl })
    await holder.connect()
    await holder.query("begin")
    await holder.query("select seq from projections where name = 'agent' for update")
    await renamed("Waits for its read model")
    await waitFor(async () => (await problemsOf(visit)).includes("check read_models"))
    expect(await visit.page.locator("#checks-part").getAttribute("open")).not.toBeNull()
    expect(await textOf(visit, "#checks tbody tr:first-child")).toContain("read_models")
    await holder.query("rollback")
    await holder.end()
    await visit.page.locator("#verdict.healthy").waitFor()
    await visit.close()
  })

  test("a node that is drained gives its shards away and ends; the last one is not drained", async () => {
    const visit = await browser.visit(await desk.link())
    const { page } = visit
    const sessions = () => page.locator("#nodes tbody th").allTextContents()
    await waitFor(async () => (await sessions()).length === 2)
    const [first = "", second = ""] = await sessions()
    const client = await entered()
    const form = await client.form("/", "/act/drain-node")
    expect((await client.get("/")).text).toContain("gives its shards to the other nodes and ends")
    const sent = { ...form.fields, session: first, why: "its machine is mended" }
    expect((await client.post(form.action, sent)).status).toBe(303)
    await waitFor(async () => (await sessions()).join(" ") === second)
    await waitFor(async () => (await textOf(visit, "#legend")).includes(`${second}: 64`))
    expect((await client.post(form.action, sent)).status).toBe(409)
    const gone = await client.post(form.action, { ...sent, session: second })
    expect(gone.text).toContain("It is the only actor node.")
    const drains = (await audited(service)).filter(({ what }) => what === "drain")
    expect(drains).toMatchObject([{ of: first, why: "its machine is mended" }])
    await renamed("Still there")
    await visit.close()
  })

  test("a process that is frozen or killed is named, also to who comes later", async () => {
    const nodes = service.system.actors.filter(({ pid }) => pid !== null)
    expect(nodes.length).toBeGreaterThan(0)
    const edge = service.system.edges[1]
    const visit = await browser.visit(await desk.link())
    edge?.freeze()
    const named = new RegExp(`the process of edge pid ${edge?.pid} is silent since`)
    await waitFor(async () => named.test(await problemsOf(visit)))
    await visit.close()
    const later = await browser.visit(await desk.link())
    await waitFor(async () => named.test(await problemsOf(later)))
    edge?.thaw()
    await waitFor(async () => !named.test(await problemsOf(later)))
    await later.close()
  })
})

test("a full disk is named", async () => {
  const service = await smallDisk()
  const desk = await startConsole(service)
  const browser = await openBrowser()
  try {
    const visit = await browser.visit(await desk.link())
    await visit.page.locator("#verdict.healthy").waitFor()
    await takeRoom(service, (stored) => stored > 42 * 1_048_576)
    await visit.page.locator("#verdict", { hasText: "check disk" }).waitFor()
    await visit.close()
  } finally {
    await browser.stop()
    await desk.stop()
    await service.stop()
  }
})
