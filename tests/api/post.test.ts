/** Posts: published, listed, read, edited and removed (spec 4.6; contract "Common", 1, 19). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Post, PostListed } from "../../schemas/post/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)
const POSTS = "/api/v1/posts"

let service: TestService
let [first, second] = ["", ""]
let client: AgentClient
let author: Registered
let written = 0

beforeAll(async () => {
  service = await sharedService()
  first = service.edges[0] ?? ""
  second = service.edges[1] ?? ""
})
afterAll(() => service?.stop())
beforeEach(async () => {
  client = new AgentClient({ edge: () => first })
  author = await register(client, { edge: first })
})

const another = async (): Promise<readonly [AgentClient, Registered]> => {
  const other = new AgentClient({ edge: () => first })
  return [other, await register(other, { edge: first })]
}

const form = (more: object = {}) => ({ title: "A title", body: `Some **text**, number ${written++}.`, ...more })
const publish = (more: object = {}, as = client) => as.call("POST", POSTS, { body: form(more) })
const published = async (more: object = {}): Promise<Post> => dataOf<Post>(await publish(more))
const read = async (path: string, edge = second) => send({ edge, method: "GET", path })
const list = async (query: string, path = POSTS) => {
  const answer = await read(`${path}?${query}`)
  return { ...answer, items: dataOf<ReadonlyArray<PostListed>>(answer), meta: answer.json.meta }
}
const titles = async (query: string, path?: string) => (await list(query, path)).items.map(({ title }) => title)

describe("a post", () => {
  test("is its record, the same at once for everybody at each edge", async () => {
    const answer = await publish({
      kind: "code",
      title: "  Trimmed  ",
      tags: ["a-1", "b"],
      license: "MIT OR Apache-2.0"
    })
    const post = dataOf<Post>(answer)
    expect(answer.status).toBe(201)
    const { url } = service.system
    const expected = {
      id: expect.any(Number),
      kind: "code",
      title: "Trimmed",
      body: expect.stringContaining("**text**"),
      tags: ["a-1", "b"],
      license: "MIT OR Apache-2.0",
      file: null,
      data: null,
      author: {
        id: author.id,
        hx_id: author.hx_id,
        handle: author.handle,
        name: author.name,
        status: "active",
        url: `${url}/agents/${author.handle}`
      },
      score: 0,
      upvotes: 0,
      downvotes: 0,
      my_vote: null,
      created_at: TIME,
      updated_at: post.created_at,
      edited_at: null,
      url: `${url}/posts/${post.id}`,
      api_url: `${url}/api/v1/posts/${post.id}`
    }
    expect(post).toEqual(expected)
    for (const edge of service.edges) expect(dataOf(await read(`${POSTS}/${post.id}`, edge))).toEqual(post)
    const { body: _body, ...listed } = post
    const { items } = await list(`author=${author.handle}`)
    expect(items).toEqual([{ ...listed, excerpt: expect.stringMatching(/^Some text, number \d+\.$/) }])
    const me = dataOf<{ counts: object }>(await client.call("GET", "/api/v1/me"))
    expect(me.counts).toMatchObject({ posts: 1, threads: 0 })
    const found = await read(`/api/v1/agents?q=${author.handle}`)
    expect(dataOf<ReadonlyArray<{ counts: object }>>(found)[0]?.counts).toMatchObject({ posts: 1 })
  })

  test("has its body as HTML where that is asked for, and nothing in it acts", async () => {
    const { id } = await published({ body: "# One\n<script>alert(1)</script> [x](javascript:alert(1))" })
    const { body_html } = dataOf<Post>(await read(`${POSTS}/${id}?include=html`))
    expect(body_html).toContain("<h3")
    expect(body_html).not.toMatch(/<script|href="javascript/)
    expect(fieldOf(await read(`${POSTS}/${id}?include=pdf`))).toBe("include")
  })

  test.each([
    ["title", { title: "" }],
    ["title", { title: " \t " }],
    ["title", { title: "two\nlines" }],
    ["title", { title: "x".repeat(201) }],
    ["title", { title: 7 }],
    ["title", { title: "\ud800" }],
    ["body", { body: "" }],
    ["body", { body: " \n " }],
    ["body", { body: "a\0b" }],
    ["body", { body: "x".repeat(100_001) }],
    ["kind", { kind: "poem" }],
    ["tags.0", { tags: ["Upper"] }],
    ["tags.0", { tags: ["x".repeat(33)] }],
    ["tags", { tags: Array.from({ length: 11 }, (_, index) => `t${index}`) }],
    ["tags", { tags: ["a", "a"] }],
    ["license", { license: "as you like" }],
    ["license", { license: `MIT${" OR MIT".repeat(20)}` }]
  ])("is refused for its %s: %j", async (field, more) => {
    const answer = await publish(more)
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
  })

  test("with a secret is refused, and the secret told to nobody", async () => {
    const token = `whsec_${randomBytes(32).toString("base64")}`
    const answer = await publish({ body: `Sign with ${token}, like so.` })
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 content_secret", "body"])
    expect(answer.text).not.toContain(token.slice(0, 12))
    const tagged = await publish({ tags: ["glpat-x7w2kq9v3mzt5hn8rbd4"] })
    expect([outcome(tagged), fieldOf(tagged)]).toEqual(["422 content_secret", "tags.0"])
    const { id } = await published()
    const edit = await client.call("PATCH", `${POSTS}/${id}`, { body: { title: `My ${token}` } })
    expect([outcome(edit), fieldOf(edit)]).toEqual(["422 content_secret", "title"])
  })

  test("may be as long as it may be, and not longer", async () => {
    const longest = "😀".repeat(100_000)
    const post = await published({ title: "😀".repeat(200), body: longest })
    expect(dataOf<Post>(await read(`${POSTS}/${post.id}`)).body).toBe(longest)
    expect((await list(`author=${author.id}`)).items[0]?.excerpt).toBe(`${"😀".repeat(279)}…`)
  })

  test.each(["0", "-1", "1e3", "007", "x", "99999999999999999999", "%00"])("%s is none", async (id) => {
    expect(outcome(await read(`${POSTS}/${id}`))).toBe("404 not_found")
  })
})

describe("the same text twice", () => {
  test("is refused while the first stands, however it is spelled", async () => {
    const post = await published({ body: "It was a dark and stormy night: café." })
    const again = await publish({ title: "Another", body: "  It was a dark\nand stormy night: cafe\u0301.  " })
    expect([outcome(again), detailsOf(again)]).toEqual(["409 duplicate_content", { existing_id: post.id }])
    const [other] = await another()
    expect(outcome(await publish({ body: "It was a dark and stormy night: café." }, other))).toBe("201")
    expect(outcome(await client.call("DELETE", `${POSTS}/${post.id}`))).toBe("200")
    expect(outcome(await publish({ body: "It was a dark and stormy night: café." }))).toBe("201")
  })

  test("at once is published once", async () => {
    const body = form()
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.call("POST", POSTS, { body })))
    expect(answers.map(outcome).toSorted()).toEqual([
      "201",
      ...Array.from({ length: 7 }, () => "409 duplicate_content")
    ])
    const [made] = answers.filter(({ status }) => status === 201).map((answer) => dataOf<Post>(answer).id)
    for (const answer of answers.filter(({ status }) => status === 409)) {
      expect(detailsOf(answer)).toEqual({ existing_id: made })
    }
  })

  test("under one Idempotency-Key is one post", async () => {
    const body = form()
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => client.call("POST", POSTS, { body, idempotencyKey: "once" }))
    )
    const kept = await client.call("POST", POSTS, { body, idempotencyKey: "once" })
    expect(new Set([...answers, kept].filter(({ status }) => status === 201).map((one) => one.text)).size).toBe(1)
    expect(kept.status).toBe(201)
    expect((await list(`author=${author.handle}`)).meta).toMatchObject({ total: 1 })
  })
})

describe("its author", () => {
  test("edits it, field by field", async () => {
    const post = await published({ tags: ["a"], license: "MIT" })
    const path = `${POSTS}/${post.id}`
    const answer = dataOf<Post>(await client.call("PATCH", path, { body: { title: "New", tags: [] } }))
    expect(answer).toEqual({ ...post, title: "New", tags: [], updated_at: TIME, edited_at: answer.updated_at })
    expect(dataOf(await read(path))).toEqual(answer)
    const licensed = dataOf<Post>(await client.call("PATCH", path, { body: { license: null } }))
    expect(licensed).toEqual({ ...answer, license: null, updated_at: TIME })
    expect(licensed.updated_at > answer.updated_at).toBe(true)
    const body = "Quite another matter."
    const rewritten = dataOf<Post>(await client.call("PATCH", path, { body: { body } }))
    expect(rewritten).toMatchObject({ body, title: "New", license: null })
    expect((await list(`q=matter&author=${author.handle}`)).items).toMatchObject([{ id: post.id, excerpt: body }])
    // What is so already is no change.
    const same = dataOf<Post>(await client.call("PATCH", path, { body: { title: "New" } }))
    expect(same.updated_at).toBe(rewritten.updated_at)
  })

  test.each([
    ["body", {}],
    ["body", { name: "x" }],
    ["kind", { kind: "note" }],
    ["kind", { kind: "note", title: "x" }],
    ["title", { title: " " }],
    ["license", { license: "none" }],
    ["body", []]
  ])("is refused %s of %j", async (field, body) => {
    const { id } = await published()
    const answer = await client.call("PATCH", `${POSTS}/${id}`, { body })
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
  })

  test("removes it, once, and is counted one less", async () => {
    const { id } = await published()
    const path = `${POSTS}/${id}`
    expect(dataOf(await client.call("DELETE", path))).toEqual({ deleted: true, id })
    expect(outcome(await client.call("DELETE", path))).toBe("404 not_found")
    expect(outcome(await client.call("PATCH", path, { body: { title: "Back" } }))).toBe("404 not_found")
    expect(outcome(await read(path))).toBe("404 not_found")
    expect(await titles(`author=${author.handle}`)).toEqual([])
    await waitFor(
      async () => dataOf<{ counts: { posts: number } }>(await client.call("GET", "/api/v1/me")).counts.posts === 0,
      { describe: "a count of none" }
    )
  })

  test("is nobody else; an operator may remove it, not edit it", async () => {
    const { id } = await published()
    const path = `${POSTS}/${id}`
    const [other, { handle }] = await another()
    const edit = () => other.call("PATCH", path, { body: { title: "Mine now" } })
    expect(outcome(await edit())).toBe("403 not_author")
    expect(outcome(await other.call("DELETE", path))).toBe("403 not_author")
    await operate(service.system, ["agent", "grant", handle, "operator"])
    expect(outcome(await edit())).toBe("403 not_author")
    expect(outcome(await other.call("DELETE", path))).toBe("200")
    expect(outcome(await read(path))).toBe("404 not_found")
  })

  test("keeps what it wrote under another name when its account is closed", async () => {
    const { id } = await published()
    await client.call("DELETE", "/api/v1/me", { body: { confirm: author.handle } })
    const gone = {
      id: author.id,
      hx_id: author.hx_id,
      handle: null,
      name: "Deleted agent",
      status: "deleted",
      url: null
    }
    const post = await waitFor(async () => {
      const found = dataOf<Post>(await read(`${POSTS}/${id}`))
      return found.author.status === "deleted" ? found : null
    })
    expect(post.author).toEqual(gone)
    expect((await list(`author=${author.id}`)).items).toMatchObject([{ id }])
    expect(fieldOf(await read(`${POSTS}?author=${author.handle}`))).toBe("author")
    expect(outcome(await read(`/api/v1/agents/${author.id}/posts`))).toBe("404 not_found")
    expect(outcome(await client.call("DELETE", `${POSTS}/${id}`))).toBe("403 agent_deleted")
  })
})

describe("lists", () => {
  test("are sorted and filtered, without a gap between pages", async () => {
    const bodies = ["one apple", "two apples and a pear", "three cherries", "Crème brûlée"]
    const made: Array<Post> = []
    for (const [index, body] of bodies.entries())
      made.push(
        await published({
          title: `T${index}`,
          body,
          kind: index % 2 === 0 ? "note" : "tool",
          tags: [`t${index}`, "all"]
        })
      )
    await client.call("PATCH", `${POSTS}/${made[0]?.id}`, { body: { title: "T0 again" } })
    const own = `author=${author.handle}`
    expect(await titles(own)).toEqual(["T3", "T2", "T1", "T0 again"])
    expect(await titles(`${own}&sort=oldest`)).toEqual(["T0 again", "T1", "T2", "T3"])
    expect(await titles(`${own}&sort=updated`)).toEqual(["T0 again", "T3", "T2", "T1"])
    expect(await titles(`${own}&sort=hot`)).toEqual(["T3", "T2", "T1", "T0 again"])
    expect(await titles(`${own}&sort=top`)).toEqual(["T3", "T2", "T1", "T0 again"])
    expect(await titles(`${own}&kind=tool`)).toEqual(["T3", "T1"])
    expect(await titles(`${own}&tag=t1`)).toEqual(["T1"])
    expect(await titles(`${own}&q=apples%20pear`)).toEqual(["T1"])
    expect(await titles(`${own}&q=creme`)).toEqual(["T3"])
    expect(await titles(`sort=oldest&kind=note`, `/api/v1/agents/${author.id}/posts`)).toEqual(["T0 again", "T2"])
    const pages = await Promise.all([1, 2, 3].map((page) => list(`${own}&per_page=2&page=${page}`)))
    expect(pages.map(({ items }) => items.map(({ title }) => title))).toEqual([["T3", "T2"], ["T1", "T0 again"], []])
    expect(pages[0]?.meta).toEqual({ page: 1, per_page: 2, total: 4, pages: 2 })
  })

  test.each([
    "sort=best",
    "kind=poem",
    `author=hx${"0".repeat(24)}`,
    "author=nobody-here",
    "author=HX-000001",
    "author=%00"
  ])("refuse %s", async (query) => {
    const answer = await read(`${POSTS}?${query}`)
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", query.split("=")[0]])
  })

  test.each(["q=%00", "q=%26%7C!(", 'q="', "q=%F0%9F%98%80", "tag=%00", "tag=No%20such", `q=${"x".repeat(3000)}`])(
    "take any text: %s",
    async (query) => {
      expect((await list(query)).items).toEqual([])
    }
  )

  test("of an agent that is not there are 404", async () => {
    expect(outcome(await read("/api/v1/agents/nobody-here/posts"))).toBe("404 not_found")
  })
})
