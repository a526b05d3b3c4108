/** `doc_url` of errors: each names the address that explains its code, by whichever way it leaves the edge. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { challenge, Line, openBounded, world } from "./bounded.ts"
import { TestEdge } from "./edge.ts"

const MAX = 2

beforeAll(openBounded)
afterAll(() => world.stop())

const explained = (code: string): string => `${world.edge.url}/docs/errors#${code}`

describe("an error names the address of its code", () => {
  it.each([
    ["/api/v1/nowhere", "GET", "not_found"],
    ["/nowhere", "GET", "not_found"],
    ["/docs", "POST", "method_not_allowed"],
    ["/api/v1/me", "GET", "authentication_required"],
    ["/api/v1/posts?sort=sideways", "GET", "validation_error"],
    [`/api/v1/agents?q=${"a".repeat(9000)}`, "GET", "uri_too_long"]
  ])("%s", async (path, method, code) => {
    const { json } = await world.edge.call(path, { method })
    expect([json.error.code, json.error.doc_url]).toEqual([code, explained(code)])
  })

  it("as problem details too", async () => {
    const { text } = await world.edge.call("/api/v1/nowhere", { headers: { accept: "application/problem+json" } })
    expect(JSON.parse(text)).toMatchObject({ type: "urn:hub:error:not_found", doc_url: explained("not_found") })
  })

  it("where an actor refuses", async () => {
    world.node.on("agent.me", () => ({ head: { refused: { code: "overloaded", message: "Later.", retryAfter: 1 } } }))
    const { status, json } = await world.edge.call("/api/v1/me", { signed: world.agent })
    expect([status, json.error.doc_url]).toEqual([503, explained("overloaded")])
  })

  it("where no actor answers", async () => {
    world.node.on("agent.me", () => "silence")
    const { status, json } = await world.edge.call("/api/v1/me", { signed: world.agent })
    expect([status, json.error.doc_url]).toEqual([503, explained("unavailable")])
  })

  it("where a read model refuses", async () => {
    world.node.onQuery("stats", () => ({ ok: false, refused: { code: "unavailable", message: "Later." } }))
    const { json } = await world.edge.call("/api/v1/stats")
    expect(json.error.doc_url).toBe(explained("unavailable"))
  })

  it.each([
    ["bad_request", "GARBAGE\r\n\r\n"],
    ["header_fields_too_large", `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(20_000)}\r\n\r\n`],
    ["request_timeout", "GET /api/v1/time HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    ["request_too_large", challenge("Content-Length: 99999999")]
  ])("where nothing came that could be served: %s", async (code, text) => {
    const line = await Line.open()
    line.write(text)
    const { json } = await line.answer()
    expect([json.error?.code, json.error?.doc_url]).toEqual([code, explained(code)])
    line.socket.destroy()
  })
})

describe("an edge below a path of its host", () => {
  it("names addresses there, in a 429 and to those whom it turns away", async () => {
    const edge = await TestEdge.start({
      nats: world.nats.url,
      limits: { "service.max_client_connections": MAX },
      env: { HUB_BASE_URL: "https://hub.example/below" }
    })
    try {
      const lines = await Promise.all(Array.from({ length: MAX + 1 }, () => Line.open(edge.port)))
      const told = () => lines.find(({ received }) => received.includes('"overloaded"'))
      const turnedAway = await waitFor(told, { describe: "one connection too many to be refused" })
      expect(turnedAway.received).toContain('"doc_url":"https://hub.example/below/docs/errors#overloaded"')
      for (const line of lines) line.socket.destroy()
      world.node.on("limit.draw", () => ({ data: { granted: 0, resets_at: Date.now() + 60_000 } }))
      const limited = async () => {
        const answer = await edge.call("/docs")
        return answer.status === 429 ? answer.json.error.doc_url : null
      }
      expect(await waitFor(limited, { describe: "a bucket to be empty" })).toBe(
        "https://hub.example/below/docs/errors#rate_limited"
      )
    } finally {
      await edge.stop()
    }
  })
})
