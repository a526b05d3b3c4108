/** Uploads of files (spec 4.6; contract 19): what is refused, what is sent again, in chunks, or breaks off. */
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { fieldOf, outcome } from "../support/outcome.ts"
import { fileOf, get, MOST, PIECE, put, stored } from "./files.ts"
import { another, client, first, newAuthor, openPosts, published, service } from "./posts.ts"

beforeAll(openPosts)
afterAll(() => service?.stop())
beforeEach(newAuthor)

describe("a file is refused", () => {
  test.each(["", " ", ".", "..", "a/b", "a\\b", "a\nb", "exe.\u202egnp", "a\u206ab", "a\u115fb", "x".repeat(201)])(
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
    const [as] = await another()
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
