/** What a request may be: its address, its headers, its end. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { waitFor } from "../harness/index.ts"
import { signatureHeaders } from "./signer.ts"
import { world, openBounded, Line, challenge, linesOf } from "./bounded.ts"

beforeAll(openBounded)
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

describe("requests", () => {
  it("with a long address are 414", async () => {
    const answer = await world.edge.call(`/api/v1/agents?q=${"a".repeat(9000)}`)
    expect([answer.status, answer.json.error.code]).toEqual([414, "uri_too_long"])
  })

  it("with large headers are 431", async () => {
    const line = await Line.open()
    line.write(`GET /api/v1/time HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(20_000)}\r\n\r\n`)
    const answer = await line.answer()
    expect([answer.status, answer.json.error?.code]).toEqual([431, "header_fields_too_large"])
    await line.ended()
  })

  it("with a flood of headers are 431", async () => {
    const line = await Line.open()
    line.write(
      `GET /api/v1/time HTTP/1.1\r\nHost: x\r\n${Array.from({ length: 200 }, (_, n) => `X-H${n}: 1\r\n`).join("")}\r\n`
    )
    expect((await line.answer()).json.error?.code).toBe("header_fields_too_large")
    line.socket.destroy()
  })

  it.each([
    "GARBAGE\r\n\r\n",
    "GET\r\n\r\n",
    "\u0000\u0001\u0002\r\n\r\n",
    "GET /api/v1/time HTTP/1.1\r\nBad Header\r\n\r\n"
  ])("that are no HTTP get an answer in the envelope: %j", async (text) => {
    const line = await Line.open()
    line.write(text)
    const answer = await line.answer()
    expect([answer.status, answer.json.error?.code]).toEqual([400, "bad_request"])
    expect(answer.head.toLowerCase()).toContain("x-request-id")
    await line.ended()
  })

  it.each([
    ["of another coding", "Transfer-Encoding: xchunked", "{}"],
    ["with a chunk whose size is none", "Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n"],
    ["with a chunk of more than its size", "Transfer-Encoding: chunked", "1\r\n{}\r\n0\r\n\r\n"],
    ["with a flood of trailers", "Transfer-Encoding: chunked", `2\r\n{}\r\n0\r\n${"A: b\r\n".repeat(4_000)}\r\n`]
  ])("whose body breaks off are answered: %s", async (_name, coding, body) => {
    const line = await Line.open()
    line.write(challenge(coding).trimEnd() + "\r\n\r\n")
    line.write(body)
    const answer = await line.answer()
    expect([400, 431]).toContain(answer.status)
    expect(answer.head.toLowerCase()).toContain("connection: close")
    await line.ended()
    expect(line.received.split("HTTP/1.1 ")).toHaveLength(2)
  })

  it("whose body breaks off, with another's answer still to come before it, are answered behind it", async () => {
    const held = Promise.withResolvers<void>()
    world.node.on("agent.me", async (ask) => {
      await held.promise
      return { data: { id: ask.actor } }
    })
    const line = await Line.open()
    const path = "/api/v1/me"
    const headers = signatureHeaders(world.agent, { method: "GET", path, host: world.edge.host })
    line.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${linesOf(headers)}\r\n`)
    await waitFor(() => world.node.asked("agent.me").length === 1)
    line.write(`${challenge("Transfer-Encoding: chunked")}zz\r\n`)
    expect(line.received).toBe("")
    held.resolve()
    await line.ended()
    expect([...line.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "400"])
  })

  it("that were answered before their body broke off are not answered twice", async () => {
    const line = await Line.open()
    line.write("GET /api/v1/time HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    expect((await line.answer()).status).toBe(200)
    line.write("zz\r\n")
    await line.ended()
    expect(line.received.split("HTTP/1.1 ")).toHaveLength(2)
  })

  it("whose headers never end are cut off", async () => {
    const line = await Line.open()
    line.write("GET /api/v1/time HTTP/1.1\r\nHost: x\r\nX-Slow: ")
    expect((await line.answer()).json.error?.code).toBe("request_timeout")
    await line.ended()
  })

  it("one after another on one line are answered in order", async () => {
    const line = await Line.open()
    const paths = ["/api/v1/time", "/api/v1/nowhere", "/api/v1/notification-types", "/api/v1/me"]
    line.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""))
    await waitFor(() => line.received.split("HTTP/1.1 ").length === 5)
    expect(
      line.received
        .split("HTTP/1.1 ")
        .slice(1)
        .map((part) => Number(part.slice(0, 3)))
    ).toEqual([200, 404, 200, 401])
    line.socket.destroy()
  })

  it.each([
    ["without a Host", "GET /api/v1/time HTTP/1.1\r\n\r\n", /Host/],
    ["with two of them", "GET /api/v1/time HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n", /Host/],
    [
      "whose body is coded twice",
      `${challenge("Transfer-Encoding: gzip, chunked").trimEnd()}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      /Transfer-Encoding/
    ]
  ])("%s are refused (RFC 9112, 3.2, 6.1), and nothing behind them is read", async (_name, request, message) => {
    const line = await Line.open()
    line.write(`${request}GET /api/v1/time HTTP/1.1\r\nHost: x\r\n\r\n`)
    const answer = await line.answer()
    expect([answer.status, answer.json.error?.code]).toEqual([400, "bad_request"])
    expect(line.received).toMatch(message)
    expect(answer.head.toLowerCase()).toContain("connection: close")
    await line.ended()
    expect(line.received.split("HTTP/1.1 ")).toHaveLength(2)
  })

  it("of HTTP/1.0 need no Host, and a coding counts in any case", async () => {
    const old = await Line.open()
    old.write("GET /api/v1/time HTTP/1.0\r\n\r\n")
    expect((await old.answer()).status).toBe(200)
    old.socket.destroy()
    const line = await Line.open()
    line.write(`${challenge("Transfer-Encoding: Chunked").trimEnd()}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)
    expect((await line.answer()).status).toBe(422)
    line.socket.destroy()
  })

  it("whose actor is silent end in 503 at their deadline", async () => {
    world.node.on("agent.me", () => "silence")
    const answer = await world.edge.call("/api/v1/me", { signed: world.agent })
    expect([answer.status, answer.json.error.code]).toEqual([503, "unavailable"])
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    // Tried again within the deadline, under one id: the actor can tell that it is one request.
    const asks = world.node.asked("agent.me")
    expect(asks.length).toBeGreaterThan(1)
    expect(new Set(asks.map((ask) => ask.id)).size).toBe(1)
    world.node.on("agent.me", (ask) => ({ data: { id: ask.actor } }))
  })

  it("whose client has gone are given up and leave nothing behind", async () => {
    world.node.on("agent.me", () => "silence")
    const line = await Line.open()
    const headers = signatureHeaders(world.agent, { method: "GET", path: "/api/v1/me", host: world.edge.host })
    line.write(
      `GET /api/v1/me HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")}\r\n`
    )
    await waitFor(() => world.node.asked("agent.me").length > 0)
    line.socket.destroy()
    await waitFor(() => world.edge.logged.some((entry) => entry["status"] === 499 && entry["path"] === "/api/v1/me"), {
      describe: "the request to be given up"
    })
    world.node.on("agent.me", (ask) => ({ data: { id: ask.actor } }))
  })

  it("that meet a fault of the service get a reference and no more", async () => {
    world.node.onQuery("agents", () => "nonsense" as never)
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const answer = await world.edge.call("/api/v1/agents")
    expect([answer.status, answer.json.error.code]).toEqual([500, "internal_error"])
    expect(answer.json.error.details).toEqual({ reference: answer.headers.get("x-request-id") })
    expect(answer.text).not.toMatch(/\bat \S+ \(|TypeError|\.ts/)
    const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>)
    written.mockRestore()
    const logged = lines.find(({ level, id }) => level === "error" && id === answer.headers.get("x-request-id"))
    expect([logged?.["at"], logged?.["path"]]).toEqual(["request", "/api/v1/agents"])
    expect(logged?.["stack"]).toContain(".ts")
  })

  it("are logged without anything secret", async () => {
    const nonce = "very-secret-nonce-1"
    await world.edge.call("/api/v1/me?token=very-secret-query", { signed: world.agent, signing: { nonce } })
    const line = await waitFor(() =>
      world.edge.logged.findLast((entry) => entry["key"] === world.agent.hubId && entry["status"] === 200)
    )
    expect(Object.keys(line).toSorted()).toEqual([
      "bytes",
      "client",
      "id",
      "key",
      "method",
      "ms",
      "path",
      "status",
      "time"
    ])
    expect(JSON.stringify(world.edge.logged)).not.toMatch(/very-secret|127\.0\.0\.1/)
  })
})
