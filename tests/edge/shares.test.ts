import { connect, type Socket } from "node:net"
import { once } from "node:events"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Shares } from "../../edge/http/shares.ts"
import { waitFor } from "../harness/index.ts"
import { openWorld, type World } from "./edge.ts"

const alone = (client: string) => ({ client, wide: null })

/** As much as there is for it, in pieces. */
const takeAll = (shares: Shares, network: { client: string; wide: string | null }, piece: number): number => {
  let taken = 0
  while (shares.take(network, piece)) taken += piece
  return taken
}

describe("what clients share", () => {
  it("is never given away whole: each that takes all it can leaves eight ninths to the next", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 50 }), (clients, piece) => {
        const shares = new Shares(100_000, 100_000)
        for (let n = 0; n < clients; n++) takeAll(shares, alone(`c${n}`), piece)
        expect(100_000 - shares.inUse).toBeGreaterThanOrEqual(Math.floor(100_000 * (8 / 9) ** clients))
        expect(shares.take(alone("next"), piece)).toBe(true)
      })
    )
  })

  it("has an upper bound for each of them", () => {
    expect(takeAll(new Shares(1_000, 100), alone("a"), 7)).toBe(98)
  })

  it("counts a /48 as one, however many clients it is", () => {
    const shares = new Shares(1_000, 100)
    for (let n = 0; n < 1_000; n++) takeAll(shares, { client: `c${n}`, wide: "w" }, 1)
    expect(shares.inUse).toBe(333)
    expect(takeAll(shares, alone("b"), 1)).toBe(74)
  })

  it("comes back whole", () => {
    const shares = new Shares(1_000, 500)
    const network = { client: "a", wide: "w" }
    for (let n = 0; n < 10; n++) {
      expect(takeAll(shares, network, 10)).toBe(110)
      shares.give(network, 110)
    }
    expect(shares.inUse).toBe(0)
  })
})

let world: World
beforeAll(async () => {
  world = await openWorld({
    env: { HUB_TRUST_PROXY: "1" },
    limits: {
      "service.max_buffered_body_bytes": 2_000_000,
      "service.body_timeout_ms": 60_000,
      "service.request_deadline_ms": 60_000
    }
  })
})
afterAll(() => world.stop())

describe("silent senders of one client", () => {
  const sockets: Array<Socket> = []
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
  })

  it("take no other client's room for bodies", async () => {
    const key = Buffer.alloc(32, 1).toString("base64")
    const head = [
      "PATCH /api/v1/me HTTP/1.1",
      "Host: x",
      "X-Forwarded-For: 192.0.2.1",
      `X-Hub-Key: ${key}`,
      `X-Hub-Timestamp: ${Math.floor(Date.now() / 1000)}`,
      "X-Hub-Nonce: 12345678",
      `X-Hub-Signature: ${"A".repeat(86)}==`,
      "Content-Length: 500000",
      "\r\n"
    ].join("\r\n")
    let refused = 0
    for (let n = 0; n < 44; n++) {
      const socket = connect(world.edge.port, "127.0.0.1")
      sockets.push(socket)
      socket.on("error", () => undefined)
      socket.on("data", (chunk: Buffer) => {
        if (chunk.includes(" 503 ")) refused++
      })
      await once(socket, "connect")
      socket.write(head)
      socket.write("a".repeat(100_000))
    }
    await waitFor(() => refused > 20, { describe: "the greedy client to be refused" })
    const body = JSON.stringify({ name: "x", transparency: "t".repeat(60_000) })
    for (let n = 2; n < 8; n++) {
      const answer = await world.edge.call("/api/v1/me", {
        method: "PATCH",
        body,
        signed: world.agent,
        headers: { "x-forwarded-for": `192.0.2.${n}` }
      })
      expect(answer.status).toBe(200)
    }
  })
})
