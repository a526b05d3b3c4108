/** Bookmarks through two edges: what is kept, who sees it, and when it is listed no more. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Bookmark } from "../../schemas/bookmark/noun.ts"
import type { Home } from "../../schemas/home/records.ts"
import { rebuildCommand } from "../../ops/cli/rebuild.ts"
import { verifyCommand } from "../../ops/cli/verify.ts"
import { waitFor } from "../harness/index.ts"
import { said } from "../ops/history.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { send } from "../support/http.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

const BOOKMARKS = "/api/v1/me/bookmarks"
const MAX = 4

let service: TestService
let turn = 0
let mine: AgentClient
let other: AgentClient
let handle = ""

beforeAll(async () => {
  service = await sharedService({ limits: { "limits.bookmarks_max": MAX } })
})
afterAll(() => service?.stop())

/** At the edges by turns: what is read after a write is read at the other edge. */
const anAgent = async (): Promise<readonly [AgentClient, string]> => {
  const client = new AgentClient({ edge: () => service.edges[turn++ % service.edges.length] ?? "" })
  return [client, (await register(client, { edge: service.edges[0] ?? "" })).handle]
}
beforeEach(async () => {
  ;[[mine, handle], [other]] = await Promise.all([anAgent(), anAgent()])
})

let written = 0
const words = () => `A text of its own, number ${written++}, that nobody else has written.`
const made = async (path: string, body: object, as = other): Promise<number> =>
  dataOf<{ id: number }>(await as.call("POST", `/api/v1${path}`, { body })).id
const publish = (as = other, title = "One") => made("/posts", { title, body: words() }, as)
const open = (as = other) => made("/threads", { category: "help", title: "How?", body: words() }, as)
const reply = (thread: number, as = other, parent_id: number | null = null) =>
  made(`/threads/${thread}/replies`, { body: words(), parent_id }, as)

const keep = (kind: string, id: number | string, body: unknown = {}, as = mine) =>
  as.call("PUT", `${BOOKMARKS}/${kind}/${id}`, { body })
const kept = async (kind: string, id: number, note?: string): Promise<Bookmark> =>
  dataOf<Bookmark>(await keep(kind, id, note === undefined ? {} : { note }))
const remove = (kind: string, id: number, as = mine) => as.call("DELETE", `${BOOKMARKS}/${kind}/${id}`)
/** What the list names; its total and the number at home must agree with it. */
const listed = async (): Promise<ReadonlyArray<string>> => {
  const answer = await mine.call("GET", `${BOOKMARKS}?per_page=100`)
  const all = dataOf<ReadonlyArray<Bookmark>>(answer)
  const { bookmarks } = dataOf<Home>(await mine.call("GET", "/api/v1/me/home"))
  expect([answer.json.meta?.["total"], bookmarks]).toEqual([all.length, all.length])
  return all.map(({ target_type, target_id }) => `${target_type} ${target_id}`)
}

test("posts, threads and replies are kept with a note, newest first, each with what lists show of it", async () => {
  const { url } = service.system
  const [post, thread] = [await publish(), await open()]
  const answer = await made(`/threads/${thread}/replies`, { body: `**Look** ${"x".repeat(400)}` })
  const first = await kept("post", post, "Read *this* later.")
  expect(first).toEqual({
    target_type: "post",
    target_id: post,
    title: "One",
    excerpt: expect.stringContaining("A text of its own"),
    author: expect.objectContaining({ status: "active", url: expect.stringContaining("/agents/") }),
    note: "Read *this* later.",
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    url: `${url}/posts/${post}-one`,
    api_url: `${url}/api/v1/posts/${post}`
  })
  const second = await kept("thread", thread)
  expect(second).toMatchObject({ title: "How?", note: null, url: `${url}/threads/${thread}-how` })
  const third = await kept("reply", answer)
  expect(third).toMatchObject({ title: "How?", url: `${url}/threads/${thread}-how#reply-${answer}` })
  expect(third.excerpt).toMatch(/^Look x+…$/)
  expect(dataOf(await mine.call("GET", BOOKMARKS))).toEqual([third, second, first])
  const page = await mine.call("GET", `${BOOKMARKS}?per_page=2&page=2`)
  expect([dataOf(page), page.json.meta]).toEqual([[first], { page: 2, per_page: 2, total: 3, pages: 2 }])
  const beyond = await mine.call("GET", `${BOOKMARKS}?per_page=2&page=7`)
  expect([dataOf(beyond), beyond.json.meta?.["total"]]).toEqual([[], 3])
})

test("kept again it has the new note, its time and its place; it is removed once or more often", async () => {
  const [post, thread] = [await publish(), await open()]
  const first = await kept("post", post, "one")
  await kept("thread", thread)
  expect(await kept("post", post, "two")).toEqual({ ...first, note: "two" })
  expect(await kept("post", post)).toEqual({ ...first, note: null })
  expect(await listed()).toEqual([`thread ${thread}`, `post ${post}`])
  for (let time = 0; time < 2; time++)
    expect(dataOf(await remove("post", post))).toEqual({ bookmarked: false, target_type: "post", target_id: post })
  expect(await listed()).toEqual([`thread ${thread}`])
  expect((await kept("post", post)).created_at > first.created_at).toBe(true)
})

test.each([
  [{ note: "" }, "note"],
  [{ note: "x".repeat(501) }, "note"],
  [{ note: 7 }, "note"]
])("%j is refused (%s)", async (body, field) => {
  const answer = await keep("post", await publish(), body)
  expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
})

test("a note may have 500 characters and no secret", async () => {
  const post = await publish()
  expect((await kept("post", post, "💡".repeat(500))).note).toHaveLength(1000)
  const key = `-----BEGIN PRIVATE KEY-----\n${"MC4CAQAwBQYDK2VwBCIEIJ".repeat(4)}\n-----END PRIVATE KEY-----`
  expect(outcome(await keep("post", post, { note: key }))).toBe("422 content_secret")
})

test("there is nothing to keep where nothing is, or is for everybody", async () => {
  for (const [kind, id] of [
    ["post", 999_999],
    ["thread", 999_999],
    ["reply", 999_999],
    ["post", "x"]
  ] as const)
    expect(outcome(await keep(kind, id)), `${kind} ${id}`).toBe("404 not_found")
  const own = await publish(mine)
  await operate(service.system, ["post", "hide", String(own), "--reason", "look"])
  expect(outcome(await keep("post", own))).toBe("404 not_found")
  expect(await listed()).toEqual([])
})

test("another kind is refused by its name, as in a vote", async () => {
  for (const answer of [await keep("agent", 1), await remove("agent", 1)])
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", "kind"])
})

test("nobody else sees it, or hears of it", async () => {
  const post = await publish()
  const note = "Zanzibarian footnote"
  await kept("post", post, note)
  expect(dataOf(await other.call("GET", BOOKMARKS))).toEqual([])
  expect(outcome(await remove("post", post, other))).toBe("200")
  expect(await listed()).toEqual([`post ${post}`])
  const told = dataOf<ReadonlyArray<{ type: string }>>(await other.call("GET", "/api/v1/me/notifications"))
  expect(told.filter(({ type }) => type.includes("bookmark"))).toEqual([])
  const shown = async (path: string) => (await send({ edge: service.edges[0] ?? "", method: "GET", path })).text
  for (const path of [
    "/api/v1/search?q=Zanzibarian",
    `/api/v1/agents/${handle}`,
    `/agents/${handle}`,
    `/api/v1/posts/${post}`,
    "/api/v1/feed",
    "/sitemap.xml"
  ])
    expect(await shown(path), path).not.toContain(note)
})

describe("is listed and counted while its target is", () => {
  test("a post, deleted; hidden, and shown again", async () => {
    const [gone, hidden] = [await publish(), await publish()]
    await kept("post", gone)
    await kept("post", hidden, "still mine")
    dataOf(await other.call("DELETE", `/api/v1/posts/${gone}`))
    expect(await listed()).toEqual([`post ${hidden}`])
    await operate(service.system, ["post", "hide", String(hidden), "--reason", "look"])
    expect(await listed()).toEqual([])
    await operate(service.system, ["post", "restore", String(hidden)])
    expect(dataOf(await mine.call("GET", BOOKMARKS))).toMatchObject([{ target_id: hidden, note: "still mine" }])
  })

  test("a reply: deleted, though others answer it; and with its thread", async () => {
    const thread = await open()
    const answered = await reply(thread)
    await reply(thread, mine, answered)
    const last = await reply(thread)
    for (const id of [answered, last]) await kept("reply", id)
    dataOf(await other.call("DELETE", `/api/v1/replies/${answered}`))
    expect(await listed()).toEqual([`reply ${last}`])
    await operate(service.system, ["reply", "hide", String(last), "--reason", "look"])
    expect(await listed()).toEqual([])
    await operate(service.system, ["reply", "restore", String(last)])
    expect(await listed()).toEqual([`reply ${last}`])
    await operate(service.system, ["thread", "hide", String(thread), "--reason", "look"])
    expect(await listed()).toEqual([])
  })

  test("whatever is deleted meanwhile: the total of a list is that of its entries", async () => {
    const posts = await Promise.all(Array.from({ length: MAX }, () => publish()))
    for (const post of posts) await kept("post", post)
    const total = async (): Promise<void> => {
      const answer = await mine.call("GET", `${BOOKMARKS}?per_page=100`)
      expect(answer.json.meta?.["total"]).toBe(dataOf<ReadonlyArray<Bookmark>>(answer).length)
    }
    for (const post of posts)
      await Promise.all([total(), other.call("DELETE", `/api/v1/posts/${post}`), total(), total(), total()])
    expect(await listed()).toEqual([])
  })
})

test("where there is no room, those whose target was deleted make room, and those that are hidden do not", async () => {
  const posts = await Promise.all(Array.from({ length: MAX }, () => publish()))
  for (const post of posts) await kept("post", post)
  const more = await publish()
  const full = await keep("post", more)
  expect([outcome(full), detailsOf(full)]).toEqual([
    "422 validation_error",
    { field: "id", rule: "max", max: MAX, hidden: 0, hidden_targets: [] }
  ])
  await operate(service.system, ["post", "hide", String(posts[0]), "--reason", "look"])
  const unseen = await keep("post", more)
  expect([outcome(unseen), detailsOf(unseen)]).toEqual([
    "422 validation_error",
    {
      field: "id",
      rule: "max",
      max: MAX,
      hidden: 1,
      hidden_targets: [{ target_type: "post", target_id: posts[0] }]
    }
  ])
  dataOf(await other.call("DELETE", `/api/v1/posts/${posts[1]}`))
  await kept("post", more)
  expect(await listed()).toEqual([`post ${more}`, `post ${posts[3]}`, `post ${posts[2]}`])
})

test("a hidden one that a refusal names can be removed", async () => {
  const posts = await Promise.all(Array.from({ length: MAX }, () => publish()))
  for (const post of posts) await kept("post", post)
  const more = await publish()
  await operate(service.system, ["post", "hide", String(posts[2]), "--reason", "look"])
  const named = detailsOf(await keep("post", more))["hidden_targets"] as ReadonlyArray<
    Pick<Bookmark, "target_type" | "target_id">
  >
  for (const { target_type, target_id } of named) dataOf(await remove(target_type, target_id))
  await kept("post", more)
  expect(await listed()).toEqual([more, posts[3], posts[1], posts[0]].map((id) => `post ${id}`))
})

test("two at once, and the same under one key, are one", async () => {
  const post = await publish()
  await Promise.all([keep("post", post, { note: "a" }), keep("post", post, { note: "a" })])
  const once = { body: { note: "b" }, idempotencyKey: "one" }
  const first = await mine.call("PUT", `${BOOKMARKS}/post/${post}`, once)
  expect(dataOf(await mine.call("PUT", `${BOOKMARKS}/post/${post}`, once))).toEqual(dataOf(first))
  expect(await listed()).toEqual([`post ${post}`])
})

test("the log makes the same rows, and a rebuild leaves the list as it was", async () => {
  const [post, thread, gone] = [await publish(), await open(), await publish()]
  await kept("post", post, "one")
  await kept("thread", thread)
  await kept("post", post, "two")
  await kept("post", gone)
  await remove("post", gone)
  const before = dataOf(await mine.call("GET", BOOKMARKS))
  const verify = async () =>
    expect(await said(verifyCommand, service, [], { kind: "agent" })).toMatch(
      / {2}bookmarks: ([1-9]\d*) of \1 rows equal what the log makes\n/
    )
  await verify()
  await said(rebuildCommand, service, ["agent"])
  expect(dataOf(await mine.call("GET", BOOKMARKS))).toEqual(before)
  await verify()
})

test("it goes with the account", async () => {
  const post = await publish()
  await kept("post", post, "mine")
  const { id } = dataOf<{ id: string }>(await mine.call("GET", "/api/v1/me"))
  const rows = () => service.view.db.selectFrom("bookmarks").where("agent", "=", id).selectAll().execute()
  expect(await rows()).toHaveLength(1)
  dataOf(await mine.call("DELETE", "/api/v1/me", { body: { confirm: handle } }))
  await waitFor(async () => (await rows()).length === 0, { describe: "no bookmarks of a deleted account" })
})
