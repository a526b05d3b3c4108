import { Validator } from "@seriousme/openapi-schema-validator"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openWorld, type World } from "./edge.ts"

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

const ENDS = ["/api/v1/time", "/api/v1/me", "/api/v1/nowhere", "/docs", "/nowhere", "/api/v1/openapi.json"]

describe("every answer", () => {
  it.each(ENDS)("carries the server's time, a request id and open CORS: %s", async (path) => {
    const { headers } = await world.edge.call(path)
    expect(Math.abs(Number(headers.get("x-hub-server-time")) - Date.now() / 1000)).toBeLessThan(60)
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get("access-control-allow-origin")).toBe("*")
    for (const name of ["X-RateLimit-Remaining", "Retry-After", "X-Request-Id", "Idempotent-Replayed", "ETag"]) {
      expect(headers.get("access-control-expose-headers")).toContain(name)
    }
  })

  it("has the envelope, for success and for failure", async () => {
    const time = await world.edge.call("/api/v1/time")
    expect(time.json).toEqual({ ok: true, data: { unix: expect.any(Number), iso: expect.stringMatching(/Z$/) } })
    const nowhere = await world.edge.call("/api/v1/nowhere")
    expect(nowhere.status).toBe(404)
    expect(nowhere.json).toEqual({
      ok: false,
      error: {
        code: "not_found",
        message: expect.any(String),
        details: { resource: "endpoint" },
        doc_url: `${world.edge.url}/docs/errors#not_found`
      }
    })
  })

  it("passes an actor's data on as it is", async () => {
    const me = await world.edge.call("/api/v1/me", { signed: world.agent })
    expect(me.text).toBe(
      `{"ok":true,"data":{"id":"${world.agent.hubId}","scores":{"trust":1,"reputation":2},"status":"active"}}`
    )
    expect(me.headers.get("content-length")).toBe(String(me.text.length))
    expect(me.headers.get("x-ratelimit-limit")).toBe("240")
    expect(me.headers.get("x-ratelimit-remaining")).toBe("239")
    expect(me.headers.get("x-ratelimit-reset")).toBe("2000000000")
  })

  it("is a problem document where the client accepts one", async () => {
    const { headers, text, status } = await world.edge.call("/api/v1/me", {
      headers: { accept: "application/problem+json" }
    })
    expect(headers.get("content-type")).toContain("application/problem+json")
    expect(JSON.parse(text)).toMatchObject({
      status,
      title: "Unauthorized",
      code: "authentication_required",
      detail: expect.any(String)
    })
  })

  it("keeps the client's own request id for the log alone", async () => {
    const { headers } = await world.edge.call("/api/v1/time", { headers: { "x-request-id": "client-id-0001" } })
    expect(headers.get("x-request-id")).not.toBe("client-id-0001")
    await expect.poll(() => world.edge.logged.some((line) => line["client_request_id"] === "client-id-0001")).toBe(true)
  })
})

describe("methods", () => {
  it("answers OPTIONS without authentication, with what the path takes", async () => {
    const { status, headers, text } = await world.edge.call("/api/v1/me", {
      method: "OPTIONS",
      headers: { "access-control-request-headers": "x-hub-key, x-hub-future" }
    })
    expect(status).toBe(204)
    expect(text).toBe("")
    expect(headers.get("allow")).toBe("GET, PATCH, DELETE, HEAD, OPTIONS")
    expect(headers.get("access-control-allow-headers")).toContain("X-Hub-Signature")
    expect(headers.get("access-control-allow-headers")).toContain("x-hub-future")
  })

  it("answers 405 with Allow", async () => {
    const { status, headers, json } = await world.edge.call("/api/v1/time", { method: "POST", body: "{}" })
    expect(status).toBe(405)
    expect(json.error.code).toBe("method_not_allowed")
    expect(headers.get("allow")).toBe("GET, HEAD, OPTIONS")
  })

  it.each(["/api/v1/time", "/api/v1", "/docs", "/api/v1/docs", "/api/v1/openapi.json"])(
    "answers HEAD like GET, without the body: %s",
    async (path) => {
      const get = await world.edge.call(path)
      const head = await world.edge.call(path, { method: "HEAD" })
      expect(head.status).toBe(get.status)
      expect(head.text).toBe("")
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"))
      expect(head.headers.get("content-length")).not.toBeNull()
    }
  )

  it("signs HEAD", async () => {
    const head = await world.edge.call("/api/v1/me", { method: "HEAD", signed: world.agent })
    expect(head.status).toBe(200)
  })
})

describe("paths", () => {
  it("serves the discovery document with and without its slash", async () => {
    const without = await world.edge.call("/api/v1")
    const slashed = await world.edge.call("/api/v1/")
    expect(slashed.status).toBe(200)
    expect(Object.keys(slashed.json.data)).toEqual(Object.keys(without.json.data))
    expect(without.json.data["stats"]).toEqual({ agents: 3 })
  })

  it.each([
    "/api/v1/time/",
    "//api/v1/time",
    "/api//v1/time",
    "/API/v1/time",
    "/api/v1/%74ime",
    "/api/v1/agents/",
    "/api/v2/time"
  ])("matches paths exactly: %s is nowhere", async (path) => {
    expect((await world.edge.call(path)).status).toBe(404)
  })

  it("shows browsers a page at the root, and tells others of the interface", async () => {
    for (const list of ["threads", "posts"] as const)
      world.node.onQuery(list, () => ({ ok: true, data: { total: 0, items: [] } }))
    const browser = await world.edge.call("/", { headers: { accept: "text/html,*/*" } })
    expect([browser.status, browser.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect([browser.headers.get("vary"), browser.text.includes("There are no threads yet.")]).toEqual(["Accept", true])
    const other = await world.edge.call("/", { headers: { accept: "*/*" } })
    expect([other.status, other.headers.get("vary")]).toEqual([200, "Accept"])
    expect(other.json.data).toMatchObject({
      about: expect.stringContaining("autonomous agents"),
      begin: expect.stringContaining(`${world.edge.url}/api/v1/docs`),
      discovery: `${world.edge.url}/api/v1/`
    })
    const head = await world.edge.call("/", { method: "HEAD" })
    expect([head.status, head.text]).toEqual([200, ""])
  })

  it.each(["/api/v1/agents/HX-000001", "/api/v1/agents/hx-1/scores", "/api/v1/agents/HX-1/verify"])(
    "%s names an agent by its number, in any case and with zeros or without",
    async (path) => {
      world.node.forget()
      const numbers: Array<string> = []
      world.node.on("number.resolve", ({ actor }) => {
        numbers.push(actor)
        return { head: { refused: { code: "not_found", message: "nobody", details: { resource: "identity" } } } }
      })
      const answer = await world.edge.call(path)
      expect([answer.status, answer.json.error.details]).toEqual([404, { resource: "agent" }])
      expect([...new Set(numbers)]).toEqual(["HX-000001"])
      expect(world.node.asked("handle.resolve")).toEqual([])
    }
  )

  it("answers a repeated document with 304", async () => {
    const first = await world.edge.call("/api/v1/openapi.json")
    const etag = first.headers.get("etag") ?? ""
    expect(etag).toMatch(/^".+"$/)
    const again = await world.edge.call("/api/v1/openapi.json", { headers: { "if-none-match": etag } })
    expect(again.status).toBe(304)
    expect(again.text).toBe("")
  })

  it("describes itself in valid OpenAPI: every operation says who may call it", async () => {
    const { text } = await world.edge.call("/api/v1/openapi.json")
    expect(await new Validator().validate(JSON.parse(text))).toMatchObject({ valid: true })
    const described = JSON.parse(text) as {
      openapi: string
      info: { title: string }
      paths: Record<string, Record<string, { "x-hub-auth"?: string }>>
    }
    expect(described.openapi).toMatch(/^3\.1/)
    const operations = Object.values(described.paths).flatMap((path) => Object.values(path))
    expect(operations.length).toBeGreaterThan(15)
    for (const operation of operations)
      expect(["none", "signed", "optional", "human"]).toContain(operation["x-hub-auth"])
  })
})

describe("queries", () => {
  const asked: Array<unknown> = []
  beforeAll(() => {
    world.node.onQuery("agents", (input) => {
      asked.push(input)
      return { ok: true, data: { items: [], total: 41 } }
    })
  })
  const listed = async (query: string) => {
    const answer = await world.edge.call(`/api/v1/agents${query}`)
    return { answer, input: asked.at(-1) as Record<string, unknown> }
  }

  it.each([
    ["", 1, 20],
    ["?page=3&per_page=10", 3, 10],
    ["?page=0&per_page=0", 1, 1],
    ["?page=-5&per_page=5000", 1, 100],
    ["?page=x&per_page=", 1, 20],
    ["?page=1.5&per_page=1e2", 1, 20],
    ["?page=99999999999999999999", 1_000_000_000, 20]
  ])("clamps paging: %s", async (query, page, perPage) => {
    const { answer, input } = await listed(query)
    expect(answer.status).toBe(200)
    expect(input).toMatchObject({ page, per_page: perPage })
    expect(answer.json.meta).toEqual({ page, per_page: perPage, total: 41, pages: Math.ceil(41 / perPage) })
  })

  it("takes the last of a repeated parameter", async () => {
    expect((await listed("?page=2&sort=trust&page=5&sort=newest")).input).toMatchObject({ page: 5, sort: "newest" })
    expect((await listed("?sort=bogus&sort=handle")).answer.status).toBe(200)
    expect((await listed("?sort=handle&sort=bogus")).answer.status).toBe(422)
  })

  it("refuses an unknown value of an enumerated parameter by its name", async () => {
    const { answer } = await listed("?sort=loudest")
    expect(answer.status).toBe(422)
    expect(answer.json.error).toMatchObject({ code: "validation_error", details: { field: "sort" } })
    expect(answer.json.error.message).toContain("reputation")
  })

  it.each(["%", "%zz", "a%00b", "'%20OR%201=1", "%F0%9F%90%99", ""])("never refuses free text: %s", async (text) => {
    expect((await listed(`?q=${text}`)).answer.status).toBe(200)
  })
})

describe("health", () => {
  it("shows the public its status, operators everything", async () => {
    const open = await world.edge.call("/api/v1/health")
    expect(open.json.data).toEqual({ status: "ok", version: expect.any(String), time: expect.any(String) })
    world.node.on("agent.authenticate", (ask) => ({ data: { id: ask.actor, roles: ["operator"] } }))
    const operator = await world.edge.call("/api/v1/health", { signed: world.agent })
    expect(operator.json.data).toMatchObject({
      vault_key_ok: null,
      vaults_active: null,
      runtime_firewall: null,
      runtime_egress_ok: null
    })
    expect(operator.json.data["checks"]).not.toHaveProperty("mail_provider")
    expect(operator.json.data).toMatchObject({
      status: "ok",
      checks: { nats: { status: "pass" }, db: { status: "pass" } },
      uptime_seconds: expect.any(Number)
    })
    world.node.on("agent.authenticate", (ask) => ({ data: { id: ask.actor, roles: [] } }))
    const other = await world.edge.call("/api/v1/health", { signed: world.agent })
    expect(other.json.data).not.toHaveProperty("checks")
    expect(Object.keys(other.json.data).toSorted()).toEqual(["status", "time", "version"])
  })

  it.each([
    [
      "the edge's, against the node's",
      { now: -5000, clocks: [] },
      { status: "warn", message: expect.stringContaining("the edge is ahead") }
    ],
    [
      "Postgres's",
      { now: 0, clocks: [{ name: "Postgres", ms: -2500 }] },
      { status: "warn", observed: 2500, message: expect.stringContaining("Postgres is behind") }
    ],
    [
      "none",
      {
        now: 0,
        clocks: [
          { name: "Postgres", ms: 3 },
          { name: "JetStream", ms: -1 }
        ]
      },
      { status: "pass", message: null }
    ]
  ])(
    "a clock that is wrong makes the service degraded, and operators see which: %s",
    async (_what, { now, clocks }, wanted) => {
      world.node.onQuery("health", () => ({
        ok: true,
        data: { status: "ok", checks: {}, clocks, now: Date.now() + now }
      }))
      world.node.on("agent.authenticate", (ask) => ({ data: { id: ask.actor, roles: ["operator"] } }))
      const { status, json } = await world.edge.call("/api/v1/health", { signed: world.agent })
      expect([status, json.data["status"]]).toEqual([200, wanted.status === "warn" ? "degraded" : "ok"])
      expect((json.data["checks"] as Record<string, unknown>)["clock"]).toMatchObject(wanted)
    }
  )

  it("nodes of an older release tell no clocks: then there is no such check", async () => {
    world.node.onQuery("health", () => ({ ok: true, data: { status: "ok", checks: {} } }))
    const { json } = await world.edge.call("/api/v1/health", { signed: world.agent })
    expect(json.data).toMatchObject({ status: "ok", checks: { nats: { status: "pass" } } })
    expect(json.data["checks"]).not.toHaveProperty("clock")
  })
})
