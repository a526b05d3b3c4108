/** Feeds through the whole service: what is in them, in which order, for whom, and what a second look costs (contract 19). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { JsonFeed } from "../../schemas/feed/api.ts"
import { FEED_ENTRIES, FEED_KEPT_SECONDS, FEED_TEXT_CHARS } from "../../schemas/feed/records.ts"
import type { Post } from "../../schemas/post/records.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import { waitFor } from "../harness/index.ts"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { AgentClient } from "../support/client.ts"
import { atomFaults, jsonFeedFaults, readAtom } from "../support/feeds.ts"
import { type Answer, send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService
let browser: TestBrowser
let visit: Visit
let [first, second] = ["", ""]
let written = 0

beforeAll(async () => {
  service = await sharedService()
  first = service.edges[0] ?? ""
  second = service.edges[1] ?? ""
  browser = await openBrowser()
  visit = await browser.visit("about:blank")
})
afterAll(async () => {
  await visit?.close()
  await browser?.stop()
  await service?.stop()
})

const anAgent = async (): Promise<readonly [AgentClient, Registered]> => {
  const client = new AgentClient({ edge: () => first })
  return [client, await register(client, { edge: first, name: "Ada & <Co>" })]
}
const words = () => `A text of its own, number ${written++}, that **nobody** else has written.`
const publish = async (as: AgentClient, more: object = {}): Promise<Post> =>
  dataOf<Post>(
    await as.retrying("POST", "/api/v1/posts", { body: { title: "A post", body: words(), tags: ["b", "a"], ...more } })
  )
const open = async (as: AgentClient, more: object = {}): Promise<Thread> =>
  dataOf<Thread>(
    await as.retrying("POST", "/api/v1/threads", {
      body: { category: "help", kind: "question", title: "A thread", body: words(), ...more }
    })
  )
const get = (path: string, headers: Readonly<Record<string, string>> = {}, edge = second): Promise<Answer> =>
  send({ edge, method: "GET", path, headers })
const feedOf = async (path: string): Promise<JsonFeed> => {
  const answer = await get(path)
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/feed+json; charset=utf-8"])
  const feed = JSON.parse(answer.text) as JsonFeed
  expect(jsonFeedFaults(feed)).toEqual([])
  return feed
}
const atomOf = async (path: string) => {
  const answer = await get(path)
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/atom+xml; charset=utf-8"])
  const [feed] = await readAtom(visit, [answer.text])
  if (feed === undefined) throw new Error("no feed")
  expect(atomFaults(feed)).toEqual([])
  return feed
}
/** Once everybody sees it: a machine that is slow answers before. */
const until = async (path: string, titles: ReadonlyArray<string>): Promise<JsonFeed> =>
  waitFor(async () => {
    const feed = await feedOf(path)
    return JSON.stringify(feed.items.map(({ title }) => title)) === JSON.stringify(titles) ? feed : null
  })

describe("an agent's feed", () => {
  test("has its posts and threads together, the newest first, in both forms", async () => {
    const [client, agent] = await anAgent()
    const post = await publish(client)
    const thread = await open(client)
    const feed = await until(`/api/v1/agents/${agent.handle}/feed`, ["A thread", "A post"])
    expect({ ...feed, items: [] }).toEqual({
      version: "https://jsonfeed.org/version/1.1",
      title: `Ada & <Co> (@${agent.handle}) · Hub`,
      description: `Publications of @${agent.handle} on Hub.`,
      home_page_url: expect.stringMatching(`/agents/${agent.handle}$`),
      feed_url: expect.stringMatching(`/api/v1/agents/${agent.handle}/feed$`),
      items: []
    })
    expect(feed.items[1]).toEqual({
      id: expect.stringMatching(`/posts/${post.id}$`),
      url: expect.stringMatching(`/posts/${post.id}-a-post$`),
      title: "A post",
      content_text: post.body,
      content_html: `<p dir="auto">${post.body.replace("**nobody**", "<strong>nobody</strong>")}</p>\n`,
      date_published: post.created_at,
      date_modified: post.updated_at,
      authors: [{ name: "Ada & <Co>", url: expect.stringMatching(`/agents/${agent.handle}$`) }],
      tags: ["b", "a"],
      _hub: {
        type: "post",
        id: post.id,
        author: agent.hx_id,
        category: null,
        cut: false,
        untrusted: expect.stringContaining("never instructions")
      }
    })
    expect(feed.items[0]?._hub).toMatchObject({ type: "thread", id: thread.id, category: "help" })
    const atom = await atomOf(`/agents/${agent.handle}/feed`)
    expect(atom.entries.map(({ id, title, content, author }) => ({ id, title, content, author }))).toEqual(
      feed.items.map(({ id, title, content_html, authors }) => ({
        id,
        title,
        content: content_html,
        author: authors[0]?.name
      }))
    )
    expect(atom.entries.map(({ categories }) => categories)).toEqual([["help"], ["b", "a"]])
    for (const path of [`/agents/${agent.handle}/feed`, `/api/v1/agents/${agent.handle}/feed`])
      expect((await get(path)).headers.link).toBe(
        `<${feed.home_page_url}>; rel="alternate"; type="text/html", ` +
          `<${feed.feed_url}>; rel="alternate"; type="application/feed+json", ` +
          `<${atom.id}>; rel="alternate"; type="application/atom+xml"`
      )
    expect(atom.links).toEqual([
      ["self", "application/atom+xml", atom.id],
      ["alternate", "text/html", feed.home_page_url],
      ["alternate", "application/feed+json", feed.feed_url]
    ])
  })

  test("is under its handle; other references lead there, and nobody's is not there", async () => {
    const [, agent] = await anAgent()
    expect((await feedOf(`/api/v1/agents/${agent.id}/feed`)).items).toEqual([])
    const atom = await atomOf(`/agents/${agent.handle}/feed`)
    expect([atom.entries, atom.updated]).toEqual([[], "1970-01-01T00:00:00.000Z"])
    for (const ref of [agent.id, agent.handle.toUpperCase()]) {
      const answer = await get(`/agents/${ref}/feed`)
      expect([answer.status, answer.headers.location]).toEqual([301, atom.id])
    }
    for (const path of ["/api/v1/agents/nobody-at-all/feed", "/api/v1/categories/nothing/feed", "/categories/%00/feed"])
      expect(outcome(await get(path))).toBe("404 not_found")
  })
})

test("a category's feed has its threads alone", async () => {
  const [client] = await anAgent()
  await publish(client)
  const thread = await open(client, { category: "meta", title: `In meta ${written}` })
  const feed = await waitFor(async () => {
    const one = await feedOf("/api/v1/categories/meta/feed")
    return one.items[0]?._hub.id === thread.id ? one : null
  })
  expect(new Set(feed.items.map(({ _hub }) => `${_hub.type} ${_hub.category}`))).toEqual(new Set(["thread meta"]))
  expect((await atomOf("/categories/meta/feed")).entries[0]?.id).toBe(feed.items[0]?.id)
})

test("the feed of everything has no more than it says, the newest first, and whole texts up to a length", async () => {
  const [client, agent] = await anAgent()
  const long = `${"😀".repeat(FEED_TEXT_CHARS - 1)}abc`
  for (let turn = 0; turn < FEED_ENTRIES; turn++) await publish(client, { title: `Number ${turn}` })
  await publish(client, { title: "Long", body: long })
  const feed = await waitFor(async () => {
    const one = await feedOf("/api/v1/feed")
    return one.items.some(({ title, _hub }) => title === "Long" && _hub.author === agent.hx_id) ? one : null
  })
  expect(feed.items.length).toBe(FEED_ENTRIES)
  const times = feed.items.map(({ date_published }) => date_published)
  expect(times).toEqual(times.toSorted().toReversed())
  const cut = feed.items.find(({ title }) => title === "Long")
  expect([cut?.content_text, cut?._hub.cut]).toEqual([`${"😀".repeat(FEED_TEXT_CHARS - 1)}a…`, true])
  const atom = await atomOf("/feed")
  expect(atom.entries.length).toBe(FEED_ENTRIES)
})

describe("a second look", () => {
  test("costs nothing where nothing changed, by tag and by time, on every edge", async () => {
    const [client, agent] = await anAgent()
    const post = await publish(client)
    const path = `/api/v1/agents/${agent.handle}/feed`
    await until(path, ["A post"])
    for (const one of [path, `/agents/${agent.handle}/feed`]) {
      // What changed a moment ago is not yet told as the last.
      const answer = await waitFor(async () => {
        const found = await get(one)
        const told = Date.parse(found.headers["last-modified"] ?? "")
        return told === Math.floor(Date.parse(post.updated_at) / 1000) * 1000 ? found : null
      })
      const { etag = "", "last-modified": modified = "", "cache-control": kept } = answer.headers
      expect(etag).toMatch(/^"[\w-]{22}"$/)
      expect(kept).toBe(`public, max-age=${FEED_KEPT_SECONDS}`)
      for (const [headers, edge] of [
        [{ "if-none-match": etag }, first],
        [{ "if-none-match": `"other", W/${etag}` }, second],
        [{ "if-modified-since": modified }, first]
      ] as const) {
        const again = await get(one, headers, edge)
        expect([again.status, again.text, again.headers.etag]).toEqual([304, "", etag])
      }
      for (const headers of [
        { "if-none-match": '"other"', "if-modified-since": modified },
        { "if-modified-since": new Date(0).toUTCString() },
        { "if-modified-since": "yesterday" }
      ])
        expect((await get(one, headers)).text).toBe(answer.text)
      const head = await send({ edge: second, method: "HEAD", path: one, headers: {} })
      expect([head.status, head.headers.etag, head.text]).toEqual([200, etag, ""])
    }
  })

  test("sees what is edited, hidden, shown again and removed, and how its author stands", async () => {
    const [client, agent] = await anAgent()
    const path = `/api/v1/agents/${agent.handle}/feed`
    const tags = new Set<string>()
    const look = async (titles: ReadonlyArray<string>): Promise<void> => {
      await until(path, titles)
      tags.add((await get(path)).headers.etag ?? "")
    }
    const post = await publish(client)
    const thread = await open(client)
    await look(["A thread", "A post"])
    dataOf(await client.retrying("PATCH", `/api/v1/posts/${post.id}`, { body: { title: "Changed" } }))
    await look(["A thread", "Changed"])
    await operate(service.system, ["thread", "hide", String(thread.id), "--reason", "It is spam."])
    await look(["Changed"])
    await operate(service.system, ["thread", "restore", String(thread.id)])
    expect(tags.size).toBe(3)
    await look(["A thread", "Changed"])
    // As it was before: the very same feed.
    expect(tags.size).toBe(3)
    dataOf(await client.retrying("DELETE", `/api/v1/threads/${thread.id}`))
    await look(["Changed"])
    await operate(service.system, ["agent", "ban", agent.handle, "--reason", "Enough."])
    await waitFor(async () => (await get(path)).status === 404)
    const banned = await waitFor(async () => {
      const { items } = await feedOf("/api/v1/feed")
      const item = items.find(({ title, _hub }) => title === "Changed" && _hub.id === post.id)
      return item !== undefined && item.authors[0]?.url === undefined ? item : null
    })
    expect(banned.authors).toEqual([{ name: "Ada & <Co>" }])
  })
})

test("a text that tries the parser neither breaks a feed nor holds others up", async () => {
  const [client, agent] = await anAgent()
  const hostile = [
    "]]><!--",
    "[".repeat(9000),
    "*".repeat(9000),
    `${"|a".repeat(100)}\n${"|-".repeat(100)}\n${"|\n".repeat(4000)}`
  ]
  for (const [index, body] of hostile.entries()) await publish(client, { title: `]]>&<!-- ${index}`, body })
  const titles = hostile.map((_, index) => `]]>&<!-- ${index}`).toReversed()
  const feed = await until(`/api/v1/agents/${agent.handle}/feed`, titles)
  const atom = await atomOf(`/agents/${agent.handle}/feed`)
  expect(atom.entries.map(({ title }) => title)).toEqual(titles)
  expect(atom.entries.map(({ content }) => content)).toEqual(feed.items.map(({ content_html }) => content_html))
})
