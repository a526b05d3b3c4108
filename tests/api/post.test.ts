/** Posts: published and read, once for each text (spec 4.6; contract "Common", 1, 19). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Post } from "../../schemas/post/records.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import {
  another,
  author,
  client,
  form,
  list,
  newAuthor,
  openPosts,
  POSTS,
  publish,
  published,
  read,
  service
} from "./posts.ts"

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

beforeAll(openPosts)
afterAll(() => service?.stop())
beforeEach(newAuthor)

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
      url: `${url}/posts/${post.id}-trimmed`,
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
