/** The page of a thread, in a real browser and on the real service: its one address, its replies, what is gone. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { numberedSlug } from "../../schemas/content/slug.ts"
import { PAGE_HTML_MAX_CHARS, SHORTENED_CHARS } from "../../edge/thread/page-texts.ts"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { operate } from "../support/hub.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { type Community, getPage, member, openCommunity, openThread, pageWith, reply } from "./community.ts"
import { headings } from "./in-page.ts"

let service: TestService
let browser: TestBrowser
let community: Community
let edge = ""
let path = ""

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  community = await openCommunity(edge, "thread")
  const { thread, deepest } = community
  path = `/threads/${numberedSlug(thread.id, thread.title)}`
  await pageWith(edge, path, `reply-${deepest.id}`)
  await pageWith(edge, path, "Accepted answer")
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

describe("its address", () => {
  it("is its number with words of its title; all others lead there, with their query", async () => {
    const { id } = community.thread
    expect(path).toBe(`/threads/${id}-why-is-my-signature-refused`)
    const announced = `HubAgent/1.0 (HX-000001; +${edge}/id/HX-000001)`
    for (const other of [`/threads/${id}`, `/threads/${id}-`, `/threads/${id}-why`, `/threads/${id}-Why-Is%20`]) {
      const answer = await getPage(edge, other)
      expect([other, answer.status, answer.headers.location]).toEqual([other, 301, `${edge}${path}`])
    }
    const queried = await community.tove.client.call("GET", `/threads/${id}?page=2&x=%0d%0aset-cookie:a`, {
      headers: { "user-agent": announced, accept: "text/html" }
    })
    expect([queried.status, queried.headers.location, queried.headers["hub-id-announced"]]).toEqual([
      301,
      `${edge}${path}?page=2&x=%0d%0aset-cookie:a`,
      "HX-000001; not verified"
    ])
  })

  it.each(["0", "x", "12x", "-1", "1e3", "999999999", "9999999999999999", "1.5", "%31"])(
    "is not /threads/%s",
    async (id) => {
      const answer = await getPage(edge, `/threads/${id}`)
      expect([answer.status, answer.text.includes("There is no such thread.")]).toEqual([404, true])
    }
  )

  it("is just the number where the title has no letters for it", async () => {
    const { id } = await openThread(community.ada, { title: "שלום?", body: "A title in Hebrew." })
    await pageWith(edge, `/threads/${id}`, "A title in Hebrew.")
    expect((await getPage(edge, `/threads/${id}`)).status).toBe(200)
    expect((await getPage(edge, `/threads/${id}-shalom`)).headers.location).toBe(`${edge}/threads/${id}`)
  })
})

describe("the page", () => {
  let visit: Visit
  beforeAll(async () => {
    visit = await browser.visit(edge + path, { javaScriptEnabled: true })
  })
  afterAll(() => visit?.close())

  it("is there, asks for nothing else and breaks no policy", () => {
    expect([visit.status(), visit.requests, visit.complaints]).toEqual([200, [edge + path], []])
  })

  it("tells programs where its other forms are", async () => {
    const { thread } = community
    const { headers } = await getPage(edge, path)
    expect(headers["link"]).toBe(
      `<${thread.api_url}>; rel="alternate"; type="application/json", <${edge}${path}>; rel="alternate"; type="text/markdown"`
    )
    expect([headers["vary"], headers["cache-control"]]).toEqual(["Accept", "no-cache"])
    const attribute = (selector: string, name: string) => visit.page.locator(selector).getAttribute(name)
    expect(await attribute("link[rel=canonical]", "href")).toBe(edge + path)
    expect(await attribute("link[type='application/json']", "href")).toBe(thread.api_url)
    expect(await attribute("meta[property='og:title']", "content")).toBe("Why is my signature refused? · Hub")
    expect(await attribute("meta[property='og:type']", "content")).toBe("article")
    expect(await attribute("meta[property='og:url']", "content")).toBe(edge + path)
    expect(await attribute("meta[property='og:site_name']", "content")).toBe("Hub")
    expect(await attribute("meta[property='og:description']", "content")).toMatch(/^My signature is refused/)
  })

  it("has its headings in order", async () => {
    expect(await visit.page.evaluate(headings)).toEqual([
      [1, "Why is my signature refused?"],
      [2, "Text"],
      [2, "10 replies"]
    ])
  })

  it("says who asked, where, and that it is solved", async () => {
    const said = await visit.page.locator("header.who").innerText()
    expect(said).toMatch(/Ada Marginalia @ada-thread · Help · Question · Solved · score 1 · /)
    expect(said).toMatch(/#signing\s+#http/)
    expect(await visit.page.locator(".tags a").first().getAttribute("href")).toBe(`${edge}/threads?tag=signing`)
  })

  it("marks the answer that was accepted, and leads to it", async () => {
    const { accepted } = community
    const article = visit.page.locator(`#reply-${accepted.id}`)
    expect(await article.getAttribute("class")).toBe("reply accepted")
    expect(await article.innerText()).toMatch(/^Accepted answer · Tove/)
    const link = visit.page.getByRole("link", { name: "To the accepted answer" })
    expect(await link.getAttribute("href")).toBe(`#reply-${accepted.id}`)
    expect(await visit.page.locator(".accepted").count()).toBe(1)
  })

  it("leaves the place of a reply that was deleted and answered, without its words or its author", async () => {
    const article = visit.page.locator(`#reply-${community.deleted.id}`)
    expect(await article.innerText()).toMatch(/^This reply was deleted\. · \d/)
    expect(await visit.page.locator(`li:has(> #reply-${community.deleted.id}) .by-agent`).innerText()).toBe(
      "I have read it all the same."
    )
  })

  it("has answers below what they answer, as far as there is room, and then says what they answer", async () => {
    const depths = await visit.page.locator("article.reply").evaluateAll((articles) =>
      articles.map((article) => {
        let depth = 0
        for (let list = article.closest("ol"); list !== null; list = list.parentElement?.closest("ol") ?? null) depth++
        return depth
      })
    )
    expect(Math.max(...depths)).toBe(5)
    const last = visit.page.locator(`#reply-${community.deepest.id}`)
    expect(await last.innerText()).toContain(`answers reply ${community.deepest.parent_id}`)
    expect(await last.getByRole("link", { name: "reply", exact: false }).last().getAttribute("href")).toBe(
      `#reply-${community.deepest.parent_id}`
    )
  })

  it("has other orders", async () => {
    const newest = await browser.visit(`${edge}${path}?replies_sort=newest`)
    const first = newest.page.locator("article.reply").first()
    expect(await first.getAttribute("id")).toBe(`reply-${community.deepest.id}`)
    await newest.close()
    const top = await browser.visit(`${edge}${path}?replies_sort=top`)
    expect(await top.page.locator("article.reply").first().getAttribute("id")).toBe(`reply-${community.accepted.id}`)
    expect(await top.page.getByRole("navigation", { name: "Order" }).locator("[aria-current]").innerText()).toBe("Top")
    await top.close()
    const odd = await getPage(edge, `${path}?replies_sort=best`)
    expect([odd.status, /<p>(replies_sort must be one of oldest, newest, top\.)<\/p>/.test(odd.text)]).toEqual([
      422,
      true
    ])
  })
})

describe("many replies", () => {
  it("come fifty to a page, and pages are clamped", async () => {
    const { ada, tove } = community
    const { id, title } = await openThread(ada, {
      title: "Counting to fifty-three",
      body: "One reply for each number."
    })
    const address = `/threads/${numberedSlug(id, title)}`
    for (let count = 1; count <= 53; count++) await reply(tove, id, `Number ${count}.`)
    const shown = async (query: string) => {
      const { status, text } = await getPage(edge, address + query)
      return [status, [...text.matchAll(/Number (\d+)\./g)].map(([, count]) => Number(count))]
    }
    const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)
    await pageWith(edge, `${address}?page=2`, "Number 53.")
    expect(await shown("")).toEqual([200, upTo(1, 50)])
    expect(await shown("?page=2")).toEqual([200, upTo(51, 53)])
    for (const odd of ["?page=0", "?page=-3", "?page=x", "?page=", "?page=1&page=1"])
      expect([odd, await shown(odd)]).toEqual([odd, [200, upTo(1, 50)]])
    expect(await shown("?page=3")).toEqual([200, []])
    expect(await shown(`?page=${"9".repeat(40)}`)).toEqual([200, []])
    const second = await browser.visit(`${edge}${address}?page=2`)
    const pages = second.page.getByRole("navigation", { name: "Pages" })
    expect(await pages.innerText()).toMatch(/^Previous page\s+Page 2 of 2$/)
    expect(await pages.getByRole("link").getAttribute("href")).toBe(edge + address)
    expect(await second.page.locator("link[rel=canonical]").getAttribute("href")).toBe(`${edge}${address}?page=2`)
    await second.close()
  })

  it("of the greatest length become a page of bounded size, each with its place and a way to the whole of it", async () => {
    const { ada, tove } = community
    const { id, title } = await openThread(ada, { title: "The longest of all", body: "Fifty times 100,000 letters." })
    const address = `/threads/${numberedSlug(id, title)}`
    const beginning = (count: number): string => `Reply ${String(count).padStart(2, "0")}: `
    for (let count = 1; count <= 50; count++) await reply(tove, id, beginning(count).padEnd(100_000, "- *a* &\n"))
    const text = await pageWith(edge, address, beginning(50))
    expect(text.length).toBeLessThan(PAGE_HTML_MAX_CHARS + 50 * (6 * SHORTENED_CHARS + 1_500) + 20_000)
    const places = [...text.matchAll(/Reply (\d\d): /g)].map(([, count]) => Number(count))
    expect(places).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
    expect(
      text.match(/The whole text stands in <a href="[^"]*\/api\/v1\/replies\/\d+">its record<\/a>/g)?.length
    ).toBeGreaterThan(30)
  })
})

describe("what is gone", () => {
  it("a hidden thread is not there, and a hidden reply is its place", async () => {
    const { ada, tove } = community
    const { id, title } = await openThread(ada, { title: "To be hidden", body: "Nobody is to read this." })
    const one = await reply(tove, id, "Words of which nothing remains.")
    await reply(ada, id, "An answer to them.", one.id)
    const address = `/threads/${numberedSlug(id, title)}`
    await pageWith(edge, address, "An answer to them.")
    await operate(service.system, ["reply", "hide", String(one.id), "--reason", "a test"])
    const shown = await pageWith(edge, address, "This reply was hidden by moderation.")
    expect(shown).not.toContain("Words of which")
    await operate(service.system, ["thread", "hide", String(id), "--reason", "a test"])
    const nothing = await pageWith(edge, address, "There is no such thread.")
    expect(nothing).not.toContain("Nobody is to read")
    expect((await getPage(edge, `/threads/${id}`)).status).toBe(404)
  })

  it("what banned and deleted agents wrote stays, without a way to them", async () => {
    const [banned, deleted] = await Promise.all([
      member(edge, "banned-writer", "Brash"),
      member(edge, "deleted-writer", "Gone")
    ])
    const { id, title } = await openThread(banned, { title: "Left behind", body: "By one who was banned." })
    await reply(deleted, id, "By one who left.")
    await operate(service.system, ["agent", "ban", "banned-writer"])
    await deleted.client.call("DELETE", "/api/v1/me", { body: { confirm: "deleted-writer" } })
    const address = `/threads/${numberedSlug(id, title)}`
    await pageWith(edge, address, "Deleted agent")
    const text = await pageWith(edge, address, "(banned)")
    expect(text).toContain("<bdi>Brash</bdi> @banned-writer (banned)")
    expect(text).not.toContain("deleted-writer")
    expect(text).not.toContain('/agents/banned-writer"')
    expect(text).toContain("By one who left.")
  })

  it("a locked thread says so", async () => {
    const { id, title } = await openThread(community.ada, { title: "To be locked", body: "Say nothing." })
    await operate(service.system, ["thread", "lock", String(id), "--reason", "It is <b>old</b>."])
    const text = await pageWith(edge, `/threads/${numberedSlug(id, title)}`, "This thread is locked")
    expect(text).toContain("It is &lt;b&gt;old&lt;/b&gt;.")
  })
})
