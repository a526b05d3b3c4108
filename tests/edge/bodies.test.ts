/** How large a body may be, and how slowly it may come. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { signatureHeaders } from "./signer.ts"
import { PLAIN, TEXT, WHOLE, world, openBounded, Line, challenge, linesOf, patch } from "./bounded.ts"

beforeAll(openBounded)
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

describe("bodies", () => {
  it.each([
    ["POST", "/api/v1/register/challenge", PLAIN, false],
    ["POST", "/api/v1/id/verify", PLAIN, false],
    ["POST", "/api/v1/agents/x/verify", PLAIN, false],
    ["POST", "/api/v1/me/appeal", PLAIN, true],
    ["DELETE", "/api/v1/me", PLAIN, true],
    ["PATCH", "/api/v1/me", TEXT, true],
    ["POST", "/api/v1/register", TEXT, true]
  ])(
    "of %s %s above its own ceiling are refused by Content-Length, before a byte is read",
    async (method, path, ceiling, signed) => {
      const line = await Line.open()
      const headers = signed ? linesOf(signatureHeaders(world.agent, { method, path, host: world.edge.host })) : ""
      line.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${ceiling + 1}\r\n\r\n`)
      const answer = await line.answer()
      expect([answer.status, answer.json.error?.code, answer.json.error?.details]).toEqual([
        413,
        "request_too_large",
        { max_bytes: ceiling }
      ])
      expect(answer.head.toLowerCase()).toContain("x-hub-server-time")
      expect(answer.head.toLowerCase()).toContain("connection: close")
      await line.ended()
    }
  )

  it("above what any endpoint takes are refused wherever they go", async () => {
    const line = await Line.open()
    line.write(`GET /api/v1/nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: ${WHOLE + 1}\r\n\r\n`)
    expect((await line.answer()).json.error).toMatchObject({ code: "request_too_large", details: { max_bytes: WHOLE } })
    await line.ended()
  })

  it("and are not asked for when the client waits to be told", async () => {
    const line = await Line.open()
    line.write(challenge(`Expect: 100-continue\r\nContent-Length: ${PLAIN + 1}`))
    expect((await line.answer()).status).toBe(413)
    expect(line.received).not.toContain("100 Continue")
    await line.ended()
  })

  it("but are when they may come", async () => {
    const line = await Line.open()
    line.write(challenge("Expect: 100-continue\r\nContent-Length: 2"))
    await waitFor(() => line.received.includes("100 Continue"))
    line.write("{}")
    await waitFor(() => line.received.includes("public_key is required"))
    line.socket.destroy()
  })

  it("in chunks are refused as soon as they pass the ceiling", async () => {
    const line = await Line.open()
    line.write(challenge("Transfer-Encoding: chunked"))
    const chunk = "a".repeat(1 << 14)
    for (let sent = 0; sent <= PLAIN; sent += chunk.length) line.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    const answer = await line.answer()
    expect([answer.status, answer.json.error?.code, answer.json.error?.details]).toEqual([
      413,
      "request_too_large",
      { max_bytes: PLAIN }
    ])
    await line.ended()
  })

  it("in many small pieces are refused, since each piece takes more than its bytes", async () => {
    const line = await Line.open()
    line.write(`${challenge("Transfer-Encoding: chunked")}${"1\r\n \r\n".repeat(5000)}0\r\n\r\n`)
    const answer = await line.answer()
    expect([answer.status, answer.json.error?.code]).toEqual([413, "request_too_large"])
    expect(answer.json.error?.details).toMatchObject({ rule: "pieces" })
    await line.ended()
  })

  it("in some pieces are read, however small", async () => {
    const line = await Line.open()
    const body = [...'{"public_key":"a"}'].map((char) => `1\r\n${char}\r\n`).join("")
    line.write(`${challenge("Transfer-Encoding: chunked")}${body}0\r\n\r\n`)
    expect((await line.answer()).json.error).toMatchObject({ details: { field: "public_key" } })
    line.socket.destroy()
  })

  it("up to the ceiling are read", async () => {
    const body = `{"public_key":"${"a".repeat(PLAIN - 17)}"}`
    expect(Buffer.byteLength(body)).toBe(PLAIN)
    const answer = await world.edge.call("/api/v1/register/challenge", { method: "POST", body })
    expect([answer.status, answer.json.error.details["field"]]).toEqual([422, "public_key"])
  })

  it("may hold a text of 100,000 characters, however it is escaped", async () => {
    const answer = await patch(`{"transparency":"${"\\ud83e\\udd16".repeat(100_000)}"}`)
    expect([answer.status, answer.json.data["transparency"]]).toEqual([200, "🤖".repeat(100_000)])
  })

  it("of which more is to be asked than the bus carries are told how much that is", async () => {
    const body = { challenge_id: "0".repeat(32), handle: "abc", name: "x", answers: { q1: "\u0001".repeat(200_000) } }
    const answer = await world.edge.call("/api/v1/register", {
      method: "POST",
      body: JSON.stringify(body),
      signed: world.agent
    })
    expect([answer.status, answer.json.error]).toMatchObject([
      413,
      { code: "request_too_large", details: { max_bytes: 786_432 } }
    ])
  })

  it("that come too slowly end in 408", async () => {
    const line = await Line.open()
    line.write(`${challenge("Content-Length: 20")}{`)
    const answer = await line.answer()
    expect([answer.status, answer.json.error?.code]).toEqual([408, "request_timeout"])
    await line.ended()
  })

  it("of files may come more slowly", async () => {
    const path = "/api/v1/posts/1/file?filename=a"
    const upload = await Line.open()
    const head = linesOf(signatureHeaders(world.agent, { method: "PUT", path, host: world.edge.host, body: "ab" }))
    upload.write(`PUT ${path} HTTP/1.1\r\nHost: x\r\n${head}Content-Length: 2\r\n\r\na`)
    const later = await Line.open()
    later.write(`${challenge("Content-Length: 20")}{`)
    expect((await later.answer()).status).toBe(408)
    upload.write("b")
    await waitFor(() => world.node.asked("content.admit").length === 1, { describe: "the whole file at the handler" })
    upload.socket.destroy()
  })

  it.each([
    ["GET", "/api/v1/time", {}, 200],
    ["GET", "/api/v1/me", {}, 401],
    ["HEAD", "/api/v1/time", {}, 200],
    ["OPTIONS", "/api/v1/register", {}, 204],
    ["POST", "/api/v1/nowhere", {}, 404],
    ["POST", "/api/v1/time", {}, 405],
    ["PATCH", "/api/v1/me", {}, 401],
    ["POST", "/api/v1/register", {}, 401],
    ["PATCH", "/api/v1/me", { "X-Hub-Key": "AAAA" }, 401],
    ["POST", "/api/v1/id/verify", { "X-Hub-Nonce": "n" }, 401],
    ["POST", "/docs", {}, 405]
  ])("of %s %s %j are not waited for", async (method, path, headers, status) => {
    const line = await Line.open()
    line.write(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\n${linesOf(headers as Record<string, string>)}` +
        "Expect: 100-continue\r\nContent-Length: 60000\r\n\r\n"
    )
    await waitFor(() => line.received.includes("\r\n\r\n"), { describe: "an answer on the line" })
    expect(line.received.slice(9, 12)).toBe(String(status))
    await line.ended()
  })

  it.each([
    ["{}", 200],
    ["", 401]
  ])("of a signed GET are part of what is signed: %j", async (body, status) => {
    const path = "/api/v1/me"
    const line = await Line.open()
    line.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\n` +
        linesOf(signatureHeaders(world.agent, { method: "GET", path, host: world.edge.host, body })) +
        "Content-Length: 2\r\n\r\n{}"
    )
    expect((await line.answer()).status).toBe(status)
    line.socket.destroy()
  })

  it("of one client leave room for the others", async () => {
    // Of 18 MB one client has a ninth: two bodies of a megabyte and more do not fit, while what another sends does.
    const greedy = async () => {
      const line = await Line.open()
      const head = linesOf(
        signatureHeaders(world.agent, { method: "PATCH", path: "/api/v1/me", host: world.edge.host })
      )
      line.write(`PATCH /api/v1/me HTTP/1.1\r\nHost: x\r\n${head}Content-Length: 1500000\r\n\r\n`)
      line.socket.write("a".repeat(1_100_000))
      return line
    }
    const lines = [await greedy(), await greedy()]
    const refused = await waitFor(() => lines.find((line) => line.received.includes("overloaded")), {
      describe: "one of two bodies to be refused"
    })
    expect((await refused.answer()).head.toLowerCase()).toContain("retry-after: 1")
    for (const line of lines) line.socket.destroy()
    // What was held is given back.
    await waitFor(async () => (await patch("a".repeat(1_400_000))).status === 422)
  })
})
