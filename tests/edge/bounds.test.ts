import { connect, type Socket } from "node:net"
import { once } from "node:events"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { waitFor } from "../harness/index.ts"
import { openWorld, type World } from "./edge.ts"
import { signatureHeaders } from "./signer.ts"

/** Contract 21: of most endpoints, of those that take a text of 100,000 characters, and of whatever is sent. */
const PLAIN = 65_536
const TEXT = 1_572_864
const WHOLE = 10_551_296

let world: World
beforeAll(async () => {
  world = await openWorld({
    limits: {
      "service.body_timeout_ms": 400,
      "service.headers_timeout_ms": 600,
      "service.max_buffered_body_bytes": 18_000_000,
      "service.request_deadline_ms": 1_500
    }
  })
})
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

/** A plain line to the edge, to say what no HTTP client would. */
class Line {
  received = ""
  closed = false
  readonly socket: Socket

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on("data", (chunk: Buffer) => {
      this.received += chunk.toString("latin1")
    })
    socket.on("close", () => {
      this.closed = true
    })
    socket.on("error", () => undefined)
  }

  static async open(): Promise<Line> {
    const socket = connect(world.edge.port, "127.0.0.1")
    await once(socket, "connect")
    return new Line(socket)
  }

  write(text: string): this {
    this.socket.write(text)
    return this
  }

  /** The body of the first answer, once it is whole. */
  async answer(): Promise<{ status: number; head: string; json: { error?: { code: string; details?: unknown } } }> {
    const body = await waitFor(() => /\r\n\r\n(\{.*\})/s.exec(this.received)?.[1], {
      describe: "an answer on the line"
    })
    return {
      status: Number(this.received.slice(9, 12)),
      head: this.received.split("\r\n\r\n")[0] ?? "",
      json: JSON.parse(body) as { error?: { code: string; details?: unknown } }
    }
  }

  async ended(): Promise<void> {
    await waitFor(() => this.closed, { describe: "the edge to close the line" })
  }
}

const challenge = (more: string): string => `POST /api/v1/register/challenge HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`

const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")

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
      `${method} ${path} HTTP/1.1\r\nHost: x\r\n${linesOf(headers as Record<string, string>)}Expect: 100-continue\r\nContent-Length: 60000\r\n\r\n`
    )
    await waitFor(() => line.received.includes("\r\n\r\n"), { describe: "an answer on the line" })
    expect(line.received.slice(9, 12)).toBe(String(status))
    await line.ended()
  })

  it("of a signed GET are no part of what is signed", async () => {
    const path = "/api/v1/me"
    const line = await Line.open()
    line.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\n${linesOf(signatureHeaders(world.agent, { method: "GET", path, host: world.edge.host }))}Content-Length: 2\r\n\r\n{}`
    )
    expect((await line.answer()).status).toBe(200)
    await line.ended()
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

const linksOf = (count: number, path: string) =>
  Array.from({ length: count }, () => ({ label: "🤖".repeat(80), url: `https://x.example/${path}` }))

const patch = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  world.edge.call("/api/v1/me", { method: "PATCH", body, headers, signed: world.agent })

describe("JSON", () => {
  it("is read whatever its Content-Type says", async () => {
    for (const type of [
      "application/x-www-form-urlencoded",
      "text/plain",
      "application/json; charset=utf-8",
      "nonsense"
    ]) {
      expect((await patch('{"name":"x"}', { "content-type": type })).status).toBe(200)
    }
  })

  it.each([
    ["no JSON", '{"name":'],
    ["with a byte order mark", Buffer.from('\ufeff{"name":"x"}')],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ["two values", "{}{}"],
    ["too deep", `{"name":${"[".repeat(100)}${"]".repeat(100)}}`]
  ])("that cannot be read is 422 on body: %s", async (_name, body) => {
    const answer = await patch(body)
    expect([answer.status, answer.json.error.code, answer.json.error.details["field"]]).toEqual([
      422,
      "validation_error",
      "body"
    ])
  })

  it.each([
    ["in an array", `{"name":"x","a":[${"0,".repeat(20_001)}0]}`],
    ["in one object", `{"name":"x",${Array.from({ length: 1_001 }, (_, n) => `"k${n}":0`).join(",")}}`]
  ])("of too many members is 422 on body: %s", async (_name, body) => {
    const answer = await patch(body)
    expect([answer.status, answer.json.error.details]).toEqual([422, { field: "body", rule: "members" }])
  })

  it("of a million brackets neither crashes nor stalls", async () => {
    const answer = await patch("[".repeat(1_000_000))
    expect(answer.status).toBe(422)
  })

  it.each([
    ['{"name":5}', "name", "must be a string"],
    ['{"name":""}', "name", "1 to 80"],
    ['{"name":"a\\nb"}', "name", "one line"],
    ['{"links":{}}', "links", "must be an array"],
    ['{"links":[{"label":"a","url":"ftp://x"}]}', "links.0.url", "http or https"],
    ['{"links":[{"url":"https://x.example/"}]}', "links.0.label", "is required"],
    ['{"webhook_url":5}', "webhook_url", "a string or null"],
    ['{"webhook_url":"https://x.example:81/"}', "webhook_url", "port 443"],
    ['{"description":[]}', "description", "must be a string"],
    ['{"description":"a\\u0001"}', "description", "control characters"],
    ['{"description":"a\\u001b[31m"}', "description", "control characters"],
    ['{"transparency":"a\\u009b"}', "transparency", "control characters"],
    ['{"links":[{"label":"a","url":"https://x.example/\\u0001"}]}', "links.0.url", "http or https"],
    ['{"webhook_url":"https://x.example/\\tx"}', "webhook_url", "address"],
    [JSON.stringify({ links: linksOf(20, "é".repeat(2_028)) }), "links", "at most 49152 bytes"]
  ])("with a bad field names it by its path: %s", async (body, field, message) => {
    const answer = await patch(body)
    expect(answer.status).toBe(422)
    expect(answer.json.error.details["field"]).toBe(field)
    expect(answer.json.error.message).toContain(message)
  })

  it("may hold as many links as an agent may have, as long as each may be, and text of several lines", async () => {
    const body = { links: linksOf(20, "x".repeat(2_030)), description: "a\tb\r\nc\n", transparency: "# a\n\n\tb" }
    expect(body.links[0]?.url).toHaveLength(2_048)
    const answer = await patch(JSON.stringify(body))
    expect([answer.status, answer.json.data["description"]]).toEqual([200, body.description])
  })

  it.each(["[]", "null", "{}", '"x"', "5", "true", '{"unknown":1}', '{"__proto__":{"name":"x"}}', ""])(
    "that changes nothing is refused in one way: %s",
    async (body) => {
      const answer = await patch(body)
      expect(answer.status).toBe(422)
      expect(answer.json.error).toMatchObject({
        message: "Nothing to update",
        details: { fields: ["name", "description", "transparency", "links", "webhook_url"] }
      })
    }
  )

  it("with __proto__ keys loses them and nothing else", async () => {
    const answer = await patch(
      '{"name":"x","__proto__":{"polluted":true},"links":[{"label":"a","url":"https://x.example/","__proto__":{"polluted":true}}]}'
    )
    expect(answer.status).toBe(200)
    expect(answer.json.data).toMatchObject({ name: "x", links: [{ label: "a", url: "https://x.example/" }] })
    expect(answer.text).not.toContain("polluted")
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })

  it.each(['"__proto__"', '"\\u005f_proto__"', '"constructor"'])(
    "with %s as a name changes nothing but itself",
    async (name) => {
      const answer = await patch(
        `{"name":"x",${name}:{"polluted":1,"prototype":{"polluted":1}},"links":[{"label":"a","url":"https://x.example/",${name}:{"polluted":1}}]}`
      )
      expect([answer.status, answer.json.data["name"]]).toEqual([200, "x"])
      expect(JSON.stringify(world.node.asked("agent.update")[0]?.input)).toBe(
        '{"name":"x","links":[{"label":"a","url":"https://x.example/"}]}'
      )
      expect("polluted" in {}).toBe(false)
    }
  )
})

describe("what is not understood in a body", () => {
  const given = (body: object, path = "/api/v1/me", method = "PATCH") =>
    world.edge.call(path, { method, body: JSON.stringify(body), signed: world.agent })

  it("is named in meta.ignored, beside the answer that was given", async () => {
    const answer = await given({ name: "x", nmae: 1, links: [{ label: "a", url: "https://x.example/", title: "t" }] })
    expect(answer.json).toMatchObject({ ok: true, data: { name: "x" }, meta: { ignored: ["nmae", "links.0.title"] } })
    expect(Number(answer.headers.get("content-length"))).toBe(Buffer.byteLength(answer.text))
  })

  it("is not spoken of where there is nothing", async () => {
    expect((await given({ name: "x" })).json).not.toHaveProperty("meta")
  })

  it("is named 20 times at most, each cut at 64 characters", async () => {
    const answer = await given({
      name: "x",
      ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}-${"u".repeat(100)}`, n]))
    })
    const ignored = answer.json.meta?.["ignored"] as ReadonlyArray<string>
    expect(ignored).toHaveLength(20)
    for (const name of ignored) expect([name.length, name.endsWith("u…")]).toEqual([65, true])
  })

  it("is named on every body", async () => {
    world.node.on("notification.read", () => ({ data: { marked_read: 0 } }))
    expect((await given({ ids: [], all: true }, "/api/v1/me/notifications/read", "POST")).json.meta).toEqual({
      ignored: ["all"]
    })
    expect(
      (await given({ method: "GET", host: "x", path: "/", headers: {}, body: "" }, "/api/v1/id/verify", "POST")).json
        .meta
    ).toEqual({ ignored: ["body"] })
  })
})

describe("a report to /id/verify", () => {
  const report = { method: "GET", host: "shop.example", path: "/offers", headers: {} }
  it.each([
    ["method", { method: undefined }],
    ["host", { host: "https://shop.example" }],
    ["path", { path: "https://shop.example/offers" }],
    ["path", { path: "HTTP://shop.example/offers" }]
  ])("whose %s is left out or holds a whole address is 422: %j", async (field, change) => {
    const answer = await world.edge.call("/api/v1/id/verify", {
      method: "POST",
      body: JSON.stringify({ ...report, ...change })
    })
    expect([answer.status, answer.json.error.details["field"]]).toEqual([422, field])
  })

  it("whose host is none, or whose path holds an address in its query, gets a verdict", async () => {
    for (const change of [{ host: "shop.example/x" }, { host: "" }, { path: "/offers?from=https://other.example/" }]) {
      expect(
        (await world.edge.call("/api/v1/id/verify", { method: "POST", body: JSON.stringify({ ...report, ...change }) }))
          .status
      ).toBe(200)
    }
  })
})

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

  it("whose body breaks off, with another's answer still to come before it, get no answer in its place", async () => {
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
    await line.ended()
    expect(line.received).toBe("")
    held.resolve()
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

  it("without a Host are answered like any other", async () => {
    const line = await Line.open()
    line.write("GET /api/v1/time HTTP/1.1\r\n\r\n")
    expect((await line.answer()).status).toBe(200)
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
      `GET /api/v1/me HTTP/1.1\r\n${Object.entries(headers)
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
