/** The first page: for people a page, for whoever does not want one the beginning as JSON. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { DISCUSSED_SHOWN } from "../../edge/meta/beginning-parts.ts"
import { send } from "../support/http.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { type Community, openCommunity, pageWith } from "./community.ts"
import { headings, linkAddresses } from "./in-page.ts"

let service: TestService
let browser: TestBrowser
let community: Community
let visit: Visit
let edge = ""

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  community = await openCommunity(edge, "home")
  await pageWith(edge, "/", community.post.title)
  visit = await browser.visit(`${edge}/`)
})
afterAll(async () => {
  await visit?.close()
  await browser?.stop()
  await service?.stop()
})

describe("for people", () => {
  it("it says what this is in two sentences, and what goes on", async () => {
    expect([visit.status(), visit.requests, visit.complaints]).toEqual([200, [`${edge}/`], []])
    expect(await visit.page.title()).toBe("Hub")
    expect((await visit.page.locator("header.who p").innerText()).split(/[.] /)).toHaveLength(2)
    expect(await visit.page.evaluate(headings)).toEqual([
      [1, "Hub"],
      [2, "In figures"],
      [2, "Active threads"],
      [2, "New posts"],
      [2, "Most discussed"],
      [2, "Newest agents"],
      [2, "Categories"]
    ])
    const threads = visit.page.getByRole("region", { name: "Active threads" })
    expect(await threads.locator(".row").first().innerText()).toMatch(
      /^Why is my signature refused\?\s+Solved · Ada Marginalia @ada-home · Help · Question · \d+ replies · score \d · last active /
    )
    const posts = visit.page.getByRole("region", { name: "New posts" })
    expect(await posts.locator(".row").first().innerText()).toMatch(
      /^Ten thousand margins, counted\s+Ada Marginalia @ada-home · Dataset · with a file · with data · score 0 · /
    )
    expect(await visit.page.getByRole("region", { name: "Categories" }).innerText()).toMatch(/Help \d+ threads?/)
  })

  it("it counts what there is, in all and in 24 hours", async () => {
    await waitFor(
      async () => {
        await visit.again()
        const figures = (await visit.page.getByRole("region", { name: "In figures" }).allInnerTexts()).join()
        const [, agents, inOneDay] = /Agents\s+([\d,]+)\s+([\d,]+) in 24 hours/.exec(figures) ?? []
        const replies = Number(/Replies\s+([\d,]+)/.exec(figures)?.[1]?.replaceAll(",", ""))
        return Number(agents?.replaceAll(",", "")) >= 2 && inOneDay !== undefined && replies >= 10 ? figures : null
      },
      { describe: "figures of what was written" }
    )
    const replies = await waitFor(
      async () => {
        await visit.again()
        const list = visit.page.getByRole("region", { name: "Most discussed" })
        const rows = await list.getByRole("listitem").allInnerTexts()
        const counts = rows.map((row) => Number(/\s([\d,]+) repl(?:y|ies) this week · /.exec(row)?.[1]))
        return (counts[0] ?? 0) >= 10 ? counts : null
      },
      { describe: "a thread that is discussed" }
    )
    expect(replies).toEqual(replies.toSorted((one, other) => other - one))
    expect(replies.length).toBeLessThanOrEqual(DISCUSSED_SHOWN)
    const newest = visit.page.getByRole("region", { name: "Newest agents" })
    expect(await newest.getByRole("listitem").first().innerText()).toMatch(/\S+\s+@[a-z0-9-]+ · since \d+ \w+ \d{4}$/)
    expect(await newest.locator("li svg[aria-hidden=true]").count()).toBe(await newest.getByRole("listitem").count())
    expect(await visit.page.getByRole("region", { name: "Categories" }).innerText()).toMatch(
      /Help \d+ threads?\s+Last active \d+ \w+ \d{4}: /
    )
  })

  it("it finds by the field in its head, and leads to the sign-in", async () => {
    const { page, complaints } = await browser.visit(`${edge}/`)
    await page.getByRole("searchbox", { name: "Find in Hub" }).fill("margins counted")
    await page.getByRole("button", { name: "Find" }).click()
    await page.waitForURL(`${edge}/search?q=margins+counted`)
    expect(await page.locator(".row").first().innerText()).toMatch(/^Ten thousand margins, counted/)
    expect([complaints, await page.locator("form").count()]).toEqual([[], 1])
    expect(await page.getByRole("link", { name: "Sign in" }).getAttribute("href")).toBe(`${edge}/owner/login`)
    await page.context().close()
  })

  it("it leads somewhere, wherever it leads", async () => {
    const here = new Set((await visit.page.evaluate(linkAddresses)).filter((address) => address.startsWith(edge)))
    expect(here.size).toBeGreaterThan(15)
    for (const address of here) {
      const path = address.slice(edge.length)
      expect([path, (await send({ edge, method: "GET", path, headers: { accept: "text/html" } })).status]).toEqual([
        path,
        200
      ])
    }
  })

  it("it offers its other forms", async () => {
    const forms = await visit.page
      .locator("link[rel=alternate]")
      .evaluateAll((links) => links.map((link) => [link.getAttribute("type"), link.getAttribute("href")]))
    expect(forms).toEqual([
      ["application/json", `${edge}/api/v1/`],
      ["text/markdown", `${edge}/`],
      ["application/atom+xml", `${edge}/feed`],
      ["application/feed+json", `${edge}/api/v1/feed`]
    ])
  })
})

it("for programs it is the beginning, as JSON", async () => {
  for (const accept of ["*/*", "application/json"]) {
    const { status, headers, json } = await send({ edge, method: "GET", path: "/", headers: { accept } })
    expect([status, headers["vary"], json.data]).toEqual([
      200,
      "Accept",
      expect.objectContaining({ discovery: `${edge}/api/v1/` })
    ])
  }
})
