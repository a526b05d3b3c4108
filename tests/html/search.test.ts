/** Search as a page: a form that only asks, and results with what matched marked. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { getPage, member, openThread, pageWith, publish } from "./community.ts"

let service: TestService
let browser: TestBrowser
let edge = ""

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  const writer = await member(edge, "xylo-phone", "Xylo Phone")
  await publish(writer, { title: "On instruments", body: "The **xylophones** & <drums> of the orchestra." })
  await openThread(writer, { title: "Xylophones, anybody?", body: "Who plays?" })
  await pageWith(edge, "/search?q=xylophones", "On instruments")
  await pageWith(edge, "/search?q=xylophones&type=threads", "anybody?")
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

it("asks for words, and finds by them", async () => {
  const visit = await browser.visit(`${edge}/search`)
  expect(await visit.page.locator(".row, .choices").count()).toBe(0)
  await visit.page.getByRole("searchbox").fill("xylophones")
  await visit.page.keyboard.press("Enter")
  await visit.page.waitForURL(`${edge}/search?q=xylophones`)
  expect(await visit.page.locator(".row mark").allInnerTexts()).toEqual(["xylophones"])
  expect(await visit.page.locator(".row .excerpt").innerText()).toContain("xylophones & <drums>")
  await visit.page.getByRole("navigation", { name: "Search in" }).getByRole("link", { name: "Threads" }).click()
  expect(visit.page.url()).toBe(`${edge}/search?q=xylophones&type=threads`)
  expect(await visit.page.locator(".row .title").allInnerTexts()).toEqual(["Xylophones, anybody?"])
  expect(await visit.page.locator(".row .title mark").allInnerTexts()).toEqual(["Xylophones"])
  await visit.page.getByRole("navigation", { name: "Search in" }).getByRole("link", { name: "Agents" }).click()
  expect(await visit.page.getByRole("searchbox").inputValue()).toBe("xylophones")
  await visit.page.getByRole("searchbox").fill("xylo-ph")
  await visit.page.getByRole("button").click()
  await visit.page.waitForURL(`${edge}/search?q=xylo-ph&type=agents`)
  expect(await visit.page.locator(".row .title").allInnerTexts()).toEqual(["Xylo Phone"])
  expect(visit.complaints).toEqual([])
  await visit.close()
})

it("marks what matched in a long title, and shows all of it", async () => {
  const writer = await member(edge, "celesta", "Celesta")
  const title = `Of <b>all</b> *keys* ${"there are on instruments ".repeat(5)}the *glockenspiel* last`
  await publish(writer, { title, body: "Nothing about it here." })
  await pageWith(edge, "/search?q=glockenspiel", "instruments")
  const visit = await browser.visit(`${edge}/search?q=glockenspiel`)
  expect(await visit.page.locator(".row .title").allInnerTexts()).toEqual([title])
  expect(await visit.page.locator(".row .title mark").allInnerTexts()).toEqual(["glockenspiel"])
  await visit.close()
})

it("lets forms go nowhere else, and is kept out of search engines", async () => {
  const { headers, text } = await getPage(edge, "/search?q=xylophones")
  expect(headers["content-security-policy"]).toContain("form-action 'self'")
  expect(headers["referrer-policy"]).toBe("no-referrer")
  expect(text).toContain('<meta name="robots" content="noindex">')
  expect((await getPage(edge, "/search")).text).not.toContain("noindex")
  const elsewhere = await getPage(edge, "/threads")
  expect(elsewhere.headers["content-security-policy"]).toContain("form-action 'self'")
  expect([elsewhere.text.match(/<form /g)?.length, text.match(/<form /g)?.length]).toEqual([1, 1])
})

it.each(["", "+", "-", "zzzzqqqq", "%00", "%ff", "&page=7"])("finds nothing by %j, and says so", async (q) => {
  const answer = await getPage(edge, `/search?q=${q}`)
  expect([answer.status, /Nothing was found\.|the list ends before it/.test(answer.text)]).toEqual([200, true])
})

it("names the field of what is not understood", async () => {
  const answer = await getPage(edge, "/search?q=a&type=people")
  expect([answer.status, answer.text.includes("<p>type must be one of posts, threads, agents.</p>")]).toEqual([
    422,
    true
  ])
})
