/**
 * A compartment on its owner's pages: what he sees, that he may stop it and nothing else, that it is not there for others,
 * its link, and that what programs write comes to nothing. Over real edges and actors, with a host that is played.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { violations } from "../accessible.ts"
import type { Compartment, LogLine } from "../../../schemas/compartment/records.ts"
import { openBrowser, type TestBrowser } from "../../support/browser.ts"
import { dataOf, outcome } from "../../support/outcome.ts"
import { ownedBy, type TestOwner } from "../../support/owner.ts"
import { SILENT } from "../../support/played-host.ts"
import type { Carried } from "../../support/sponsorship.ts"
import { overflow } from "../in-page.ts"
import { TEXTS } from "../payloads.ts"
import { formsOf, headingOf, OwnerClient } from "./client.ts"
import { Compartments, NEW, pathOf, steered } from "./compartments.ts"

let all: Compartments
let browser: TestBrowser
beforeAll(async () => {
  all = await Compartments.start()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await all?.stop()
})

describe("one of an agent", () => {
  let owner: TestOwner
  let carried: Carried
  let id: string
  beforeAll(async () => {
    const pair = await ownedBy(all.service.edges, await all.person())
    ;({ owner, agent: carried } = pair)
    const body = { name: "own", command: "echo '<b>bold</b>'", accept_terms: true }
    const answer = await carried.client.call("POST", "/api/v1/compartments", { body })
    expect(outcome(answer)).toBe("201")
    id = dataOf<Compartment>(answer).id
    await all.runs(id)
  })

  it("is found from both pages of its owner, and may be stopped by him, and nothing else", async () => {
    for (const page of ["/owner", owner.page(carried)])
      expect((await owner.client.get(page)).text).toContain(`href="${pathOf(id)}"`)
    const page = await owner.client.get(pathOf(id))
    expect(headingOf(page)).toBe("")
    expect(page.text).toContain("echo &#39;&lt;b&gt;bold&lt;/b&gt;&#39;")
    expect(formsOf(page.text).flatMap(({ fields }) => fields["act"] ?? [])).toEqual(["stop"])
    const { fields } = await owner.client.form(pathOf(id), pathOf(id), { act: "stop" })
    for (const act of ["start", "restart", "delete"])
      expect((await owner.client.post(pathOf(id), { ...fields, act, confirm: "own" })).status).toBe(403)
    const by = { type: "human", human: owner.id } as const
    await expect(all.service.view.command("compartment.start", id, { by })).rejects.toThrow("compartment")
    expect((await steered(owner, id, "stop")).status).toBe(303)
    await all.stops(id)
    expect(outcome(await carried.client.call("POST", `/api/v1/compartments/${id}/start`))).toBe("202")
    await all.runs(id)
  })

  it("is not there for anybody else", async () => {
    const other = await all.person()
    const { fields } = await owner.client.form(pathOf(id), pathOf(id), { act: "stop" })
    expect((await other.client.get(pathOf(id))).status).toBe(404)
    expect((await other.client.post(pathOf(id), fields)).status).toBe(403)
    expect((await other.client.get("/owner/compartments/cmp_1")).status).toBe(404)
    const guest = new OwnerClient(() => all.service.edges[0] ?? "")
    expect((await guest.get(pathOf(id))).headers.location).toContain("/owner/login?next=")
  })

  it("shows a link to the browser that opens it first, and to nobody else", async () => {
    const link = () => carried.client.call("POST", `/api/v1/compartments/${id}/web-link`)
    const path = new URL(dataOf<{ url: string }>(await link()).url).pathname
    const ahead = await new OwnerClient(() => all.service.edges[0] ?? "").get(path)
    expect([ahead.status, ahead.text.includes("What it wrote")]).toEqual([200, false])
    const first = new OwnerClient(() => all.service.edges[0] ?? "")
    expect((await first.fill(path, {})).headers.location).toBe(path)
    const opened = await first.get(path)
    expect([opened.status, opened.text.includes("What it wrote"), formsOf(opened.text)]).toEqual([200, true, []])
    expect(first.set.get("hub_owner_link")).toMatch(
      new RegExp(
        `^hub_owner_link=[0-9a-f]{64}; Path=${path.replace(".", "\\.")}; HttpOnly; SameSite=Lax; Max-Age=3600$`
      )
    )
    expect(opened.headers).toMatchObject({
      "cache-control": "no-store",
      "x-robots-tag": "noindex",
      "referrer-policy": "no-referrer"
    })
    expect((await first.get(path)).status).toBe(200)
    const second = new OwnerClient(() => all.service.edges[1] ?? "")
    expect([(await second.get(path)).status, second.set.size]).toEqual([404, 0])
    second.cookies.set("hub_owner_link", "x".repeat(43))
    expect((await second.get(path)).status).toBe(404)
    for (const wrong of [`${path}x`, `/owner/links/${id}.${"a".repeat(32)}`, "/owner/links/nothing"])
      expect((await first.get(wrong)).status).toBe(404)
  })

  it("shows what its program wrote, and nothing comes of it", async () => {
    const at = new Date().toISOString()
    const hostile = [...TEXTS, "\u001b[2J\u001b]0;gone\u0007", "\u202eevil", "a\u0301".repeat(1) + "\u0301".repeat(500)]
    const lines = hostile.map((line, index): LogLine => ({ id: index + 1, at, stream: "stderr", line }))
    const long = { id: lines.length + 1, at, stream: "stdout", line: "w".repeat(8192) } as const
    const numbers = { pids: 3, rx_bytes: 1_500_000, tx_bytes: 10, uptime_seconds: 61 }
    const stats = { at, cpu_percent: 20.5, memory_mb: 900, disk_mb: 12, ...numbers }
    const history = [10, 60.5, 20].map((cpu_percent) => ({ at, cpu_percent, memory_mb: 900 }))
    all.host.says = { lines: [...lines, long], stats, disk_mb: 12, history }
    try {
      const page = await owner.client.get(pathOf(id))
      expect(page.text).toContain("\\u001b[2J")
      for (const driving of ["\u001b", "\u0007", "\u202e"]) expect(page.text).not.toContain(driving)
      expect(page.text).not.toContain("w".repeat(1001))
      expect(page.text).not.toContain("\u0301".repeat(65))
      expect(page.text).toContain("20.5 of 50 % of one")
      expect(page.text).toContain('class="over"')
      // Of processor: 10, above its 50 percent, and 20.
      expect(page.text).toContain('<polyline points="0,19.2 50,0 100,14.4"/>')
      expect(page.text).toContain("30.2 % on average, 60.5 % at most")
      for (const colorScheme of ["light", "dark"] as const) {
        const visit = await browser.visit(`${all.service.edges[0]}/owner/login`, {
          bypassCSP: true,
          colorScheme,
          viewport: { width: 320, height: 740 }
        })
        await visit.page.getByLabel("E-mail address").fill(owner.client.email)
        await visit.page.getByLabel("Password", { exact: true }).fill(owner.client.password)
        await visit.page.getByRole("button", { name: "Log in", exact: true }).click()
        await visit.page.getByRole("heading", { level: 1, name: "Your agents" }).waitFor()
        for (const path of [pathOf(id), NEW, "/owner", owner.page(carried)]) {
          await visit.to(`${all.service.edges[0]}${path}`)
          expect(await violations(visit), path).toEqual([])
          expect(await visit.page.evaluate(overflow), path).toBe(0)
          expect(await visit.page.evaluate("window.__pwned"), path).toBeUndefined()
        }
        await visit.close()
      }
    } finally {
      all.host.says = SILENT
    }
  })

  it("is shown without its host, too", async () => {
    all.host.stop()
    const page = await owner.client.get(pathOf(id))
    expect([page.status, page.text.split("Its host does not tell at the moment.").length - 1]).toEqual([200, 2])
  })
})
