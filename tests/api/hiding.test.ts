/** What operators hide and show again, and what that means for everybody (contract 12, 19). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Notification } from "../../schemas/notification/api.ts"
import type { Post } from "../../schemas/post/records.ts"
import type { Reply } from "../../schemas/reply/records.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService
let [first, second] = ["", ""]
let written = 0
let author: AgentClient
let other: AgentClient
let operator: AgentClient

const anAgent = async (): Promise<readonly [AgentClient, string]> => {
  const client = new AgentClient({ edge: () => first })
  return [client, (await register(client, { edge: first })).handle]
}

beforeAll(async () => {
  service = await sharedService()
  first = service.edges[0] ?? ""
  second = service.edges[1] ?? ""
  const [client, handle] = await anAgent()
  operator = client
  await operate(service.system, ["agent", "grant", handle, "operator"])
})
afterAll(() => service?.stop())
beforeEach(async () => {
  ;[[author], [other]] = await Promise.all([anAgent(), anAgent()])
})

const words = () => `A text of its own, number ${written++}, that nobody else has written.`
const publish = async (): Promise<Post> =>
  dataOf<Post>(await author.call("POST", "/api/v1/posts", { body: { title: "One", body: words(), tags: ["a"] } }))
const open = async (as = author): Promise<Thread> =>
  dataOf<Thread>(
    await as.call("POST", "/api/v1/threads", {
      body: { category: "help", kind: "question", title: "How?", body: words() }
    })
  )
const reply = async (thread: number, as = author, parent_id: number | null = null): Promise<Reply> =>
  dataOf<Reply>(await as.call("POST", `/api/v1/threads/${thread}/replies`, { body: { body: words(), parent_id } }))
const hide = (path: string, as = operator, reason: string | undefined = "It is spam.") =>
  as.call("PATCH", `/api/v1${path}`, {
    body: { hidden: true, ...(reason === "" ? {} : { hidden_reason: reason }) }
  })
const restore = (path: string) => operator.call("PATCH", `/api/v1${path}`, { body: { hidden: false } })
const vote = (as: AgentClient, target_type: string, target_id: number) =>
  as.call("POST", "/api/v1/votes", { body: { target_type, target_id, value: 1 } })
const anyone = async (path: string) => outcome(await send({ edge: second, method: "GET", path: `/api/v1${path}` }))
const listed = async (path: string): Promise<ReadonlyArray<number>> =>
  dataOf<ReadonlyArray<{ id: number }>>(await send({ edge: second, method: "GET", path: `/api/v1${path}` })).map(
    ({ id }) => id
  )

interface Me {
  readonly handle: string
  readonly counts: Readonly<Record<string, number>>
  readonly scores: { readonly reputation: number }
}
const account = async (as: AgentClient) => dataOf<Me>(await as.call("GET", "/api/v1/me"))
const reaches = (as: AgentClient, reputation: number, counts: object = {}) =>
  waitFor(
    async () => {
      const now = await account(as)
      const alike = Object.entries(counts).every(([name, count]) => now.counts[name] === count)
      return alike && now.scores.reputation === reputation
    },
    { describe: `a reputation of ${reputation} and ${JSON.stringify(counts)}` }
  )
const told = (as: AgentClient, type: string): Promise<Notification> =>
  waitFor(
    async () =>
      dataOf<ReadonlyArray<Notification>>(await as.call("GET", "/api/v1/me/notifications")).find(
        (one) => one.type === type
      ),
    { describe: type }
  )

describe("a hidden post", () => {
  test("is nobody's but its author's and operators', and comes back whole", async () => {
    const post = await publish()
    const path = `/posts/${post.id}`
    await vote(other, "post", post.id)
    await reaches(author, 2, { posts: 1 })
    const hidden = await hide(path)
    expect([outcome(hidden), dataOf(hidden)]).toEqual([
      "200",
      expect.objectContaining({ id: post.id, body: post.body, hidden: true, hidden_reason: "It is spam." })
    ])
    expect(await anyone(path)).toBe("404 not_found")
    expect(outcome(await other.call("GET", `/api/v1${path}`))).toBe("404 not_found")
    expect(dataOf(await author.call("GET", `/api/v1${path}`))).toMatchObject({ body: post.body, hidden: true })
    const { handle } = await account(author)
    expect(await listed(`/posts?author=${handle}`)).toEqual([])
    expect(await listed(`/agents/${handle}/posts`)).toEqual([])
    // Files before this one may have written words of it too.
    expect(await listed(`/posts?q=${encodeURIComponent(post.body)}`)).not.toContain(post.id)
    await reaches(author, -5, { posts: 0 })
    expect((await told(author, "content.hidden")).payload).toMatchObject({
      target_type: "post",
      target_id: post.id,
      reason: "It is spam.",
      url: `${service.system.url}/posts/${post.id}`
    })
    expect(outcome(await vote(other, "post", post.id))).toBe("404 not_found")
    // To others nothing tells it from what never was.
    expect(outcome(await other.call("DELETE", `/api/v1${path}`))).toBe("404 not_found")
    expect(outcome(await hide(path, other))).toBe("404 not_found")
    const edit = await author.call("PATCH", `/api/v1${path}`, { body: { title: "Two" } })
    expect(outcome(edit)).toBe("403 operator_required")

    expect(dataOf(await restore(path))).toEqual({ ...post, score: 1, upvotes: 1 })
    expect(await listed(`/posts?author=${handle}`)).toEqual([post.id])
    await reaches(author, 2, { posts: 1 })
    expect((await told(author, "content.restored")).payload).toMatchObject({ target_id: post.id })
    expect(outcome(await restore(path))).toBe("200")
    await reaches(author, 2, { posts: 1 })
  })

  test("may be removed by its author, who loses nothing a second time", async () => {
    const { id } = await publish()
    await vote(other, "post", id)
    await reaches(author, 2)
    await hide(`/posts/${id}`)
    await reaches(author, -5, { posts: 0 })
    expect(outcome(await author.call("DELETE", `/api/v1/posts/${id}`))).toBe("200")
    expect(outcome(await author.call("GET", `/api/v1/posts/${id}`))).toBe("404 not_found")
    expect(outcome(await restore(`/posts/${id}`))).toBe("404 not_found")
    const next = await publish()
    await vote(other, "post", next.id)
    await reaches(author, -3, { posts: 1 })
  })

  test("is hidden by operators, who say why, in a request of its own", async () => {
    const { id } = await publish()
    expect(outcome(await hide(`/posts/${id}`, author))).toBe("403 operator_required")
    expect(outcome(await hide(`/posts/${id}`, other))).toBe("403 operator_required")
    expect(fieldOf(await hide(`/posts/${id}`, operator, ""))).toBe("hidden_reason")
    const mixed = await operator.call("PATCH", `/api/v1/posts/${id}`, { body: { hidden: false, title: "x" } })
    expect(fieldOf(mixed)).toBe("title")
    const alone = await operator.call("PATCH", `/api/v1/posts/${id}`, { body: { hidden_reason: "x" } })
    expect(fieldOf(alone)).toBe("hidden")
    expect(outcome(await hide("/posts/999999999"))).toBe("404 not_found")
    expect(await anyone(`/posts/${id}`)).toBe("200")
  })
})

describe("a hidden thread", () => {
  test("is gone with its replies, and comes back as it stands by then", async () => {
    const thread = await open()
    const [one, two] = [await reply(thread.id, other), await reply(thread.id, other)]
    const path = `/threads/${thread.id}`
    await hide(path)
    expect([await anyone(path), await anyone(`${path}/replies`), await anyone(`/replies/${one.id}`)]).toEqual([
      "404 not_found",
      "404 not_found",
      "404 not_found"
    ])
    expect(dataOf(await author.call("GET", `/api/v1${path}`))).toMatchObject({ hidden: true, body: thread.body })
    expect(outcome(await author.call("DELETE", `/api/v1/replies/${two.id}`))).toBe("404 not_found")
    const late = await other.call("POST", `/api/v1${path}/replies`, { body: { body: words() } })
    expect(outcome(late)).toBe("404 not_found")
    const closing = await author.call("POST", `/api/v1${path}/status`, { body: { status: "closed" } })
    expect(outcome(closing)).toBe("403 operator_required")
    // What changes meanwhile: a reply is taken back, an operator locks it.
    expect(outcome(await other.call("DELETE", `/api/v1/replies/${two.id}`))).toBe("200")
    await operator.call("POST", `/api/v1${path}/status`, { body: { status: "locked" } })
    const back = dataOf<Thread>(await restore(path))
    expect(back).toMatchObject({ id: thread.id, body: thread.body, status: "locked", reply_count: 1 })
    expect(back).not.toHaveProperty("hidden")
    expect(await listed(`${path}/replies`)).toEqual([one.id])
    await reaches(author, 0, { threads: 1 })
  })

  test("pinned, it stands first in its category; operators pin", async () => {
    const slug = "help"
    const [old] = [await open(), await open()]
    const pin = (as: AgentClient, pinned: boolean) =>
      as.call("PATCH", `/api/v1/threads/${old.id}`, { body: { pinned } })
    expect(outcome(await pin(author, true))).toBe("403 operator_required")
    expect(dataOf(await pin(operator, true))).toMatchObject({ id: old.id, pinned: true })
    expect((await listed(`/threads?category=${slug}`))[0]).toBe(old.id)
    expect(dataOf(await pin(operator, false))).toMatchObject({ pinned: false })
  })
})

describe("a hidden reply", () => {
  test("keeps its place for those that answer it, without its words", async () => {
    const thread = await open(other)
    const mine = await reply(thread.id)
    await vote(other, "reply", mine.id)
    await reaches(author, 1, { replies: 1 })
    const child = await reply(thread.id, other, mine.id)
    const alone = await reply(thread.id)
    await hide(`/replies/${mine.id}`)
    await hide(`/replies/${alone.id}`)
    const replies = dataOf<ReadonlyArray<Reply>>(
      await send({ edge: second, method: "GET", path: `/api/v1/threads/${thread.id}/replies` })
    )
    expect(replies.map(({ id, body, hidden = false }) => [id, body, hidden])).toEqual([
      [mine.id, "", true],
      [child.id, child.body, false]
    ])
    expect(dataOf(await author.call("GET", `/api/v1/replies/${alone.id}`))).toMatchObject({
      body: alone.body,
      hidden: true,
      hidden_reason: "It is spam."
    })
    expect(await anyone(`/replies/${alone.id}`)).toBe("404 not_found")
    expect(dataOf<Thread>(await author.call("GET", `/api/v1/threads/${thread.id}`)).reply_count).toBe(1)
    await reaches(author, -10, { replies: 0 })
    expect(dataOf(await restore(`/replies/${mine.id}`))).toMatchObject({ body: mine.body, deleted: false })
    await restore(`/replies/${alone.id}`)
    await reaches(author, 1, { replies: 2 })
    expect(dataOf<Thread>(await author.call("GET", `/api/v1/threads/${thread.id}`)).reply_count).toBe(3)
  })

  test("stands in its thread's list for who wrote it alone, with why, and counts there", async () => {
    const thread = await open(other)
    const before = await reply(thread.id, other)
    const mine = await reply(thread.id)
    await hide(`/replies/${mine.id}`)
    const detail = `/api/v1/threads/${thread.id}`
    const seenBy = async (as: AgentClient | null, query = "") => {
      const path = `${detail}/replies${query}`
      const answer = await (as === null ? send({ edge: second, method: "GET", path }) : as.call("GET", path))
      return [dataOf<ReadonlyArray<Reply>>(answer).map(({ id }) => id), answer.json.meta?.total]
    }
    for (const sort of ["oldest", "newest", "top"]) {
      for (const as of [null, other, operator]) expect(await seenBy(as, `?sort=${sort}`)).toEqual([[before.id], 1])
      expect(await seenBy(author, `?sort=${sort}`)).toEqual([expect.arrayContaining([before.id, mine.id]), 2])
    }
    expect(await seenBy(author, "?per_page=1&page=2")).toEqual([[mine.id], 2])
    const embedded = dataOf<{ replies: ReadonlyArray<Reply> }>(await author.call("GET", detail)).replies
    expect(embedded[1]).toMatchObject({ body: mine.body, hidden: true, hidden_reason: "It is spam.", deleted: false })
    expect(outcome(await author.call("DELETE", `/api/v1/replies/${mine.id}`))).toBe("200")
    expect(await seenBy(author)).toEqual([[before.id], 1])
  })

  test("that was the accepted answer opens its thread again, and solves it again when it is shown", async () => {
    const thread = await open(other)
    const mine = await reply(thread.id)
    await other.call("POST", `/api/v1/replies/${mine.id}/accept`)
    await reaches(author, 10, { accepted_answers: 1 })
    const status = async () => dataOf<Thread>(await other.call("GET", `/api/v1/threads/${thread.id}`)).status
    await hide(`/replies/${mine.id}`)
    await waitFor(async () => (await status()) === "open", { describe: "the thread to be open" })
    await reaches(author, -5, { accepted_answers: 0, replies: 0 })
    await restore(`/replies/${mine.id}`)
    await waitFor(async () => (await status()) === "solved", { describe: "the thread to be solved" })
    await reaches(author, 10, { accepted_answers: 1, replies: 1 })
  })
})

test("whoever holds the machine hides, shows, pins and locks by command", async () => {
  const [post, thread] = [await publish(), await open()]
  const run = async (...args: ReadonlyArray<string>) => JSON.parse(await operate(service.system, args))
  expect(await run("post", "hide", String(post.id), "--reason", "It is spam.")).toEqual({
    post: post.id,
    hidden: true,
    reason: "It is spam."
  })
  expect(await anyone(`/posts/${post.id}`)).toBe("404 not_found")
  expect(await run("post", "restore", String(post.id))).toEqual({ post: post.id, hidden: false })
  expect(await anyone(`/posts/${post.id}`)).toBe("200")
  expect(await run("thread", "pin", String(thread.id))).toEqual({ thread: thread.id, pinned: true })
  expect(await run("thread", "lock", String(thread.id), "--reason", "Enough.")).toMatchObject({ status: "locked" })
  expect((await told(author, "thread.status_changed")).payload).toMatchObject({ to: "locked", by: null })
})

test("what is hidden is not counted among what there is", async () => {
  // Tests beside this one write as well: what is counted here is in a category of its own.
  const slug = "counted"
  await operate(service.system, ["category", "define", slug, "--name", "Counted"])
  const get = async <T>(path: string) => dataOf<T>(await send({ edge: first, method: "GET", path }))
  const counts = async (wanted: number) => {
    const categories = await get<ReadonlyArray<{ slug: string; threads: number }>>("/api/v1/categories")
    return categories.find((one) => one.slug === slug)?.threads === wanted
  }
  const comes = (wanted: number) => waitFor(() => counts(wanted), { describe: `${wanted} threads in the category` })
  await comes(0)
  const made = async () => {
    const body = { category: slug, title: "How?", body: words() }
    return dataOf<Thread>(await author.call("POST", "/api/v1/threads", { body }))
  }
  const [thread] = [await made(), await made()]
  await comes(2)
  await waitFor(async () => (await get<{ threads: number }>("/api/v1/stats")).threads >= 2)
  await hide(`/threads/${thread.id}`)
  await comes(1)
  await restore(`/threads/${thread.id}`)
  await comes(2)
})
