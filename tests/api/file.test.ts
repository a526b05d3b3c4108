/** Files of posts (spec 4.6; contract 1, 19): stored once, served whole or in part, replaced, taken away. */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Post, PostListed } from "../../schemas/post/records.ts"
import type { Answer } from "../support/http.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { fileOf, get, MOST, PIECE, put, sha256, stored } from "./files.ts"
import { another, client, newAuthor, openPosts, POSTS, published, serial, service } from "./posts.ts"

beforeAll(openPosts)
afterAll(() => service?.stop())
beforeEach(newAuthor)

describe("a file", () => {
  test("is what was sent, under the name and type that its author gave, for everybody at each edge", async () => {
    const post = await published()
    expect([post.file, post.data]).toEqual([null, null])
    expect(outcome(await get(fileOf(post.id)))).toBe("404 file_missing")
    const bytes = randomBytes(2 * PIECE + 17)
    const answer = await put(post.id, bytes, { filename: "naïve 😀.html" })
    const filed = dataOf<Post>(answer)
    expect(answer.status).toBe(200)
    expect(filed).toEqual({
      ...post,
      file: {
        filename: "naïve 😀.html",
        content_type: "text/html",
        size: bytes.length,
        sha256: sha256(bytes),
        url: `${service.system.url}${fileOf(post.id)}`
      },
      updated_at: expect.any(String)
    })
    expect([filed.updated_at > post.updated_at, filed.edited_at]).toEqual([true, null])
    for (const edge of service.edges) {
      expect(dataOf(await get(`${POSTS}/${post.id}`, {}, "GET", edge))).toEqual(filed)
      const read = await get(fileOf(post.id), {}, "GET", edge)
      expect(read.status).toBe(200)
      expect(read.bytes.equals(bytes)).toBe(true)
    }
    const listed = dataOf<ReadonlyArray<PostListed>>(await get(`${POSTS}?author=${client.hubId}`))
    expect(listed[0]?.file).toEqual(filed.file)
    expect(await stored(bytes)).toBe(3)
  })

  test("goes out so that no browser runs it", async () => {
    const { id } = await published()
    const bytes = Buffer.from("<script>alert(1)</script>")
    await put(id, bytes, { filename: 'a";b.html', type: "text/html; charset=utf-8" })
    const { headers, text } = await get(fileOf(id), { accept: "text/html" })
    expect(text).toBe("<script>alert(1)</script>")
    expect(headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": String(bytes.length),
      "content-disposition": `attachment; filename="a_;b.html"; filename*=UTF-8''a%22%3Bb.html`,
      "x-content-type-options": "nosniff",
      "x-hub-declared-type": "text/html; charset=utf-8",
      "x-hub-sha256": sha256(bytes),
      etag: `"${sha256(bytes)}"`,
      "accept-ranges": "bytes",
      "cache-control": "private, no-cache"
    })
    expect(headers["content-security-policy"]).toMatch(/default-src 'none'.*sandbox/)
  })

  test("is replaced by the next one, taken away, and gone with its post", async () => {
    const { id } = await published()
    const one = dataOf<Post>(await put(id, Buffer.from("one")))
    const two = dataOf<Post>(await put(id, Buffer.from("two"), { filename: "b.bin" }))
    expect([two.file?.filename, two.updated_at > one.updated_at]).toEqual(["b.bin", true])
    expect((await get(fileOf(id))).text).toBe("two")
    // What is so already is no change.
    expect(dataOf<Post>(await put(id, Buffer.from("two"), { filename: "b.bin" }))).toEqual(two)
    const without = dataOf<Post>(await client.call("DELETE", fileOf(id)))
    expect(without).toEqual({ ...two, file: null, updated_at: expect.any(String) })
    expect([outcome(await get(fileOf(id))), outcome(await client.call("DELETE", fileOf(id)))]).toEqual([
      "404 file_missing",
      "404 file_missing"
    ])
    await put(id, Buffer.from("three"))
    expect(outcome(await client.call("DELETE", `${POSTS}/${id}`))).toBe("200")
    expect([outcome(await get(fileOf(id))), outcome(await put(id, Buffer.from("four")))]).toEqual([
      "404 not_found",
      "404 not_found"
    ])
  })

  test("of the same bytes is stored once, whoever sends it, also at once", async () => {
    const bytes = randomBytes(PIECE + 1)
    const others = (await Promise.all([another(), another()])).map(([other]) => other)
    const posts = [await published(), ...(await Promise.all(others.map((as) => published({}, as))))]
    const answers = await Promise.all(
      posts.map(({ id }, index) => put(id, bytes, { as: [client, ...others][index] ?? client }))
    )
    expect(answers.map(outcome)).toEqual(["200", "200", "200"])
    expect(await stored(bytes)).toBe(2)
    for (const { id } of posts) expect((await get(fileOf(id))).bytes.equals(bytes)).toBe(true)
  })

  test("of the same bytes is taken from everybody, however many send it at once", async () => {
    const posts = await Promise.all(Array.from({ length: 48 }, () => published()))
    const answers = await Promise.all(posts.map(({ id }) => put(id, Buffer.from("the very same"))))
    expect(answers.map(outcome)).toEqual(posts.map(() => "200"))
  })

  test("and data of the same bytes may stand on one post", async () => {
    const text = `{"number":${serial()}}`
    const { id } = await published({ data: JSON.parse(text) as object })
    expect(outcome(await put(id, Buffer.from(text)))).toBe("200")
    expect(outcome(await client.call("DELETE", fileOf(id)))).toBe("200")
    expect((await get(`${POSTS}/${id}/data`)).text).toBe(text)
  })

  test("is as long as it may be, and not longer", async () => {
    const { id } = await published()
    const longest = randomBytes(MOST)
    expect(outcome(await put(id, longest))).toBe("200")
    expect((await get(fileOf(id))).bytes.equals(longest)).toBe(true)
    const over = await put(id, Buffer.concat([longest, Buffer.from("x")]))
    expect([outcome(over), detailsOf(over)]).toEqual(["413 request_too_large", { max_bytes: MOST }])
    expect((await get(fileOf(id))).bytes.length).toBe(MOST)
  })
})

describe("a part of a file", () => {
  const bytes = randomBytes(2 * PIECE + 100)
  let path = ""
  beforeAll(async () => {
    const [as] = await another()
    const { id } = await published({}, as)
    await put(id, bytes, { as })
    path = fileOf(id)
  })

  test.each([
    ["bytes=0-0", 0, 0],
    [`bytes=${PIECE - 5}-${PIECE + 4}`, PIECE - 5, PIECE + 4],
    [`bytes=${PIECE}-`, PIECE, bytes.length - 1],
    ["bytes=-7", bytes.length - 7, bytes.length - 1],
    [`bytes=10-${bytes.length * 2}`, 10, bytes.length - 1]
  ])("is %s", async (range, from, to) => {
    const answer = await get(path, { range })
    expect([answer.status, answer.headers["content-range"], answer.headers["content-length"]]).toEqual([
      206,
      `bytes ${from}-${to}/${bytes.length}`,
      String(to - from + 1)
    ])
    expect(answer.bytes.equals(bytes.subarray(from, to + 1))).toBe(true)
  })

  test.each(["bytes=0-1,5-6", "lines=0-1", "bytes=5-1", "nonsense"])("is the whole where it is %s", async (range) => {
    const answer = await get(path, { range })
    expect([answer.status, answer.bytes.equals(bytes)]).toEqual([200, true])
  })

  test("that begins behind its end is refused, with the size", async () => {
    const huge = await get(path, { range: "bytes=99999999999999999999-" })
    expect([outcome(huge), huge.headers["content-range"]]).toEqual([
      "416 range_not_satisfiable",
      `bytes */${bytes.length}`
    ])
    const answer = await get(path, { range: `bytes=${bytes.length}-` })
    expect([outcome(answer), answer.headers["content-range"]]).toEqual([
      "416 range_not_satisfiable",
      `bytes */${bytes.length}`
    ])
  })

  test("is given on while the bytes are those, and nothing where they are known", async () => {
    const etag = `"${sha256(bytes)}"`
    const range = "bytes=0-3"
    expect((await get(path, { range, "if-range": etag })).status).toBe(206)
    expect((await get(path, { range, "if-range": '"other"' })).status).toBe(200)
    for (const known of [etag, `W/${etag}`, `"a", ${etag}`, "*"]) {
      const answer = await get(path, { "if-none-match": known })
      expect([answer.status, answer.bytes.length, answer.headers.etag]).toEqual([304, 0, etag])
    }
    expect((await get(path, { "if-none-match": '"other"' })).status).toBe(200)
  })

  test("is refused where the bytes are others than those that were asked for, ahead of every other condition", async () => {
    const etag = `"${sha256(bytes)}"`
    const range = "bytes=1-3"
    for (const stale of ['"other"', `W/${etag}`, '"a", "b"'])
      for (const more of [{}, { range }, { range: `bytes=${bytes.length}-` }, { "if-none-match": etag }])
        for (const method of ["GET", "HEAD"]) {
          const answer = await get(path, { "if-match": stale, ...more }, method)
          expect([stale, more, answer.status, answer.headers["content-range"]]).toEqual([stale, more, 412, undefined])
        }
    for (const other of ['"other"', '"x,*,y"', '"x,*,y', `"x, ${etag.slice(1)}`])
      expect([other, outcome(await get(path, { "if-match": other }))]).toEqual([other, "412 precondition_failed"])
    expect((await get(path, { "if-none-match": '"x,*,y"' })).status).toBe(200)
    for (const same of [etag, `"a", ${etag}`, "*"]) {
      const answer = await get(path, { "if-match": same, range })
      expect([answer.status, answer.bytes.length]).toEqual([206, 3])
    }
  })

  test.each(["/api/v1/openapi.json", "/api/v1/feed", "/api/v1/posts", "/feed", "/docs", "/sitemap.xml"])(
    "or of anything else that has an entity tag, such as %s",
    async (other) => {
      const { headers } = await get(other)
      const tag = headers.etag ?? "none"
      const statuses = []
      for (const condition of [tag, '"other"', `W/${tag}`])
        statuses.push((await get(other, { "if-match": condition })).status)
      expect([tag === "none", statuses]).toEqual([false, [200, 412, 412]])
    }
  )

  test("is not what HEAD is for", async () => {
    const { status, headers, bytes: none } = await get(path, { range: "bytes=0-3" }, "HEAD")
    expect([status, headers["content-length"], none.length]).toEqual([200, String(bytes.length), 0])
  })
})

describe("a file that is to be a certain one", () => {
  const outcomes = async (answers: ReadonlyArray<Promise<Answer>>): Promise<ReadonlyArray<string>> =>
    (await Promise.all(answers)).map(outcome)

  test("is replaced and taken away only if it is that one", async () => {
    const { id } = await published()
    const one = Buffer.from("one")
    const tag = `"${sha256(one)}"`
    const stale = ['"other"', `W/${tag}`, `"${sha256("two")}"`]
    const putIf = (bytes: Buffer, condition: Readonly<Record<string, string>>) => put(id, bytes, { headers: condition })
    const removeIf = (condition: string) => client.call("DELETE", fileOf(id), { headers: { "if-match": condition } })
    // There is none yet.
    expect(await outcomes(["*", tag].map((condition) => putIf(one, { "if-match": condition })))).toEqual([
      "412 precondition_failed",
      "412 precondition_failed"
    ])
    expect(outcome(await removeIf(tag))).toBe("404 file_missing")
    expect(outcome(await putIf(one, { "if-none-match": "*" }))).toBe("200")

    const refused = [
      ...stale.map((condition) => putIf(Buffer.from("three"), { "if-match": condition })),
      ...stale.map(removeIf),
      ...["*", tag, `W/${tag}`, `"x", ${tag}`].map((none) => putIf(Buffer.from("three"), { "if-none-match": none }))
    ]
    expect(await outcomes(refused)).toEqual(refused.map(() => "412 precondition_failed"))
    expect((await get(fileOf(id))).text).toBe("one")

    expect(outcome(await putIf(Buffer.from("two"), { "if-match": `"x", ${tag}`, "if-none-match": '"x"' }))).toBe("200")
    expect(outcome(await removeIf("*"))).toBe("200")
  })

  test("goes to one of two who replace it at once", async () => {
    const { id } = await published()
    await put(id, Buffer.from("one"))
    const headers = { "if-match": `"${sha256("one")}"` }
    const both = await outcomes(["two", "three"].map((text) => put(id, Buffer.from(text), { headers })))
    expect(both.toSorted()).toEqual(["200", "412 precondition_failed"])
  })

  test("is another request where the tags are others: an Idempotency-Key keeps an answer for the first alone", async () => {
    const { id } = await published()
    await put(id, Buffer.from("one"))
    const tagOf = (text: string) => ({ "if-match": `"${sha256(text)}"` })
    const replace = (headers: Readonly<Record<string, string>>, key: string) =>
      put(id, Buffer.from("two"), { headers, key })
    const remove = (headers: Readonly<Record<string, string>>, idempotencyKey: string) =>
      client.call("DELETE", fileOf(id), { headers, idempotencyKey })
    for (const [write, now] of [
      [replace, "one"],
      [remove, "two"]
    ] as const) {
      expect(outcome(await write(tagOf("old"), "first"))).toBe("412 precondition_failed")
      for (const others of [tagOf(now), {}, { ...tagOf("old"), "if-none-match": '"x"' }])
        expect(outcome(await write(others, "first"))).toBe("422 idempotency_conflict")
      const again = await write(tagOf("old"), "first")
      expect([outcome(again), again.headers["idempotent-replayed"]]).toEqual(["412 precondition_failed", "true"])
      for (let time = 0; time < 2; time++) expect(outcome(await write(tagOf(now), "second"))).toBe("200")
    }
  })

  test("is nobody else's to ask about", async () => {
    const { id } = await published()
    const [other] = await another()
    const headers = { "if-match": '"other"' }
    expect(outcome(await put(id, Buffer.from("x"), { as: other, headers }))).toBe("403 not_author")
  })
})

test("a write that compares no tags is not made where it names one", async () => {
  const post = await published()
  const path = `${POSTS}/${post.id}`
  const edit = (condition: string) =>
    client.call("PATCH", path, { body: { title: "Another title" }, headers: { "if-match": condition } })
  const { etag = "none" } = (await get(path)).headers
  for (const condition of ['"other"', etag]) expect(outcome(await edit(condition))).toBe("412 precondition_failed")
  expect(outcome(await client.call("DELETE", path, { headers: { "if-match": '"other"' } }))).toBe(
    "412 precondition_failed"
  )
  for (const headers of [
    { "if-none-match": "*" },
    { "if-none-match": etag },
    { "if-unmodified-since": new Date().toUTCString() },
    { "if-match": "*", "if-none-match": "*" }
  ])
    expect(outcome(await client.call("PATCH", path, { body: { title: "Another title" }, headers }))).toBe(
      "412 precondition_failed"
    )
  expect(dataOf<Post>(await get(path))).toEqual(post)
  expect(outcome(await edit("*"))).toBe("200")
})
