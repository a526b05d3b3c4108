import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { movableClock, waitFor } from "../harness/index.ts"
import { PIPELINED_MAX } from "../../schemas/runtime/pipelined.ts"
import { framed, FRAMINGS } from "../support/framings.ts"
import { HALVES, HalfOpen } from "../support/half-open.ts"
import { GIVES_WAY_WITHIN_MS, leaveUnread } from "../support/unread.ts"
import { openWorld, TestEdge, type World } from "./edge.ts"

const MAX = 90
const CLIENT_MAX = 8
const CLIENTS = Array.from({ length: 30 }, (_, n) => `127.0.1.${n + 1}`)

let world: World
beforeAll(async () => {
  world = await openWorld({
    limits: { "service.max_connections_per_edge": MAX, "service.max_client_connections": CLIENT_MAX }
  })
})
afterAll(() => world.stop())

const REQUEST = "GET /api/v1/time HTTP/1.1\r\nHost: x\r\n\r\n"
const CHUNKED = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"

interface Line {
  readonly socket: Socket
  received: string
}

const lines: Array<Line> = []
afterEach(() => {
  for (const { socket } of lines.splice(0)) socket.destroy()
})

const open = async (port: number, from: string): Promise<Line> => {
  const line = {
    socket: connect({ port, host: from === "::1" ? "::1" : "127.0.0.1", localAddress: from }),
    received: ""
  }
  lines.push(line)
  line.socket.on("error", () => undefined)
  line.socket.on("data", (chunk: Buffer) => {
    line.received += chunk.toString("latin1")
  })
  await once(line.socket, "connect")
  return line
}

const ask = async (line: Line, headers = ""): Promise<string> => {
  line.socket.write(`GET /api/v1/time HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)
  return waitFor(() => /^HTTP\/1.1 (\d+)/.exec(line.received)?.[1] ?? (line.socket.closed ? "none" : undefined), {
    describe: "an answer on the line"
  })
}

it.each(FRAMINGS)("a request %s is refused, and ends its connection", async (framing) => {
  expect(await framed(world.edge.port, framing, { path: "/api/v1/time" })).toEqual([400])
})

describe("connections of one client", () => {
  it("beyond its bound are told so and closed; the others, and other clients, go on", async () => {
    const own = await Promise.all(Array.from({ length: CLIENT_MAX }, () => open(world.edge.port, "127.0.0.1")))
    const more = await open(world.edge.port, "127.0.0.1")
    await waitFor(() => more.received.includes("overloaded"), { describe: "one connection too many to be refused" })
    expect(more.received).toMatch(/^HTTP\/1.1 503 /)
    expect(more.received.toLowerCase()).toMatch(/retry-after: \d+\r\n/)
    await waitFor(() => more.socket.closed || more.socket.readableEnded, { describe: "it to be closed" })
    for (const line of own) expect(await ask(line)).toBe("200")
    expect(await ask(await open(world.edge.port, "127.0.0.2"))).toBe("200")
  })

  it("come free when they close", async () => {
    const own = await Promise.all(Array.from({ length: CLIENT_MAX }, () => open(world.edge.port, "127.0.0.3")))
    expect(await ask(own[0] as Line)).toBe("200")
    own[0]?.socket.destroy()
    await waitFor(async () => (await ask(await open(world.edge.port, "127.0.0.3"))) === "200", {
      describe: "room for another connection"
    })
  })

  it("that ask for nothing give way at once where an edge is short of places", async () => {
    const edge = await TestEdge.start({
      nats: world.nats.url,
      limits: { "service.max_connections_per_edge": MAX, "service.max_client_connections": CLIENT_MAX }
    })
    try {
      const half = new HalfOpen(edge.port)
      try {
        for (const client of CLIENTS) await half.open(CLIENT_MAX, HALVES.body, client)
        expect(await ask(await open(edge.port, "127.0.2.1"))).toBe("200")
      } finally {
        half.end()
      }
    } finally {
      await edge.stop()
    }
  })

  it("that take no byte of their answers give way, too", async () => {
    const edge = await TestEdge.start({
      nats: world.nats.url,
      limits: { "service.max_connections_per_edge": MAX, "service.max_client_connections": CLIENT_MAX }
    })
    try {
      const end = await leaveUnread({
        port: edge.port,
        each: CLIENT_MAX,
        from: CLIENTS,
        path: "/api/v1/openapi.json",
        times: 3
      })
      try {
        await waitFor(async () => (await ask(await open(edge.port, "127.0.2.1"))) === "200", {
          deadlineMs: GIVES_WAY_WITHIN_MS,
          describe: "a newcomer to find a place"
        })
      } finally {
        await end()
      }
    } finally {
      await edge.stop()
    }
  })

  it("never take all that an edge has", async () => {
    const edge = await TestEdge.start({
      nats: world.nats.url,
      // Who says nothing is let go sooner than by the product.
      limits: {
        "service.max_connections_per_edge": MAX,
        "service.max_client_connections": CLIENT_MAX,
        "service.headers_timeout_ms": 2000
      }
    })
    try {
      for (const client of CLIENTS)
        await Promise.all(Array.from({ length: CLIENT_MAX + 2 }, () => open(edge.port, client)))
      await waitFor(async () => (await ask(await open(edge.port, "127.0.2.1"))) === "200", {
        describe: "a newcomer to find a place"
      })
    } finally {
      await edge.stop()
    }
  })
})

describe("requests that come at once on one connection", () => {
  const asked = (count: number): string =>
    Array.from(
      { length: count },
      (_, n) => `GET /api/v1/${n % 2 === 0 ? "time" : "none"} HTTP/1.1\r\nHost: x\r\n\r\n`
    ).join("")
  const statuses = ({ received }: Line): ReadonlyArray<string> =>
    [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = ""]) => status)
  const inOrder = Array.from({ length: PIPELINED_MAX }, (_, n) => (n % 2 === 0 ? "200" : "404"))

  it("are answered in order up to the bound; the next one is refused, and the connection closes", async () => {
    for (const count of [PIPELINED_MAX + 2, 4 * PIPELINED_MAX]) {
      const line = await open(world.edge.port, "127.0.4.1")
      line.socket.write(asked(count))
      await waitFor(() => line.socket.closed, { describe: "the connection to close" })
      const all = statuses(line)
      // The first answer may have been sent before the last request was read.
      expect(all.slice(0, -1)).toEqual(all.length === PIPELINED_MAX + 1 ? inOrder : [...inOrder, "200"])
      expect(all.at(-1)).toBe("503")
      const last = line.received.slice(line.received.lastIndexOf("HTTP/1.1 "))
      expect(last).toMatch(/^connection: close\r\n/im)
      expect(last).toContain('"overloaded"')
      expect(line.received.match(/^connection: close/gim)).toHaveLength(1)
    }
  })

  it.each([
    ["bytes that are no request", "\u0000\r\n\r\n", ["200", "200", "400"]],
    [
      "a body that is not chunked as it says",
      `POST /api/v1/register/challenge HTTP/1.1\r\nHost: x\r\n${CHUNKED}nonsense`,
      ["200", "200", "400"]
    ]
  ])("are answered before %s are refused", async (_name, last, expected) => {
    const line = await open(world.edge.port, "127.0.3.1")
    line.socket.write(`${REQUEST}${REQUEST}${last}`)
    await once(line.socket, "end")
    expect(statuses(line)).toEqual(expected)
  })

  it("behind one that asks for another protocol are not answered, and the client is told", async () => {
    const line = await open(world.edge.port, "127.0.3.2")
    line.socket.write(`${REQUEST.slice(0, -2)}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n${REQUEST}`)
    await once(line.socket, "end")
    expect(statuses(line)).toEqual(["200"])
    expect(line.received.toLowerCase()).toContain("\r\nconnection: close\r\n")
  })

  it("within the bound leave the connection open", async () => {
    const line = await open(world.edge.port, "127.0.4.2")
    for (let n = 1; n <= 3; n++) {
      line.socket.write(asked(PIPELINED_MAX))
      await waitFor(() => statuses(line).length === n * PIPELINED_MAX || line.socket.closed, {
        describe: "all answers"
      })
      expect(statuses(line)).toHaveLength(n * PIPELINED_MAX)
    }
    expect(new Set(statuses(line))).toEqual(new Set(inOrder))
    expect(line.socket.closed).toBe(false)
  })

  it("are answered behind one that takes long", async () => {
    let release: (reply: { data: object }) => void = () => undefined
    const held = new Promise<{ data: object }>((resolve) => (release = resolve))
    world.node.on("agent.me", () => held)
    const line = await open(world.edge.port, "127.0.4.3")
    const headers = Object.entries(world.edge.headersFor("/api/v1/me", { signed: world.agent }))
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")
    line.socket.write(`GET /api/v1/me HTTP/1.1\r\nHost: x\r\n${headers}\r\n${asked(PIPELINED_MAX)}`)
    await waitFor(() => world.node.asked("agent.me").length > 0, { describe: "the first one to be held" })
    expect(line.received).toBe("")
    release({ data: {} })
    await waitFor(() => line.socket.closed, { describe: "the connection to close" })
    expect(statuses(line)).toHaveLength(PIPELINED_MAX + 1)
    expect(statuses(line).slice(1)).toEqual([...inOrder.slice(0, -1), "503"])
  })
})

describe("behind a proxy", () => {
  it("a client's requests under way are counted, whatever connections they come by", async () => {
    const clock = movableClock()
    const edge = await TestEdge.start({
      nats: world.nats.url,
      clock,
      env: { HUB_TRUST_PROXY: "1" },
      limits: { "service.max_client_connections": CLIENT_MAX }
    })
    try {
      world.node.on("agent.me", () => "silence")
      const hold = async () => {
        const headers = edge.headersFor("/api/v1/me", { signed: world.agent })
        const line = await open(edge.port, "127.0.0.1")
        line.socket.write(
          `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n${Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}\r\n`)
            .join("")}\r\n`
        )
      }
      for (let n = 0; n < CLIENT_MAX; n++) await hold()
      await waitFor(() => world.node.asked("agent.me").length >= CLIENT_MAX, { describe: "requests to be held" })
      expect(await ask(await open(edge.port, "127.0.0.1"), "X-Forwarded-For: 192.0.2.1\r\n")).toBe("503")
      expect(await ask(await open(edge.port, "127.0.0.1"), "X-Forwarded-For: 192.0.2.2\r\n")).toBe("200")
    } finally {
      await clock.passing(edge.stop())
    }
  })
})
