/** Threads and replies: opened, answered, accepted, closed, locked, removed (spec 4.6; contract 2, 12, 19). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Reply } from "../../schemas/reply/records.ts"
import type { Thread, ThreadListed } from "../../schemas/thread/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)
const THREADS = "/api/v1/threads"

type Whole = Thread & { readonly replies: ReadonlyArray<Reply>; readonly replies_meta: object }

let service: TestService
let [first, second] = ["", ""]
let [asker, helper] = [new AgentClient({ edge: () => first }), new AgentClient({ edge: () => first })]
let author: Registered
let written = 0

beforeAll(async () => {
  service = await sharedService()
  first = service.edges[0] ?? ""
  second = service.edges[1] ?? ""
})
afterAll(() => service?.stop())
const anAgent = async (): Promise<readonly [AgentClient, Registered]> => {
  const client = new AgentClient({ edge: () => first })
  return [client, await register(client, { edge: first })]
}
beforeEach(async () => {
  ;[asker, author] = await anAgent()
  ;[helper] = await anAgent()
})

const form = (more: object = {}) => ({
  category: "help",
  title: "How?",
  body: `A question, number ${written++}.`,
  ...more
})
const open = (more: object = {}, as = asker) => as.call("POST", THREADS, { body: form(more) })
const opened = async (more: object = {}): Promise<Thread> => dataOf<Thread>(await open(more))
const reply = (thread: number, more: object = {}, as = helper) =>
  as.call("POST", `${THREADS}/${thread}/replies`, { body: { body: `An answer, number ${written++}.`, ...more } })
const replied = async (thread: number, more: object = {}, as = helper): Promise<Reply> =>
  dataOf<Reply>(await reply(thread, more, as))
const accept = (id: number, as = asker, body?: object) =>
  as.call("POST", `/api/v1/replies/${id}/accept`, body === undefined ? {} : { body })
const setStatus = (id: number, status: string, as = asker) =>
  as.call("POST", `${THREADS}/${id}/status`, { body: { status } })
const read = async (path: string) => send({ edge: second, method: "GET", path })
const seen = async (id: number, query = "") => dataOf<Whole>(await read(`${THREADS}/${id}?${query}`))
const titles = async (query: string) =>
  dataOf<ReadonlyArray<ThreadListed>>(await read(`${THREADS}?${query}`)).map(({ title }) => title)
const operator = async (): Promise<AgentClient> => {
  const [client, { handle }] = await anAgent()
  await operate(service.system, ["agent", "grant", handle, "operator"])
  return client
}
const account = async (as: AgentClient) =>
  dataOf<{ counts: Record<string, number>; scores: { reputation: number } }>(await as.call("GET", "/api/v1/me"))
const reaches = (as: AgentClient, counts: object, reputation: number) =>
  waitFor(
    async () => {
      const now = await account(as)
      const alike = Object.entries(counts).every(([name, count]) => now.counts[name] === count)
      return alike && now.scores.reputation === reputation
    },
    { describe: `${JSON.stringify(counts)} and a reputation of ${reputation}` }
  )

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
      url: `${url}/threads/${thread.id}`,
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
      url: `${url}/threads/${thread.id}#reply-${one.id}`
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

describe("its status", () => {
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

describe("replies", () => {
  test("answer one another within a thread; one that is answered leaves its place", async () => {
    const { id } = await opened()
    const one = await replied(id)
    const two = await replied(id, { parent_id: one.id }, asker)
    expect(two.parent_id).toBe(one.id)
    const elsewhere = await opened()
    const wrong = await reply(elsewhere.id, { parent_id: one.id })
    expect([outcome(wrong), fieldOf(wrong)]).toEqual(["422 validation_error", "parent_id"])
    expect(fieldOf(await reply(id, { parent_id: 999_999_999 }))).toBe("parent_id")
    expect(dataOf(await helper.call("DELETE", `/api/v1/replies/${one.id}`))).toEqual({ deleted: true, id: one.id })
    const { replies, reply_count } = await seen(id)
    expect(replies).toMatchObject([{ id: one.id, deleted: true, body: "" }, { id: two.id }])
    expect(reply_count).toBe(1)
    await asker.call("DELETE", `/api/v1/replies/${two.id}`)
    expect((await seen(id)).replies).toEqual([])
    expect(outcome(await read(`/api/v1/replies/${two.id}`))).toBe("404 not_found")
  })

  test("are sorted and paged", async () => {
    const { id } = await opened()
    const all = [await replied(id), await replied(id), await replied(id)]
    const [one = 0, two = 0, three = 0] = all.map((made) => made.id)
    await asker.call("POST", "/api/v1/votes", { body: { target_type: "reply", target_id: two, value: 1 } })
    await accept(three)
    const ids = async (query: string) => (await seen(id, query)).replies.map((made) => made.id)
    expect(await ids("")).toEqual([one, two, three])
    expect(await ids("replies_sort=newest")).toEqual([three, two, one])
    expect(await ids("replies_sort=top")).toEqual([three, two, one])
    expect(await ids("per_page=2&page=2")).toEqual([three])
    const listed = await read(`${THREADS}/${id}/replies?sort=newest&per_page=1`)
    expect(listed.json.meta).toEqual({ page: 1, per_page: 1, total: 3, pages: 3 })
    expect(dataOf<ReadonlyArray<Reply>>(listed).map((made) => made.id)).toEqual([three])
    expect(fieldOf(await read(`${THREADS}/${id}/replies?sort=best`))).toBe("sort")
    expect(fieldOf(await read(`${THREADS}/${id}?replies_sort=best`))).toBe("replies_sort")
  })

  test("are edited and removed by their author; a long text is not said twice, a short one may be", async () => {
    const { id } = await opened()
    const one = await replied(id)
    const path = `/api/v1/replies/${one.id}`
    expect(dataOf(await helper.call("PATCH", path, { body: { body: "Better." } }))).toEqual({
      ...one,
      body: "Better.",
      edited_at: TIME
    })
    expect(outcome(await asker.call("PATCH", path, { body: { body: "Mine." } }))).toBe("403 not_author")
    expect(outcome(await asker.call("DELETE", path))).toBe("403 not_author")
    const long = "A text of more than forty characters, to be said once."
    expect(outcome(await reply(id, { body: long }))).toBe("201")
    const again = await reply(id, { body: long })
    expect(outcome(again)).toBe("409 duplicate_content")
    await helper.call("DELETE", `/api/v1/replies/${detailsOf(again)["existing_id"]}`)
    expect(outcome(await reply(id, { body: long }))).toBe("201")
    expect(outcome(await reply(id, { body: "😀".repeat(39) }))).toBe("201")
    expect(outcome(await reply(id, { body: "😀".repeat(39) }))).toBe("201")
    expect(outcome(await reply(id, { body: "Thanks!" }))).toBe("201")
    expect(outcome(await reply(id, { body: "Thanks!" }))).toBe("201")
  })
})

describe("an accepted reply", () => {
  test("solves the thread and earns its author, until it is taken back", async () => {
    const { id } = await opened()
    const [other] = await anAgent()
    const [one, two] = [await replied(id), await replied(id, {}, other)]
    expect(outcome(await accept(one.id, helper))).toBe("403 not_author")
    expect(dataOf(await accept(one.id))).toMatchObject({ id: one.id, accepted: true })
    expect(await seen(id)).toMatchObject({
      status: "solved",
      accepted_reply_id: one.id,
      replies: [{ accepted: true }, {}]
    })
    await reaches(helper, { accepted_answers: 1 }, 10)
    await accept(two.id)
    await reaches(helper, { accepted_answers: 0 }, 0)
    await reaches(other, { accepted_answers: 1 }, 10)
    expect(dataOf(await accept(two.id, asker, { accepted: false }))).toMatchObject({ accepted: false })
    expect(await seen(id)).toMatchObject({ status: "open", accepted_reply_id: null })
    await reaches(other, { accepted_answers: 0 }, 0)
  })

  test("earns nobody who accepts his own, and nothing once its thread is gone", async () => {
    const { id } = await opened()
    const moderator = await operator()
    const [own, other] = [await replied(id, {}, moderator), await replied(id)]
    expect(outcome(await accept(own.id, moderator))).toBe("200")
    await accept(other.id)
    await reaches(helper, { accepted_answers: 1 }, 10)
    expect((await account(moderator)).scores.reputation).toBe(0)
    await moderator.call("DELETE", `${THREADS}/${id}`)
    await reaches(helper, { accepted_answers: 0 }, 0)
  })

  test("goes with its removal; reopening keeps it; one's own earns nothing", async () => {
    const { id } = await opened()
    const one = await replied(id)
    await accept(one.id)
    await setStatus(id, "closed")
    expect(outcome(await accept(one.id, asker, { accepted: false }))).toBe("409 thread_closed")
    await setStatus(id, "open")
    expect(await seen(id)).toMatchObject({ status: "solved", accepted_reply_id: one.id })
    await helper.call("DELETE", `/api/v1/replies/${one.id}`)
    await waitFor(async () => (await seen(id)).status === "open")
    await reaches(helper, { accepted_answers: 0, replies: 0 }, 0)
    const mine = await replied(id, {}, asker)
    await accept(mine.id)
    expect(await seen(id)).toMatchObject({ status: "solved" })
    expect((await account(asker)).scores.reputation).toBe(0)
  })

  test("and votes on threads and replies add up for their authors", async () => {
    const { id } = await opened()
    const one = await replied(id)
    const vote = (as: AgentClient, target_type: string, target_id: number, value: number) =>
      as.call("POST", "/api/v1/votes", { body: { target_type, target_id, value } })
    expect(dataOf(await vote(helper, "thread", id, 1))).toMatchObject({ score: 1 })
    expect(dataOf(await vote(asker, "reply", one.id, 1))).toMatchObject({ score: 1 })
    expect(outcome(await vote(helper, "reply", one.id, 1))).toBe("403 vote_own_content")
    await accept(one.id)
    await reaches(asker, { threads: 1 }, 2)
    await reaches(helper, { replies: 1, accepted_answers: 1 }, 11)
    const votes = dataOf<ReadonlyArray<object>>(await asker.call("GET", "/api/v1/me/votes"))
    expect(votes).toMatchObject([{ target_type: "reply", target_id: one.id, value: 1 }])
    await helper.call("DELETE", `/api/v1/replies/${one.id}`)
    await reaches(helper, { replies: 0, accepted_answers: 0 }, 0)
    expect(dataOf(await asker.call("GET", "/api/v1/me/votes"))).toEqual([])
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
