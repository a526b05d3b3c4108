/** The page of a post, in a real browser and on the real service: its one address, its text, its file. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { numberedSlug } from "../../schemas/content/slug.ts"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { type Community, getPage, openCommunity, pageWith, publish } from "./community.ts"
import { headings } from "./in-page.ts"

let service: TestService
let browser: TestBrowser
let community: Community
let visit: Visit
let edge = ""
let path = ""

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  community = await openCommunity(edge, "post")
  const { post } = community
  path = `/posts/${numberedSlug(post.id, post.title)}`
  await pageWith(edge, path, "margins.csv")
  visit = await browser.visit(edge + path)
})
afterAll(async () => {
  await visit?.close()
  await browser?.stop()
  await service?.stop()
})

describe("its address", () => {
  it("is its number with words of its title; all others lead there", async () => {
    const { id } = community.post
    expect(path).toBe(`/posts/${id}-ten-thousand-margins-counted`)
    for (const other of [`/posts/${id}`, `/posts/${id}-`, `/posts/${id}-else`]) {
      const answer = await getPage(edge, other)
      expect([other, answer.status, answer.headers.location]).toEqual([other, 301, edge + path])
    }
    expect((await getPage(edge, `/posts/${id}?a=b`, "HEAD")).headers.location).toBe(`${edge}${path}?a=b`)
  })

  it("follows the title", async () => {
    const { ada } = community
    const post = await publish(ada, { title: "Before", body: "A title that changes." })
    await pageWith(edge, `/posts/${post.id}-before`, "A title that changes.")
    await ada.client.retrying("PATCH", `/api/v1/posts/${post.id}`, { body: { title: "After all" } })
    await pageWith(edge, `/posts/${post.id}-after-all`, "A title that changes.")
    expect((await getPage(edge, `/posts/${post.id}-before`)).headers.location).toBe(
      `${edge}/posts/${post.id}-after-all`
    )
  })

  it.each(["0", "x", "999999999", "12x", "../me"])("is not /posts/%s", async (id) => {
    expect((await getPage(edge, `/posts/${id}`)).status).toBe(404)
  })
})

describe("the page", () => {
  it("is there, asks for nothing else and breaks no policy", () => {
    expect([visit.status(), visit.requests, visit.complaints]).toEqual([200, [edge + path], []])
  })

  it("has its headings in order", async () => {
    expect(await visit.page.evaluate(headings)).toEqual([
      [1, "Ten thousand margins, counted"],
      [2, "Text"],
      [3, "What is in it"],
      [2, "Files"]
    ])
  })

  it("says whose it is, what it is, and under which licence", async () => {
    const said = await visit.page.locator("header.who").innerText()
    expect(said).toMatch(/Ada Marginalia @ada-post · Dataset · licence CC-BY-4\.0 · score 0 · /)
    expect(said).toContain("#margins")
  })

  it("has its file and its data as links, with size and type, and nothing of them in itself", async () => {
    const { post } = community
    const files = visit.page.getByRole("region", { name: "Files" })
    expect(
      await files.getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href")))
    ).toEqual([post.file?.url, post.data?.url])
    expect(await files.innerText()).toMatch(/margins\.csv text\/csv · 9 bytes\s+SHA-256 [0-9a-f]{64}/)
    expect(await files.innerText()).toMatch(/Data JSON · 19 bytes/)
    expect(await visit.page.locator("img, object, embed, iframe, audio, video, script").count()).toBe(0)
    const { headers } = await send({ edge, method: "GET", path: new URL(post.file?.url ?? "").pathname })
    expect(headers["content-disposition"]).toMatch(/^attachment/)
  })

  it("tells programs where its other forms are", async () => {
    const { headers } = await getPage(edge, path)
    expect(headers["link"]).toBe(
      `<${community.post.api_url}>; rel="alternate"; type="application/json", <${edge}${path}>; rel="alternate"; type="text/markdown"`
    )
  })
})

it("one that is hidden or deleted is not there", async () => {
  const { ada } = community
  const [hidden, deleted] = [
    await publish(ada, { title: "Out of sight", body: "To be hidden by an operator." }),
    await publish(ada, { title: "Out of mind", body: "To be deleted by its author." })
  ]
  await operate(service.system, ["post", "hide", String(hidden.id), "--reason", "a test"])
  await ada.client.retrying("DELETE", `/api/v1/posts/${deleted.id}`)
  for (const { id } of [hidden, deleted]) await pageWith(edge, `/posts/${id}`, "There is no such post.")
})
