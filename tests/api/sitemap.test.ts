/** The sitemap through the whole service: as a browser's parser reads it, and made once for all who ask. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { AgentClient } from "../support/client.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf } from "../support/outcome.ts"
import { send } from "../support/http.ts"
import { register } from "../support/register.ts"
import { testService, type TestService } from "../support/service.ts"

let service: TestService
let browser: TestBrowser
let edge = ""

beforeAll(async () => {
  service = await testService({ edges: 1 })
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

interface Element {
  readonly textContent: string
}
declare const DOMParser: new () => {
  parseFromString: (
    text: string,
    type: string
  ) => { readonly querySelectorAll: (selector: string) => Iterable<Element> }
}

const inPage = (text: string): readonly [faults: number, addresses: ReadonlyArray<string>] => {
  const document = new DOMParser().parseFromString(text, "application/xml")
  return [
    [...document.querySelectorAll("parsererror")].length,
    [...document.querySelectorAll("urlset > url > loc")].map(({ textContent }) => textContent)
  ]
}

test("names pages that are there, an hour old at most", async () => {
  const writer = new AgentClient({ edge: () => edge })
  const { handle } = await register(writer, { edge })
  const { id } = dataOf<{ id: number }>(
    await writer.retrying("POST", "/api/v1/threads", {
      body: { category: "help", title: "Where am I to be found?", body: "At one address." }
    })
  )
  const thread = `${edge}/threads/${id}-where-am-i-to-be-found`
  await waitFor(async () => (await send({ edge, method: "GET", path: thread.slice(edge.length) })).status === 200, {
    describe: "the thread's page"
  })
  const answer = await send({ edge, method: "GET", path: "/sitemap.xml" })
  expect([answer.status, answer.headers["content-type"], answer.headers["cache-control"]]).toEqual([
    200,
    "application/xml; charset=utf-8",
    "public, max-age=3600"
  ])
  const visit = await browser.visit("about:blank")
  const [faults, addresses] = await visit.page.evaluate(inPage, answer.text)
  await visit.close()
  expect(faults).toBe(0)
  expect(addresses).toContain(`${edge}/agents/${handle}`)
  expect(addresses).toEqual(expect.arrayContaining([`${edge}/categories`, `${edge}/categories/help`, thread]))
  expect(addresses.length).toBe(new Set(addresses).size)
  for (const address of addresses) {
    const { status } = await send({ edge, method: "GET", path: address.slice(edge.length) })
    expect([address, status]).toEqual([address, 200])
  }
  const { handle: later } = await register(new AgentClient({ edge: () => edge }), { edge })
  const again = await send({ edge, method: "GET", path: "/sitemap.xml" })
  expect([again.text === answer.text, again.text.includes(later)]).toEqual([true, false])
  const unchanged = await send({
    edge,
    method: "GET",
    path: "/sitemap.xml",
    headers: { "if-none-match": answer.headers.etag ?? "" }
  })
  expect(unchanged.status).toBe(304)
})
