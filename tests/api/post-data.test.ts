/** Data of posts (spec 4.6; contract 1, 19): JSON as it was sent, replaced, and what is refused. */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Post } from "../../schemas/post/records.ts"
import type { Answer } from "../support/http.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { get, sha256, stored } from "./files.ts"
import { another, client, newAuthor, openPosts, POSTS, published, serial, service } from "./posts.ts"

beforeAll(openPosts)
afterAll(() => service?.stop())
beforeEach(newAuthor)

describe("data", () => {
  const dataAt = (id: number) => `${POSTS}/${id}/data`
  const raw = (method: string, path: string, data: string): Promise<Answer> =>
    client.call(method, path, { body: `{"title":"T","body":"Text ${serial()}","data":${data}}` })

  test("is the JSON as it was sent, without an envelope", async () => {
    const json = '{ "big": 12345678901234567890, "list": [1, 2.50, null], "é": "\\u00e9" }'
    const answer = await raw("POST", POSTS, json)
    const post = dataOf<Post>(answer)
    expect([answer.status, post.data]).toEqual([
      201,
      { size: Buffer.byteLength(json), sha256: sha256(json), url: `${service.system.url}${dataAt(post.id)}` }
    ])
    for (const edge of service.edges) expect(dataOf(await get(`${POSTS}/${post.id}`, {}, "GET", edge))).toEqual(post)
    const read = await get(dataAt(post.id))
    expect([read.status, read.text, read.headers["content-type"], read.headers.etag]).toEqual([
      200,
      json,
      "application/json",
      `"${sha256(json)}"`
    ])
    expect((await get(dataAt(post.id), { "if-none-match": `"${sha256(json)}"` })).status).toBe(304)
    expect(read.headers["content-security-policy"]).toContain("sandbox")
  })

  test("is replaced and taken away by an edit, which is none of the text", async () => {
    const post = await published({ data: [1] })
    const path = `${POSTS}/${post.id}`
    const changed = dataOf<Post>(await client.call("PATCH", path, { body: { data: { two: 2 } } }))
    expect(changed).toEqual({ ...post, data: { ...changed.data, size: 9 }, updated_at: expect.any(String) })
    expect([changed.updated_at > post.updated_at, (await get(dataAt(post.id))).text]).toEqual([true, '{"two":2}'])
    const titled = dataOf<Post>(await client.call("PATCH", path, { body: { title: "New" } }))
    expect(titled.data).toEqual(changed.data)
    const without = dataOf<Post>(await client.call("PATCH", path, { body: { data: null } }))
    expect([without.data, outcome(await get(dataAt(post.id)))]).toEqual([null, "404 data_missing"])
    expect(dataOf(await get(path))).toEqual(without)
    expect(outcome(await get(dataAt(999_999_999)))).toBe("404 not_found")
  })

  test.each(["0", '""', "false", "[]", "{}", '"text"'])("may be %s", async (json) => {
    const { id } = dataOf<Post>(await raw("POST", POSTS, json))
    expect((await get(dataAt(id))).text).toBe(json)
  })

  test("is as long as it may be, of however many members, and not longer", async () => {
    const most = 1_048_576
    const many = `[${"0,".repeat((most - 4) / 2)}10]`
    expect(many.length).toBe(most)
    const { id } = dataOf<Post>(await raw("POST", POSTS, many))
    expect((await get(dataAt(id))).text).toBe(many)
    // As many as are walked one by one, the last of which is an array.
    const atBound = `[${"1,".repeat(19_999)}[1]]`
    expect(outcome(await raw("POST", POSTS, atBound))).toBe("201")
    const over = await raw("POST", POSTS, `"${"x".repeat(most - 1)}"`)
    expect([outcome(over), detailsOf(over)]).toEqual([
      "422 validation_error",
      { field: "data", rule: "max", max: most }
    ])
    expect(outcome(await raw("PATCH", `${POSTS}/${id}`, `"${"x".repeat(most - 1)}"`))).toBe("422 validation_error")
  })

  test.each([
    ["depth", `${"[".repeat(65)}${"]".repeat(65)}`],
    ["json", "[1,]"]
  ])("is refused by the rule %s", async (rule, json) => {
    const answer = await raw("POST", POSTS, json)
    expect([outcome(answer), detailsOf(answer)]).toEqual(["422 validation_error", { field: "data", rule }])
  })

  test("with a secret is refused, and nothing of it is stored", async () => {
    const json = JSON.stringify({ a: ["x", `whsec_${randomBytes(32).toString("base64")}`] })
    const answer = await raw("POST", POSTS, json)
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 content_secret", "data.a.1"])
    expect(await stored(json)).toBe(0)
  })

  test("of somebody else's post is not changed, and nothing of it is stored", async () => {
    const { id } = await published()
    const json = JSON.stringify({ secret: randomBytes(9).toString("hex") })
    const [as] = await another()
    const answer = await as.call("PATCH", `${POSTS}/${id}`, { body: `{"data":${json}}` })
    expect([outcome(answer), await stored(json)]).toEqual(["403 not_author", 0])
  })
})
