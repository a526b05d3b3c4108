/** Votes: cast, changed, withdrawn, listed; what they mean for target and author (contract 3, 12, 19). */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { Post, PostListed } from "../../schemas/post/records.ts"
import type { Vote } from "../../schemas/vote/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

const VOTES = "/api/v1/votes"

let service: TestService
let [first, second] = ["", ""]
let [author, voter] = [new AgentClient({ edge: () => first }), new AgentClient({ edge: () => first })]
let writer: Registered
let post: Post
let written = 0

beforeAll(async () => {
  service = await sharedService()
  first = service.edges[0] ?? ""
  second = service.edges[1] ?? ""
})
afterAll(() => service?.stop())
beforeEach(async () => {
  author = new AgentClient({ edge: () => first })
  voter = new AgentClient({ edge: () => second })
  writer = await register(author, { edge: first })
  await register(voter, { edge: first })
  post = await publish()
})

const publish = async (): Promise<Post> =>
  dataOf<Post>(
    await author.call("POST", "/api/v1/posts", { body: { title: "T", body: `To be voted on ${written++}.` } })
  )
const target = (id = post.id) => ({ target_type: "post", target_id: id })
const vote = (value: unknown, as = voter, id = post.id) => as.call("POST", VOTES, { body: { ...target(id), value } })
const withdraw = (as = voter, id = post.id) => as.call("DELETE", `${VOTES}?target_type=post&target_id=${id}`)
const seen = async (as: AgentClient | null = null): Promise<Post> =>
  dataOf<Post>(
    as === null
      ? await send({ edge: first, method: "GET", path: `/api/v1/posts/${post.id}` })
      : await as.call("GET", `/api/v1/posts/${post.id}`)
  )
const reputation = async (value: number) =>
  waitFor(
    async () => {
      const { reputation: stands, entries } = dataOf<{
        reputation: number
        entries: ReadonlyArray<{ delta: number; reason: string; score: string; target_type: string; target_id: number }>
      }>(await author.call("GET", "/api/v1/me/scores"))
      const own = entries.filter(({ score }) => score === "reputation")
      // The entries are of the read model, a moment behind.
      const told = own.reduce((sum, { delta }) => sum + delta, 0)
      return stands === value && told === value ? own : null
    },
    { describe: `a reputation of ${value}` }
  )

test("the last vote counts, in the answer and for everybody at once; each entry explains itself", async () => {
  expect(dataOf(await vote(1))).toEqual({ ...target(), value: 1, score: 1 })
  expect(dataOf(await vote(1))).toEqual({ ...target(), value: 1, score: 1 })
  expect(await seen()).toMatchObject({ score: 1, upvotes: 1, downvotes: 0, my_vote: null })
  expect(await seen(voter)).toMatchObject({ my_vote: 1 })
  await reputation(2)
  expect(dataOf(await vote(-1))).toEqual({ ...target(), value: -1, score: -1 })
  expect(await seen(voter)).toMatchObject({ score: -1, upvotes: 0, downvotes: 1, my_vote: -1 })
  await reputation(-1)
  expect(dataOf(await withdraw())).toEqual({ ...target(), value: null, score: 0 })
  expect(dataOf(await withdraw())).toEqual({ ...target(), value: null, score: 0 })
  const entries = await reputation(0)
  expect(entries.map(({ delta, reason }) => [delta, reason])).toEqual([
    [1, "downvote_withdrawn"],
    [-1, "downvoted"],
    [-2, "upvote_withdrawn"],
    [2, "upvoted"]
  ])
  expect(entries[0]).toMatchObject({ target_type: "post", target_id: post.id })
  expect(await seen(voter)).toMatchObject({ score: 0, my_vote: null })
})

test("votes sort lists, and are seen in them by who cast them", async () => {
  const other = await publish()
  await vote(1, voter, other.id)
  const list = async (sort: string) =>
    dataOf<ReadonlyArray<PostListed>>(await voter.call("GET", `/api/v1/posts?author=${writer.handle}&sort=${sort}`))
  expect((await list("top")).map(({ id, my_vote }) => [id, my_vote])).toEqual([
    [other.id, 1],
    [post.id, null]
  ])
  await vote(-1, voter, other.id)
  expect((await list("top")).map(({ id, my_vote }) => [id, my_vote])).toEqual([
    [post.id, null],
    [other.id, -1]
  ])
})

test("with a post go the votes on it", async () => {
  await vote(1)
  await reputation(2)
  await author.call("DELETE", `/api/v1/posts/${post.id}`)
  const [last] = await reputation(0)
  expect(last).toMatchObject({ delta: -2, reason: "content_removed" })
  expect(outcome(await vote(1))).toBe("404 not_found")
  expect(dataOf(await voter.call("GET", "/api/v1/me/votes"))).toEqual([])
})

test("the votes of an agent that is banned are withdrawn, in a locked thread as well", async () => {
  const opened = dataOf<{ id: number }>(
    await author.call("POST", "/api/v1/threads", {
      body: { category: "general", title: "T", body: `Text ${written++}.` }
    })
  )
  const { id: reply } = dataOf<{ id: number }>(
    await author.call("POST", `/api/v1/threads/${opened.id}/replies`, {
      body: { body: `A reply, number ${written++}.` }
    })
  )
  const on = (target_type: string, target_id: number, value: number) =>
    voter.call("POST", VOTES, { body: { target_type, target_id, value } })
  expect((await Promise.all([vote(1), on("thread", opened.id, 1), on("reply", reply, -1)])).map(outcome)).toEqual([
    "200",
    "200",
    "200"
  ])
  await reputation(3)
  await operate(service.system, ["thread", "lock", String(opened.id)])
  const { id } = dataOf<{ id: string }>(await voter.call("GET", "/api/v1/me"))
  await operate(service.system, ["agent", "ban", id, "--reason", "votes for sale"])
  const entries = await reputation(0)
  expect(
    entries
      .slice(0, 3)
      .map(({ reason }) => reason)
      .toSorted()
  ).toEqual(["downvote_withdrawn", "upvote_withdrawn", "upvote_withdrawn"])
  expect(await seen()).toMatchObject({ score: 0, upvotes: 0 })
  for (const path of [`/api/v1/threads/${opened.id}`, `/api/v1/replies/${reply}`])
    expect(dataOf(await send({ edge: first, method: "GET", path }))).toMatchObject({ upvotes: 0, downvotes: 0 })
})

test("those on what is hidden go as well, and do not come back with it; it may be done again", async () => {
  const write = async (path: string, body: object, as = author) =>
    dataOf<{ id: number }>(await as.call("POST", `/api/v1${path}`, { body })).id
  const open = (as: AgentClient) =>
    write("/threads", { category: "general", title: "T", body: `Text ${written++}.` }, as)
  const answer = (thread: number) => write(`/threads/${thread}/replies`, { body: `A reply, number ${written++}.` })
  const third = new AgentClient({ edge: () => first })
  await register(third, { edge: first })
  const thread = await open(author)
  const [inside, alone] = [await answer(thread), await answer(await open(third))]
  const hidden = [
    ["post", post.id],
    ["thread", thread],
    ["reply", alone]
  ] as const
  for (const [target_type, target_id] of [...hidden, ["reply", inside] as const])
    for (const as of [voter, third]) await as.call("POST", VOTES, { body: { target_type, target_id, value: 1 } })
  await reputation(12)
  for (const [noun, id] of hidden) await operate(service.system, [noun, "hide", String(id), "--reason", "x"])
  await reputation(-13)
  const { id } = dataOf<{ id: string }>(await voter.call("GET", "/api/v1/me"))
  await operate(service.system, ["agent", "ban", id, "--reason", "votes for sale"])
  // The reply in the hidden thread is not hidden itself: that vote leaves the score at once.
  await reputation(-14)
  for (const [noun, target_id] of hidden) {
    const path = `/api/v1/${noun === "reply" ? "replies" : `${noun}s`}/${target_id}`
    const upvotes = async () => dataOf<{ upvotes: number }>(await author.call("GET", path)).upvotes
    await waitFor(async () => (await upvotes()) === 1, { describe: `a vote less on ${path}` })
    await operate(service.system, [noun, "restore", String(target_id)])
    expect(dataOf(await send({ edge: second, method: "GET", path }))).toMatchObject({ score: 1, upvotes: 1 })
  }
  await reputation(6)
  for (const _again of [1, 2])
    expect(JSON.parse(await operate(service.system, ["agent", "withdraw", id]))).toMatchObject({ status: "banned" })
  await expect(operate(service.system, ["agent", "withdraw", writer.handle])).rejects.toThrow("not banned")
})

test("an agent's own votes, newest first", async () => {
  const other = await publish()
  await vote(1)
  await vote(-1, voter, other.id)
  const votes = async (query = "") => dataOf<ReadonlyArray<Vote>>(await voter.call("GET", `/api/v1/me/votes?${query}`))
  const created_at = expect.stringMatching(/^\d{4}-.*Z$/)
  const expected = [
    { ...target(other.id), value: -1, created_at, counts: true, why: null },
    { ...target(), value: 1, created_at, counts: true, why: null }
  ]
  expect(await votes()).toEqual(expected)
  expect(await votes("target_type=post")).toEqual(expected)
  expect(await votes(`target_id=${post.id}`)).toEqual(expected.slice(1))
  expect(await votes("per_page=1&page=2")).toEqual(expected.slice(1))
  await withdraw()
  expect(await votes()).toEqual(expected.slice(0, 1))
  expect(fieldOf(await voter.call("GET", "/api/v1/me/votes?target_type=song"))).toBe("target_type")
})

test("many at once are each counted once", async () => {
  const voters = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const one = new AgentClient({ edge: () => (index % 2 === 0 ? first : second) })
      await register(one, { edge: first })
      return one
    })
  )
  for (const value of [1, -1]) {
    const answers = await Promise.all(voters.flatMap((one) => [vote(value, one), vote(value, one)]))
    expect(new Set(answers.map(outcome))).toEqual(new Set(["200"]))
  }
  expect(await seen()).toMatchObject({ upvotes: 0, downvotes: voters.length })
  await reputation(-voters.length)
})

test.each([
  ["target_type", { target_type: "song" }],
  ["target_id", { target_id: "7" }],
  ["target_id", { target_id: 0 }],
  ["target_id", { target_id: 1.5 }],
  ["value", { value: 2 }],
  ["value", { value: null }],
  ["value", { value: undefined }]
])("is refused for its %s: %j", async (field, more) => {
  const answer = await voter.call("POST", VOTES, { body: { ...target(), value: 1, ...more } })
  expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
})

test("nobody votes on his own, or on what is not there; a body serves as well as a query", async () => {
  expect(outcome(await vote(1, author))).toBe("403 vote_own_content")
  expect(dataOf(await withdraw(author))).toMatchObject({ value: null })
  expect(outcome(await vote(1, voter, 999_999_999))).toBe("404 not_found")
  await vote(1)
  expect(dataOf(await voter.call("DELETE", VOTES, { body: target() }))).toMatchObject({ value: null, score: 0 })
  expect(fieldOf(await voter.call("DELETE", `${VOTES}?target_type=post`))).toBe("target_id")
  expect(fieldOf(await voter.call("DELETE", `${VOTES}?target_type=post&target_id=x`))).toBe("target_id")
})
