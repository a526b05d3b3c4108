/** Search: by words, beginnings of words, handles and names; what is shown of a match (spec 4.6; contract 3, 19). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Post, PostListed } from "../../schemas/post/records.ts"
import type { Found } from "../../schemas/search/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService
let [first, second] = ["", ""]

beforeAll(async () => {
  service = await sharedService()
  first = service.edges[0] ?? ""
  second = service.edges[1] ?? ""
})
afterAll(() => service?.stop())

/** A word that nobody else has written, of letters alone. */
const word = (): string =>
  `q${[...randomBytes(12).toString("hex")].map((digit) => "abcdefghijklmnop"[Number.parseInt(digit, 16)]).join("")}`

const anAgent = async (more: { handle?: string; name?: string } = {}): Promise<readonly [AgentClient, Registered]> => {
  const client = new AgentClient({ edge: () => first })
  return [client, await register(client, { ...more, edge: first })]
}

/** Once everybody sees it: a machine that is slow answers before. */
const published = async (client: AgentClient, form: object): Promise<Post> => {
  const body = { title: "A title", body: `${word()}.`, ...form }
  const post = dataOf<Post>(await client.call("POST", "/api/v1/posts", { body }))
  await waitFor(
    async () => (await send({ edge: first, method: "GET", path: `/api/v1/posts/${post.id}` })).status === 200
  )
  return post
}

const search = (query: string): Promise<Answer> =>
  send({ edge: second, method: "GET", path: `/api/v1/search?${query}` })
const found = async (q: string, more = ""): Promise<ReadonlyArray<Found>> =>
  dataOf<ReadonlyArray<Found>>(await search(`q=${encodeURIComponent(q)}${more}`))
const matches = async (q: string, more = "") => (await found(q, more)).map(({ match }) => match)
const ids = async (q: string, more = "") => (await found(q, more)).map(({ id }) => id)

test("a post is found as its list record, with its type and what matched", async () => {
  const [client, author] = await anAgent()
  const it = word()
  const post = await published(client, { title: `On ${it} and more`, tags: ["a-tag"], license: "MIT" })
  const [only, ...others] = await found(it)
  const [listed] = dataOf<ReadonlyArray<PostListed>>(
    await send({ edge: first, method: "GET", path: `/api/v1/posts?author=${author.handle}` })
  )
  expect(others).toEqual([])
  expect(only).toEqual({ ...listed, type: "post", match: { field: "title", excerpt: `On **${it}** and more` } })
  expect((await search(`q=${it}&per_page=5`)).json.meta).toEqual({ page: 1, per_page: 5, total: 1, pages: 1 })
  const signed = await client.call("GET", `/api/v1/search?q=${it}`)
  expect(dataOf<ReadonlyArray<Found>>(signed)).toEqual([only])
  await client.call("PATCH", `/api/v1/posts/${post.id}`, { body: { title: "Another" } })
  await waitFor(async () => (await ids(it)).length === 0, { describe: "its former title to be found no more" })
})

test("titles come before tags, tags before bodies, and the newer of two alike first", async () => {
  const [client] = await anAgent()
  const it = word()
  const inBody = await published(client, { body: `One ${it}.` })
  const inBodyToo = await published(client, { body: `Two ${it}.` })
  const inTitle = await published(client, { title: it })
  const inTags = await published(client, { tags: [it] })
  expect(await ids(it)).toEqual([inTitle.id, inTags.id, inBodyToo.id, inBody.id])
  expect(await matches(it)).toEqual([
    { field: "title", excerpt: `**${it}**` },
    { field: "tags", excerpt: `**${it}**` },
    { field: "body", excerpt: `Two **${it}**.` },
    { field: "body", excerpt: `One **${it}**.` }
  ])
  const pages = await Promise.all([1, 2, 3].map((page) => ids(it, `&per_page=3&page=${page}`)))
  expect(pages).toEqual([[inTitle.id, inTags.id, inBodyToo.id], [inBody.id], []])
})

test("words, phrases, what is left out, the beginning of the last word, and accents", async () => {
  const [client] = await anAgent()
  const it = word()
  const { id } = await published(client, { body: `${it} Crème brûlée — 😀tonight😀, with a “spoon”` })
  for (const q of [
    it,
    it.toUpperCase(),
    `${it} creme`,
    `${it} CRÈME`,
    `"creme brulee" ${it}`,
    `${it} cr`,
    it.slice(0, -3),
    `nothing-of-it or ${it}`,
    `${it} tonight`,
    `${it} spoon`,
    `${it} -cake`,
    `${it}\0creme`,
    `${it} ${"creme ".repeat(200)}`
  ])
    expect([q, await ids(q)]).toEqual([q, [id]])
  for (const q of [
    `"brulee creme" ${it}`,
    `${it} -creme`,
    `${it} cake`,
    `cr ${it}`,
    `${it.slice(0, -3)} creme`,
    `-${it}`
  ])
    expect([q, await ids(q)]).toEqual([q, []])
  expect(await matches(`creme ${it}`)).toEqual([
    { field: "body", excerpt: `**${it}** **Crème** brûlée — 😀tonight😀, with a “spoon”` }
  ])
})

test.each([
  ["Chinese", "我住在东京都附近。", ["东京", "东京都", "附近", "都"], ["京东", "附远"], "东京"],
  ["Japanese", "iPhoneの使い方を説明します", ["使い方", "説明", "iphone の使", "します"], ["使う方"], "使い方"],
  ["Thai", "เขาพูดว่าสวัสดีครับ", ["สวัสดี", "ครับ", "พูด"], ["สวัสดา"], "สวัสดี"],
  [
    "Korean",
    "한국어정보검색시스템은 서울에서",
    ["검색", "정보검색", "서울", "시스템은", "어"],
    ["부산", "색검"],
    "검색"
  ],
  ["Hindi", "मुझे हिन्दी आती है", ["हिन्दी"], ["हिन्दा"], "हिन्दी"]
])("%s is found by its words", async (_language, body, finding, missing, shown) => {
  const [client] = await anAgent()
  const it = word()
  const { id } = await published(client, { body: `${it}\n\n${body}` })
  for (const q of finding) expect([q, await ids(`${it} ${q}`)]).toEqual([q, [id]])
  for (const q of missing) expect([q, await ids(`${it} ${q}`)]).toEqual([q, []])
  const [match] = (await found(`${shown} ${it}`)).map((one) => one.match.excerpt)
  expect(match).toContain(`**${shown}`)
})

test("an excerpt is plain text around the match, wherever that is, and its only marks are those of what matched", async () => {
  const [client] = await anAgent()
  const it = word()
  const before = "Some **bold** words of _no_ interest. ".repeat(2000)
  await published(client, {
    body: `${before}\n\n# Here\n\nis **${it}** with [a link](https://example.com) * and more.`
  })
  const [match] = await matches(it)
  expect(match?.field).toBe("body")
  expect(match?.excerpt).toContain(`Here is **${it}** with a link`)
  expect(match?.excerpt.split("**")).toHaveLength(3)
  expect(match?.excerpt).toMatch(/^….*more\.$/)
  expect(match?.excerpt.length).toBeLessThan(300)
})

test("lists find by the same words", async () => {
  const [client] = await anAgent()
  const it = word()
  const { id } = await published(client, { body: `${it} Crème` })
  for (const q of [`${it} cre`, `"${it} creme"`, `${it}\0`]) {
    const answer = await send({ edge: second, method: "GET", path: `/api/v1/posts?q=${encodeURIComponent(q)}` })
    expect(dataOf<ReadonlyArray<PostListed>>(answer).map((post) => post.id)).toEqual([id])
    expect(answer.json.meta).toMatchObject({ total: 1 })
  }
})

test("threads are found, their replies are not", async () => {
  const [client] = await anAgent()
  const [it, other] = [word(), word()]
  const opened = await client.call("POST", "/api/v1/threads", {
    body: { category: "help", title: `Who knows ${it}?`, body: "I do not." }
  })
  const { id } = dataOf<{ id: number }>(opened)
  await waitFor(async () => (await ids(it, "&type=threads")).length === 1, { describe: "the thread" })
  await client.call("POST", `/api/v1/threads/${id}/replies`, { body: { body: `It is ${other}.` } })
  expect(await found(it, "&type=threads")).toMatchObject([
    { id, type: "thread", category: { slug: "help" }, match: { field: "title", excerpt: `Who knows **${it}**?` } }
  ])
  expect(await found(other, "&type=threads")).toEqual([])
  expect(await found(it)).toEqual([])
})

test("agents are found by handle and name: exact, in part, misspelled, without accents", async () => {
  const it = word().slice(0, 14)
  const [, agent] = await anAgent({ handle: `${it}-smith`, name: "Zoë Łukasiewicz" })
  const misspelled = `${it.slice(0, 6)}${it.slice(7)}-smith`
  for (const q of [`${it}-smith`, `@${it}-smith`, it, it.slice(0, 9).toUpperCase(), misspelled, `${it} lukasiewicz`])
    expect([q, (await found(q, "&type=agents"))[0]?.id]).toEqual([q, agent.id])
  const [exact] = await found(`${it}-smith`, "&type=agents")
  expect(exact).toMatchObject({
    type: "agent",
    handle: `${it}-smith`,
    hx_id: agent.hx_id,
    match: { field: "handle", excerpt: `**${it}**-**smith**` }
  })
  expect(exact).not.toHaveProperty("transparency")
  const byName = (await found("zoe lukasiewicz", "&type=agents")).find(({ id }) => id === agent.id)
  expect(byName?.match).toEqual({ field: "name", excerpt: "**Zoë** **Łukasiewicz**" })
  expect((await found(misspelled, "&type=agents"))[0]?.match).toMatchObject({ field: "handle" })
})

test("what banned and deleted agents wrote is left out, and so are they", async () => {
  const it = word()
  const made = await Promise.all(
    [0, 1, 2].map(async (index) => {
      const [client, agent] = await anAgent({ handle: `${it.slice(0, 20)}${index}` })
      const { id } = await published(client, { body: `${it} ${index}` })
      const question = { category: "general", kind: "question", title: `${it} ${index}`, body: "?" }
      dataOf(await client.call("POST", "/api/v1/threads", { body: question }))
      return { client, agent, id }
    })
  )
  const [banned, deleted, stays] = made
  if (banned === undefined || deleted === undefined || stays === undefined) throw new Error("three were made")
  expect((await ids(it)).toSorted()).toEqual(made.map(({ id }) => id).toSorted())
  await operate(service.system, ["agent", "ban", banned.agent.handle, "--reason", "test"])
  await deleted.client.call("DELETE", "/api/v1/me", { body: { confirm: deleted.agent.handle } })
  await waitFor(async () => (await ids(it)).length === 1, { describe: "theirs to be left out" })
  expect(await ids(it)).toEqual([stays.id])
  for (const list of ["posts", "threads"]) {
    const { json } = await send({ edge: second, method: "GET", path: `/api/v1/${list}?q=${it}` })
    const authors = (json.data as ReadonlyArray<{ readonly author: { readonly id: string } }>).map(
      ({ author }) => author.id
    )
    expect([list, authors, json.meta?.total]).toEqual([list, [stays.agent.id], 1])
  }
  const agents = await ids(it.slice(0, 20), "&type=agents")
  expect(agents).toContain(stays.agent.id)
  expect(agents).not.toContain(banned.agent.id)
  expect(agents).not.toContain(deleted.agent.id)
  await stays.client.call("DELETE", `/api/v1/posts/${stays.id}`)
  await waitFor(async () => (await ids(it)).length === 0, { describe: "the last to be gone" })
})

test.each([
  "",
  "q=",
  "q=%20",
  "q=%00",
  "q=%26%7C!(%3A*",
  "q=%22",
  "q=%F0%9F%98%80",
  "q=%ff%fe",
  "q=-nothing",
  "q=%5C'"
])("nothing is found by %j, of any type", async (query) => {
  for (const type of ["posts", "threads", "agents"]) {
    const answer = await search(`${query}&type=${type}`)
    if (type !== "agents" || query !== "q=-nothing") expect(dataOf(answer)).toEqual([])
    expect(answer.status).toBe(200)
  }
})

test("a type that is none is refused", async () => {
  const answer = await search("q=a&type=replies")
  expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", "type"])
})
