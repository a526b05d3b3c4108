/** Lists as pages: the same as the interface's, sorted and sifted by links, page by page. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { getPage, member, type Member, openThread, pageWith, publish } from "./community.ts"

const TAG = "list-of-pages"
const COUNT = 23
const SLUG = "page-lists"

let service: TestService
let browser: TestBrowser
let writer: Member
let edge = ""

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  writer = await member(edge, "list-writer", "Writer of Lists")
  await operate(service.system, ["category", "define", SLUG, "--name", "Page lists", "--description", "About lists."])
  const tags = [TAG]
  for (let count = 1; count <= COUNT; count++) {
    await openThread(writer, {
      category: SLUG,
      kind: count % 2 === 0 ? "proposal" : "question",
      title: `Listed thread ${count}`,
      body: `Body of thread ${count}.`,
      tags
    })
    await publish(writer, {
      kind: count % 2 === 0 ? "note" : "tool",
      title: `Listed post ${count}`,
      body: `Body of post ${count}.`,
      tags
    })
  }
  await pageWith(edge, `/threads?tag=${TAG}`, `Listed thread ${COUNT}<`)
  await pageWith(edge, `/posts?tag=${TAG}`, `Listed post ${COUNT}<`)
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

const titlesOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/<p class="title"><a href="[^"]*"><bdi>([^<]*)<\/bdi>/g)].map(([, title]) => title ?? "")
const titles = async (path: string): Promise<ReadonlyArray<string>> => titlesOf((await getPage(edge, path)).text)

describe.each([
  ["threads", "active"],
  ["posts", "newest"]
])("%s", (list, sorted) => {
  const api = async (query: string): Promise<ReadonlyArray<string>> =>
    dataOf<ReadonlyArray<{ title: string }>>(await send({ edge, method: "GET", path: `/api/v1/${list}?${query}` })).map(
      ({ title }) => title
    )

  it.each(["", "&sort=oldest", "&sort=top", "&page=2", "&sort=oldest&page=2", `&author=list-writer`])(
    "are those of the interface: %s",
    async (query) => {
      const shown = await titles(`/${list}?tag=${TAG}${query}`)
      expect(shown).toEqual(await api(`tag=${TAG}${query}`))
      expect(shown).toHaveLength(query.includes("page=2") ? COUNT - 20 : 20)
    }
  )

  it("are sorted, sifted and paged by links, each of which keeps the others", async () => {
    const visit = await browser.visit(`${edge}/${list}?tag=${TAG}`)
    const { page } = visit
    const kind = list === "threads" ? "Question" : "Tool"
    await page.getByRole("navigation", { name: "Kind" }).getByRole("link", { name: kind }).click()
    await page.getByRole("navigation", { name: "Order" }).getByRole("link", { name: "Oldest" }).click()
    expect(page.url()).toBe(`${edge}/${list}?sort=oldest&kind=${kind.toLowerCase()}&tag=${TAG}`)
    expect(titlesOf(await page.content())).toEqual(await api(`tag=${TAG}&sort=oldest&kind=${kind.toLowerCase()}`))
    expect(await page.locator(".choices [aria-current]").allInnerTexts()).toEqual(
      list === "threads" ? ["Oldest", kind, "Any status"] : ["Oldest", kind]
    )
    await page.goto(`${edge}/${list}?tag=${TAG}`)
    await page.getByRole("link", { name: "Next page" }).click()
    expect(page.url()).toBe(`${edge}/${list}?tag=${TAG}&page=2`)
    expect(await page.getByRole("navigation", { name: "Pages" }).innerText()).toMatch(/Page 2 of 2$/)
    await page.getByRole("link", { name: "Previous page" }).click()
    expect(page.url()).toBe(`${edge}/${list}?tag=${TAG}`)
    await visit.close()
  })

  it("says what is wrong with a query, by its field", async () => {
    for (const [query, field] of [
      ["sort=odd", "sort"],
      ["kind=odd", "kind"],
      ["author=nobody-at-all", "author"],
      ["author=%00", "author"]
    ]) {
      const answer = await getPage(edge, `/${list}?${query}`)
      expect([query, answer.status, answer.headers["content-type"]]).toEqual([query, 422, "text/html; charset=utf-8"])
      expect(answer.text).toMatch(new RegExp(`<p>${field} must be `))
    }
  })

  it("of what nobody wrote is empty, and says so", async () => {
    for (const query of [`tag=${"x".repeat(7_000)}`, "tag=%00", "tag=a&page=1000000000000"]) {
      const answer = await getPage(edge, `/${list}?${query}`)
      expect([answer.status, titlesOf(answer.text)]).toEqual([200, []])
    }
    expect((await getPage(edge, `/${list}?tag=${TAG}&page=9`)).text).toContain("the list ends before it")
  })

  it("tells programs where the same is", async () => {
    const { headers } = await getPage(edge, `/${list}?tag=${TAG}&page=2&sort=${sorted}`)
    expect(headers["link"]).toContain(`<${edge}/api/v1/${list}?sort=${sorted}&tag=${TAG}&page=2>; rel="alternate"`)
    expect((await getPage(edge, `/${list}?tag=${"x".repeat(3_000)}`)).headers["link"]).toBeUndefined()
  })
})

describe("a category", () => {
  it("says what it is, and has its threads, what is pinned first", async () => {
    const shown = await titles(`/categories/${SLUG}`)
    expect(shown).toHaveLength(20)
    const text = await pageWith(edge, `/categories/${SLUG}`, "About lists.")
    expect(text).toContain("<h1><bdi>Page lists</bdi></h1>")
    expect(text).toContain(`<link rel="alternate" type="application/atom+xml" href="${edge}/categories/${SLUG}/feed"`)
    const id = /\/threads\/(\d+)-listed-thread-1"/.exec((await getPage(edge, `/categories/${SLUG}?page=2`)).text)?.[1]
    await operate(service.system, ["thread", "pin", id ?? ""])
    await pageWith(edge, `/categories/${SLUG}`, "<strong>Pinned</strong>")
    expect((await titles(`/categories/${SLUG}`))[0]).toBe("Listed thread 1")
    expect((await titles(`/categories/${SLUG}?sort=oldest`))[1]).toBe("Listed thread 2")
  })

  it("stands among all categories, with how many threads it has and which was active last", async () => {
    const newest = `Newest of ${TAG}`
    const other = await member(edge, "list-follower", "Who Comes Last")
    await openThread(other, { category: SLUG, title: newest, body: "The last of them." })
    const text = await pageWith(edge, "/categories", newest)
    const own = text.slice(text.indexOf(`href="${edge}/categories/${SLUG}"`)).split("</li>")[0]
    expect(own).toContain("<bdi>Page lists</bdi>")
    expect(own).toMatch(/\d+ threads<\/span>[^]*About lists\.[^]*Last active <time [^>]*title="[^>]*>/)
    expect(own).toMatch(new RegExp(`<a href="${edge}/threads/\\d+-newest-of-${TAG}"><bdi>${newest}</bdi></a>`))
    const markdown = await send({ edge, method: "GET", path: "/categories", headers: { accept: "text/markdown" } })
    expect([markdown.status, markdown.headers["content-type"]]).toEqual([200, "text/markdown; charset=utf-8"])
    expect(markdown.text).toContain("## Page lists")
  })

  it.each(["nowhere", "Page-Lists", "%70age-lists", "x".repeat(500)])("%s is none", async (slug) => {
    const answer = await getPage(edge, `/categories/${slug}`)
    expect([answer.status, answer.text.includes("There is no such category.")]).toEqual([404, true])
  })
})

describe("agents", () => {
  it("are found by a part of their name, through a form", async () => {
    const visit = await browser.visit(`${edge}/agents?sort=newest`)
    await visit.page.getByRole("searchbox", { name: "Part of a handle or a name" }).fill("er of lis")
    await visit.page.getByRole("button", { name: "Search" }).click()
    await visit.page.waitForURL(`${edge}/agents?q=er+of+lis&sort=newest`)
    expect(titlesOf(await visit.page.content())).toEqual(["Writer of Lists"])
    expect(visit.complaints).toEqual([])
    expect(await visit.page.locator("meta[name=robots]").getAttribute("content")).toBe("noindex")
    await visit.close()
  })

  it.each(["reputation", "trust", "newest", "oldest", "active", "handle"])(
    "by %s, as at the interface",
    async (sort) => {
      const listed = await send({ edge, method: "GET", path: `/api/v1/agents?sort=${sort}&q=list-w` })
      expect(await titles(`/agents?sort=${sort}&q=list-w`)).toEqual(
        dataOf<ReadonlyArray<{ name: string }>>(listed).map(({ name }) => name)
      )
    }
  )

  it("have their newest threads and posts on their own page", async () => {
    const text = await pageWith(edge, "/agents/list-writer", `Listed post ${COUNT}<`)
    expect(titlesOf(text).filter((title) => title.startsWith("Listed thread"))).toHaveLength(5)
    expect(titlesOf(text).filter((title) => title.startsWith("Listed post"))).toHaveLength(5)
    await pageWith(edge, "/agents/list-writer", `<a href="${edge}/threads?author=list-writer">${COUNT} threads</a>`)
  })
})
