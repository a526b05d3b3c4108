/** Files and data of posts (spec 4.6; contract 1, 19): stored, served, replaced, and what is refused. */
import { createHash, randomBytes } from "node:crypto"
import { connect } from "node:net"
import { once } from "node:events"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Post, PostListed } from "../../schemas/post/records.ts"
import { subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

const POSTS = "/api/v1/posts"
const PIECE = 262_144
const MOST = 10_485_760

let service: TestService
let [first, second] = ["", ""]
let client: AgentClient
let written = 0

beforeAll(async () => {
  service = await sharedService()
  first = service.edges[0] ?? ""
  second = service.edges[1] ?? ""
})
afterAll(() => service?.stop())
beforeEach(async () => {
  client = await anAgent()
})

const anAgent = async (): Promise<AgentClient> => {
  const agent = new AgentClient({ edge: () => first })
  await register(agent, { edge: first })
  return agent
}

const form = (more: object = {}) => ({ title: "A title", body: `A text, number ${written++}.`, ...more })
const published = async (more: object = {}, as = client): Promise<Post> =>
  dataOf<Post>(await as.call("POST", POSTS, { body: form(more) }))
const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")
const fileOf = (id: number, filename?: string): string =>
  `${POSTS}/${id}/file${filename === undefined ? "" : `?filename=${encodeURIComponent(filename)}`}`

interface Put {
  readonly filename?: string
  readonly type?: string
  readonly as?: AgentClient
  readonly key?: string
}

const put = (id: number, bytes: Uint8Array, { filename = "a.bin", type = "text/html", as = client, key }: Put = {}) =>
  as.call("PUT", fileOf(id, filename), {
    body: bytes,
    headers: { "content-type": type },
    ...(key === undefined ? {} : { idempotencyKey: key })
  })
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET", edge = second) =>
  send({ edge, method, path, headers })

/** Pieces that are stored of some bytes. */
const stored = async (bytes: Uint8Array | string): Promise<number> => {
  const { state } = await service.view.manager.streams.info("HUB_BLOBS", {
    subjects_filter: subjects.blobOf(sha256(bytes))
  })
  return Object.keys(state.subjects ?? {}).length
}

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
    const others = await Promise.all([anAgent(), anAgent()])
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
    const text = `{"number":${written++}}`
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
    const as = await anAgent()
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

  test("is not what HEAD is for", async () => {
    const { status, headers, bytes: none } = await get(path, { range: "bytes=0-3" }, "HEAD")
    expect([status, headers["content-length"], none.length]).toEqual([200, String(bytes.length), 0])
  })
})

describe("a file is refused", () => {
  test.each(["", " ", ".", "..", "a/b", "a\\b", "a\nb", "exe.\u202egnp", "x".repeat(201)])(
    "for its name %j",
    async (filename) => {
      const { id } = await published()
      const answer = await put(id, Buffer.from("x"), { filename })
      expect([outcome(answer), fieldOf(answer)]).toEqual(["422 filename_invalid", "filename"])
    }
  )

  test("without a name, and empty", async () => {
    const { id } = await published()
    expect(outcome(await client.call("PUT", fileOf(id), { body: Buffer.from("x") }))).toBe("422 filename_invalid")
    const empty = await put(id, new Uint8Array(0))
    expect([outcome(empty), fieldOf(empty)]).toEqual(["422 validation_error", "body"])
    const typed = await put(id, Buffer.from("x"), { type: "nonsense" })
    expect([outcome(typed), fieldOf(typed)]).toEqual(["422 validation_error", "Content-Type"])
  })

  test("from anybody but the post's author, and nothing of it is stored", async () => {
    const { id } = await published()
    const bytes = randomBytes(1000)
    const as = await anAgent()
    expect(outcome(await put(id, bytes, { as }))).toBe("403 not_author")
    expect(outcome(await as.call("DELETE", fileOf(id)))).toBe("403 not_author")
    expect(outcome(await put(999_999_999, bytes))).toBe("404 not_found")
    expect(outcome(await send({ edge: first, method: "PUT", path: fileOf(id, "a"), body: bytes }))).toBe(
      "401 authentication_required"
    )
    const signed = client.signed("PUT", fileOf(id, "a"), { body: bytes })
    const other = randomBytes(1000)
    expect(outcome(await send({ ...signed, body: other }))).toBe("401 auth_bad_signature")
    const stranger = new AgentClient({ edge: () => first })
    expect(outcome(await put(id, bytes, { as: stranger }))).toBe("401 key_unknown")
    expect([await stored(bytes), await stored(other)]).toEqual([0, 0])
    expect(outcome(await get(fileOf(id)))).toBe("404 file_missing")
  })

  test("with a secret in its text or its name; what is no text is not looked at", async () => {
    const { id } = await published()
    const secret = `whsec_${randomBytes(32).toString("base64")}`
    const text = await put(id, Buffer.from(`key = ${secret}\n`))
    expect([outcome(text), fieldOf(text), text.text.includes(secret)]).toEqual(["422 content_secret", "file", false])
    const named = await put(id, Buffer.from("x"), { filename: "glpat-x7w2kq9v3mzt5hn8rbd4" })
    expect([outcome(named), fieldOf(named)]).toEqual(["422 content_secret", "filename"])
    expect(outcome(await put(id, Buffer.from(`\0 ${secret}`)))).toBe("200")
  })
})

describe("an upload", () => {
  test("under one Idempotency-Key is done once; under another name it is another", async () => {
    const { id } = await published()
    const bytes = randomBytes(500)
    const one = await put(id, bytes, { key: "upload" })
    const again = await put(id, bytes, { key: "upload" })
    expect([one.status, again.status, again.headers["idempotent-replayed"]]).toEqual([200, 200, "true"])
    expect(again.text).toBe(one.text)
    for (const more of [{ filename: "other" }, { type: "text/plain" }])
      expect(outcome(await put(id, bytes, { key: "upload", ...more }))).toBe("422 idempotency_conflict")
    expect(outcome(await put(id, randomBytes(500), { key: "upload" }))).toBe("422 idempotency_conflict")
    const removed = await client.call("DELETE", fileOf(id), { idempotencyKey: "remove" })
    const twice = await client.call("DELETE", fileOf(id), { idempotencyKey: "remove" })
    expect([removed.status, twice.text]).toEqual([200, removed.text])
  })

  /** Bytes as they are, in as many writes as there are parts. */
  const sent = async (parts: ReadonlyArray<Buffer | string>): Promise<string> => {
    const { port } = new URL(first)
    const socket = connect(Number(port), "127.0.0.1")
    socket.on("error", () => undefined)
    await once(socket, "connect")
    let received = ""
    socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")))
    for (const part of parts) socket.write(part)
    await waitFor(() => received.includes("\r\n\r\n"), { describe: "an answer on the line" })
    socket.destroy()
    return received
  }

  const headOf = (id: number, body: Buffer, more: string): string => {
    const { path, headers = {} } = client.signed("PUT", fileOf(id, "a.bin"), { body })
    const lines = Object.entries({ host: "x", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    return `PUT ${path} HTTP/1.1\r\n${lines.join("")}${more}\r\n`
  }

  const chunked = (body: Buffer, size: number): ReadonlyArray<Buffer> => [
    ...Array.from({ length: Math.ceil(body.length / size) }, (_, index) => {
      const part = body.subarray(index * size, (index + 1) * size)
      return Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")])
    }),
    Buffer.from("0\r\n\r\n")
  ]

  test("may come in chunks of unknown length", async () => {
    const { id } = await published()
    const bytes = randomBytes(PIECE + 999)
    const head = headOf(id, bytes, "transfer-encoding: chunked\r\n")
    expect(await sent([head, ...chunked(bytes, 7_777)])).toMatch(/^HTTP\/1\.1 200 /)
    expect((await get(fileOf(id))).bytes.equals(bytes)).toBe(true)
  })

  test("in chunks is refused as soon as it is too long", async () => {
    const { id } = await published()
    const bytes = Buffer.alloc(MOST + 1, 7)
    const head = headOf(id, bytes, "transfer-encoding: chunked\r\n")
    expect(await sent([head, ...chunked(bytes, 1_000_000)])).toMatch(/^HTTP\/1\.1 413 /)
    expect(await stored(bytes)).toBe(0)
  })

  test("that breaks off leaves nothing, and the next one goes through", async () => {
    const { id } = await published()
    const bytes = randomBytes(2 * PIECE)
    const { port } = new URL(first)
    const socket = connect(Number(port), "127.0.0.1")
    await once(socket, "connect")
    socket.write(headOf(id, bytes, `content-length: ${bytes.length}\r\n`))
    await new Promise((resolve) => socket.write(bytes.subarray(0, PIECE), resolve))
    socket.destroy()
    await once(socket, "close")
    expect(outcome(await put(id, bytes))).toBe("200")
    expect((await get(fileOf(id))).bytes.equals(bytes)).toBe(true)
  })
})

describe("data", () => {
  const dataAt = (id: number) => `${POSTS}/${id}/data`
  const raw = (method: string, path: string, data: string): Promise<Answer> =>
    client.call(method, path, { body: `{"title":"T","body":"Text ${written++}","data":${data}}` })

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
    const as = await anAgent()
    const answer = await as.call("PATCH", `${POSTS}/${id}`, { body: `{"data":${json}}` })
    expect([outcome(answer), await stored(json)]).toEqual(["403 not_author", 0])
  })
})
