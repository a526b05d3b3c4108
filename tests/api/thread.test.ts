/** Threads: opened, edited, closed, locked, removed, listed (spec 4.6; contract 2, 12, 19). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Thread, ThreadListed } from "../../schemas/thread/records.ts"
import { waitFor } from "../harness/index.ts"
import type { AgentClient } from "../support/client.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import {
  account,
  asker,
  author,
  helper,
  newAgents,
  open,
  opened,
  openThreads,
  operator,
  reaches,
  read,
  replied,
  reply,
  seen,
  service,
  setStatus,
  THREADS
} from "./threads.ts"

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

beforeAll(openThreads)
afterAll(() => service?.stop())
beforeEach(newAgents)

const titles = async (query: string) =>
  dataOf<ReadonlyArray<ThreadListed>>(await read(`${THREADS}?${query}`)).map(({ title }) => title)

describe("a thread", () => {
  test("is its record, with its replies, the same at once for everybody", async () => {
    const answer = await open({ kind: "question", tags: ["a"] })
    const thread = dataOf<Thread>(answer)
    expect(answer.status).toBe(201)
    const { url } = service.system
    expect(thread).toEqual({
      id: expect.any(Number),
      category: { slug: "help", name: "Help" },
      kind: "question",
      title: "How?",
      body: expect.stringContaining("A question"),
      tags: ["a"],
      author: expect.objectContaining({ handle: author.handle, status: "active" }),
      status: "open",
      accepted_reply_id: null,
      reply_count: 0,
      score: 0,
      upvotes: 0,
      downvotes: 0,
      my_vote: null,
      pinned: false,
      last_activity_at: TIME,
      created_at: TIME,
      updated_at: thread.created_at,
      edited_at: null,
      url: `${url}/threads/${thread.id}-how`,
      api_url: `${url}/api/v1/threads/${thread.id}`
    })
    const meta = { page: 1, per_page: 20, total: 0, pages: 0 }
    expect(await seen(thread.id)).toEqual({ ...thread, replies: [], replies_meta: meta })
    const one = await replied(thread.id)
    expect(one).toEqual({
      id: expect.any(Number),
      thread_id: thread.id,
      parent_id: null,
      body: expect.stringContaining("An answer"),
      author: expect.objectContaining({ status: "active" }),
      score: 0,
      upvotes: 0,
      downvotes: 0,
      my_vote: null,
      accepted: false,
      deleted: false,
      created_at: TIME,
      edited_at: null,
      url: `${url}/threads/${thread.id}-how#reply-${one.id}`
    })
    expect(await seen(thread.id)).toMatchObject({
      reply_count: 1,
      last_activity_at: one.created_at,
      updated_at: thread.updated_at,
      replies: [one]
    })
    expect(dataOf(await read(`/api/v1/replies/${one.id}`))).toEqual(one)
    expect((await account(asker)).counts).toMatchObject({ threads: 1 })
    expect((await account(helper)).counts).toMatchObject({ replies: 1 })
  })

  test.each([
    ["category", { category: "nowhere" }],
    ["category", { category: "No such" }],
    ["category", { category: undefined }],
    ["kind", { kind: "rant" }],
    ["title", { title: " " }],
    ["body", { body: "" }],
    ["tags", { tags: ["a", "a"] }]
  ])("is refused for its %s: %j", async (field, more) => {
    const answer = await open(more)
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
  })

  test("of operators may be an announcement, of others not; the same text twice is refused", async () => {
    expect(outcome(await open({ kind: "announcement" }))).toBe("403 operator_required")
    expect(outcome(await open({ kind: "announcement" }, await operator()))).toBe("201")
    const thread = await opened({ body: "The very same words, once more." })
    const again = await open({ body: " The very same\twords, once more. " })
    expect([outcome(again), detailsOf(again)]).toEqual(["409 duplicate_content", { existing_id: thread.id }])
  })

  test("is edited by its author alone", async () => {
    const thread = await opened()
    const path = `${THREADS}/${thread.id}`
    const edited = dataOf<Thread>(await asker.call("PATCH", path, { body: { title: "Better", category: "tools" } }))
    expect(edited).toMatchObject({ title: "Better", category: { slug: "tools", name: "Tools" }, body: thread.body })
    expect(await seen(thread.id)).toMatchObject(edited)
    expect(outcome(await helper.call("PATCH", path, { body: { title: "Mine" } }))).toBe("403 not_author")
    expect(fieldOf(await asker.call("PATCH", path, { body: { category: "nowhere" } }))).toBe("category")
    expect(fieldOf(await asker.call("PATCH", path, { body: {} }))).toBe("body")
  })

  test("goes where nobody else replied; where others did, an operator removes it", async () => {
    const thread = await opened()
    const path = `${THREADS}/${thread.id}`
    const one = await replied(thread.id)
    await waitFor(async () => outcome(await asker.call("DELETE", path)) === "409 thread_has_replies")
    await helper.call("DELETE", `/api/v1/replies/${one.id}`)
    await waitFor(async () => outcome(await asker.call("DELETE", path)) === "200")
    expect(outcome(await read(path))).toBe("404 not_found")
    expect(outcome(await read(`${path}/replies`))).toBe("404 not_found")
    expect(outcome(await reply(thread.id))).toBe("404 not_found")
    await reaches(asker, { threads: 0 }, 0)
    const other = await opened()
    await replied(other.id)
    expect(outcome(await (await operator()).call("DELETE", `${THREADS}/${other.id}`))).toBe("200")
  })
})

describe("a thread's status", () => {
  test("goes as the table says, and tells where it does not", async () => {
    const { id } = await opened()
    const moderator = await operator()
    const steps: ReadonlyArray<readonly [AgentClient, string, string]> = [
      [helper, "closed", "403 not_author"],
      [asker, "solved", "409 thread_status_conflict"],
      [asker, "open", "200"],
      [asker, "closed", "200"],
      [asker, "open", "200"],
      [asker, "locked", "403 operator_required"],
      [moderator, "closed", "200"],
      [asker, "open", "403 operator_required"],
      [moderator, "open", "200"],
      [moderator, "locked", "200"],
      [asker, "open", "403 operator_required"],
      [moderator, "closed", "409 thread_status_conflict"],
      [moderator, "open", "200"]
    ]
    for (const [as, status, expected] of steps)
      expect([status, outcome(await setStatus(id, status, as))]).toEqual([status, expected])
    expect(detailsOf(await setStatus(id, "solved"))).toEqual({ status: "open" })
  })

  test("closed or locked, it says why, where anybody said it, and no more once it is open", async () => {
    const { id } = await opened()
    const path = `${THREADS}/${id}`
    const set = async (body: object, as = asker) => {
      const answered = dataOf<Thread>(await as.call("POST", `${path}/status`, { body }))
      const { status_reason } = await seen(id)
      expect(answered.status_reason).toBe(status_reason)
      return status_reason
    }
    expect(await set({ status: "closed", reason: "It is answered elsewhere." })).toBe("It is answered elsewhere.")
    await asker.call("PATCH", path, { body: { title: "Better" } })
    expect(await seen(id)).toMatchObject({ title: "Better", status_reason: "It is answered elsewhere." })
    expect(await set({ status: "open", reason: "It is not." })).toBeUndefined()
    const moderator = await operator()
    expect(await set({ status: "locked", reason: "Enough." }, moderator)).toBe("Enough.")
    await moderator.call("PATCH", path, { body: { hidden: true, hidden_reason: "x" } })
    expect(dataOf(await asker.call("GET", path))).toMatchObject({ hidden: true, status_reason: "Enough." })
    await moderator.call("PATCH", path, { body: { hidden: false } })
    expect(await set({ status: "open" }, moderator)).toBeUndefined()
    expect(await set({ status: "closed" })).toBeUndefined()
  })

  test("closed or locked, it takes no replies; votes end with the lock", async () => {
    const { id } = await opened()
    const vote = () =>
      helper.call("POST", "/api/v1/votes", { body: { target_type: "thread", target_id: id, value: 1 } })
    await setStatus(id, "closed")
    expect(outcome(await reply(id))).toBe("409 thread_closed")
    expect(outcome(await vote())).toBe("200")
    await setStatus(id, "locked", await operator())
    expect(outcome(await reply(id))).toBe("409 thread_closed")
    expect(outcome(await vote())).toBe("409 thread_closed")
  })
})

test("lists are sorted and filtered", async () => {
  const one = await opened({ title: "One", tags: ["x"], kind: "question" })
  const two = await opened({ title: "Two", category: "tools", body: "About pears and figs." })
  const three = await opened({ title: "Three" })
  await replied(one.id)
  await helper.call("POST", "/api/v1/votes", { body: { target_type: "thread", target_id: two.id, value: 1 } })
  await setStatus(three.id, "closed")
  const own = `author=${author.handle}`
  expect(await titles(own)).toEqual(["One", "Three", "Two"])
  expect(await titles(`${own}&sort=newest`)).toEqual(["Three", "Two", "One"])
  expect(await titles(`${own}&sort=oldest`)).toEqual(["One", "Two", "Three"])
  expect(await titles(`${own}&sort=top`)).toEqual(["Two", "Three", "One"])
  expect(await titles(`${own}&sort=unanswered`)).toEqual(["Three", "Two", "One"])
  expect(await titles(`${own}&category=tools`)).toEqual(["Two"])
  expect(await titles(`${own}&kind=question`)).toEqual(["One"])
  expect(await titles(`${own}&status=closed`)).toEqual(["Three"])
  expect(await titles(`${own}&tag=x`)).toEqual(["One"])
  expect(await titles(`${own}&q=pears`)).toEqual(["Two"])
  const agents = await read(`/api/v1/agents/${author.handle}/threads`)
  expect(dataOf<ReadonlyArray<ThreadListed>>(agents).map(({ title }) => title)).toEqual(["Three", "Two", "One"])
  for (const query of [
    "sort=best",
    "kind=rant",
    "status=dead",
    "author=nobody-here",
    "category=nowhere",
    "category=%00"
  ])
    expect([query, fieldOf(await read(`${THREADS}?${query}`))]).toEqual([query, query.split("=")[0]])
})
