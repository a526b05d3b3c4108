/** How the client signs, repeats and gives up, against hubs that are played. */
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { createClient } from "../../edge/sdk/client.ts"
import { retryAfterOf } from "../../edge/sdk/client/answer.ts"
import { data, json, type Play, refuse } from "./support/player.ts"
import { distinct, errorOf, holds, key, playing, QUICK } from "./support/playing.ts"

describe("what is sent", () => {
  it("is signed as it is sent: names, queries and bodies of any kind", async () => {
    const { hub, player } = await playing((_, response) => data(response, {}))
    await hub.get("/agents/:ref", { params: { ref: "ä/ö ?&#%2e" } })
    await hub.get("/agents", { query: { q: "100% & mehr=?\u0000🐙", sort: "newest", page: 2 } })
    await hub.patch("/me", { body: { name: "Zoë 🐙" } })
    await hub.request("GET", "/agents?q=%C3%a9+x&page=2&&sort=top")
    await hub.get("/")
    expect(player.asked.map((asked) => holds(asked, player.host))).toEqual([true, true, true, true, true])
    expect(player.asked.map(({ target }) => target)).toEqual([
      "/api/v1/agents/%C3%A4%2F%C3%B6%20%3F%26%23%252e",
      "/api/v1/agents?q=100%25+%26+mehr%3D%3F%00%F0%9F%90%99&sort=newest&page=2",
      "/api/v1/me",
      "/api/v1/agents?q=%C3%a9+x&page=2&&sort=top",
      "/api/v1"
    ])
    expect(player.asked[2]?.headers["content-type"]).toBe("application/json")
    expect(JSON.parse(player.asked[2]?.body ?? "")).toEqual({ name: "Zoë 🐙" })
  })

  it("goes below the path of the installation, which is not signed", async () => {
    const { hub, player } = await playing(
      (_, response) => data(response, {}),
      { host: "Hub.Example:443" },
      "/some/where/"
    )
    await hub.get("/me")
    const [asked] = player.asked
    expect(asked?.target).toBe("/some/where/api/v1/me")
    expect(asked !== undefined && holds(asked, "hub.example", "/api/v1/me")).toBe(true)
    expect(hub.hub).toBe(`${player.url}/some/where`)
  })

  it("is not signed where that is not wanted, or there is no key", async () => {
    const { hub, player } = await playing((_, response) => data(response, {}))
    await hub.get("/agents", { signed: false })
    await createClient({ hub: player.url }).get("/stats")
    expect(player.asked.map((asked) => asked.headers["x-hub-key"])).toEqual([undefined, undefined])
    expect((await errorOf(createClient({ hub: player.url }).request("GET", "/me", { signed: true }))).code).toBe(
      "no_key"
    )
  })

  it.each(["", ".", ".."])("%j cannot stand for a name in a path", async (ref) => {
    const { hub, player } = await playing((_, response) => data(response, {}))
    await expect(hub.get("/agents/:ref", { params: { ref } })).rejects.toMatchObject({
      code: "invalid_argument",
      details: { field: "ref" }
    })
    expect(player.asked).toEqual([])
  })

  it.each(["me", "/../../id", "/%2e%2e/x", "//evil.example/../../..", "/..", ""])(
    "%j leads nowhere else",
    async (target) => {
      const { hub, player } = await playing((_, response) => data(response, {}))
      expect((await errorOf(hub.request("GET", target))).code).toBe("invalid_argument")
      expect(player.asked).toEqual([])
    }
  )

  it.each([
    ["http://hub.example", "insecure_address"],
    ["ftp://127.0.0.1", "invalid_argument"],
    ["hub.example", "invalid_argument"],
    ["", "invalid_argument"],
    ["https://user:word@hub.example", "invalid_argument"],
    ["http://127.0.0.1.example", "insecure_address"]
  ])("%s is no hub to speak to", (hub, code) => {
    expect(() => createClient({ hub, key })).toThrow(expect.objectContaining({ code }))
  })

  it.each([
    ["http://hub.example", true],
    ["http://127.0.0.1:8080", false],
    ["http://localhost", false],
    ["http://[::1]:1", false],
    ["https://hub.example/x", false]
  ])("%s is (allowing http: %s)", (hub, allowHttp) => {
    expect(createClient({ hub, key, allowHttp }).hub).toBe(hub)
  })
})

describe("what is repeated", () => {
  it("a signed write goes under one Idempotency-Key, with a signature of its own each time", async () => {
    const { hub, player } = await playing((_, response, count) => {
      if (count === 1) return refuse(response, 503, "unavailable", {}, { "retry-after": "0" })
      if (count === 2) return void response.destroy()
      if (count === 3) return refuse(response, 409, "idempotency_in_flight", {}, { "retry-after": "0" })
      return json(
        response,
        200,
        { ok: true, data: { name: "Ada" } },
        { "idempotent-replayed": "true", "x-request-id": "r-4" }
      )
    })
    expect(await hub.patch("/me", { body: { name: "Ada" } })).toMatchObject({
      data: { name: "Ada" },
      replayed: true,
      status: 200,
      requestId: "r-4"
    })
    expect([
      player.asked.length,
      distinct(player, "idempotency-key"),
      distinct(player, "x-hub-nonce"),
      distinct(player, "x-hub-signature")
    ]).toEqual([4, 1, 4, 4])
    expect(player.asked.every((asked) => holds(asked, player.host))).toBe(true)
  })

  it("each write has a key of its own; one that is given is used; reads have none", async () => {
    const { hub, player } = await playing((_, response) => data(response, {}))
    await hub.patch("/me", { body: {} })
    await hub.patch("/me", { body: {} })
    await hub.patch("/me", { body: {}, idempotencyKey: "mine" })
    await hub.get("/me")
    const [first, second, third, fourth] = player.asked.map((asked) => asked.headers["idempotency-key"])
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(second).not.toBe(first)
    expect([third, fourth]).toEqual(["mine", undefined])
  })

  it("a nonce that somebody on the way has used up is replaced", async () => {
    const { hub, player } = await playing((_, response, count) =>
      count === 1 ? refuse(response, 401, "auth_nonce_reused") : data(response, {})
    )
    await hub.get("/me")
    expect(distinct(player, "x-hub-nonce")).toBe(2)
  })

  it.each([
    [502, "bad gateway"],
    [504, "timeout"]
  ])("a read is, after %d of a proxy", async (status, text) => {
    const { hub, player } = await playing((_, response, count) =>
      count === 1 ? void response.writeHead(status).end(text) : data(response, { unix: 1 })
    )
    expect((await hub.get("/time")).data.unix).toBe(1)
    expect(player.asked).toHaveLength(2)
  })

  it("an unsigned write is not, where it may have been done", async () => {
    for (const failing of [
      (response: Parameters<Play>[1]) => void response.destroy(),
      (response: Parameters<Play>[1]) => refuse(response, 503, "unavailable", {}, { "retry-after": "0" })
    ]) {
      const { hub, player } = await playing((_, response) => failing(response))
      const error = await errorOf(
        hub.post("/id/verify", { signed: false, body: { method: "GET", host: "shop.example", path: "/", headers: {} } })
      )
      expect(["connection_failed", "unavailable"]).toContain(error.code)
      expect(player.asked).toHaveLength(1)
    }
  })

  it.each([
    ["overloaded", 503],
    ["rate_limited", 429]
  ])("an unsigned write is, after %s: nothing was done", async (code, status) => {
    const { hub, player } = await playing((_, response, count) =>
      count === 1 ? refuse(response, status, code, {}, { "retry-after": "0" }) : data(response, { valid: false })
    )
    await hub.post("/id/verify", {
      signed: false,
      body: { method: "GET", host: "shop.example", path: "/", headers: {} }
    })
    expect(player.asked).toHaveLength(2)
  })

  it.each([
    [400, "bad_request"],
    [401, "key_unknown"],
    [403, "agent_suspended"],
    [404, "not_found"],
    [422, "validation_error"],
    [500, "internal_error"]
  ])("%d %s is not", async (status, code) => {
    const { hub, player } = await playing((_, response) =>
      refuse(response, status, code, { field: "name" }, { "x-request-id": "r-9" })
    )
    expect(await errorOf(hub.patch("/me", { body: { name: "" } }))).toMatchObject({
      code,
      status,
      message: `played: ${code}`,
      details: { field: "name" },
      requestId: "r-9",
      retryAfter: null
    })
    expect(player.asked).toHaveLength(1)
  })

  it("a storm of 503 ends after as many tries as are allowed", async () => {
    const { hub, player } = await playing(
      (_, response) => refuse(response, 503, "unavailable", {}, { "retry-after": "0" }),
      { retry: { ...QUICK, tries: 4 } }
    )
    expect(await errorOf(hub.get("/me"))).toMatchObject({ code: "unavailable", status: 503 })
    expect(player.asked).toHaveLength(4)
  })

  it("a wait that does not fit into the time for all is not waited for", async () => {
    const { hub, player } = await playing((_, response) =>
      refuse(response, 429, "rate_limited", { bucket: "write" }, { "retry-after": "3600" })
    )
    expect(await errorOf(hub.patch("/me", { body: {} }))).toMatchObject({
      code: "rate_limited",
      retryAfter: 3600,
      details: { bucket: "write" }
    })
    expect(player.asked).toHaveLength(1)
  })

  it("a wait that does fit is waited for in full", async () => {
    const { hub, player } = await playing((_, response, count) =>
      count === 1 ? refuse(response, 429, "rate_limited", {}, { "retry-after": "1" }) : data(response, {})
    )
    const begin = performance.now()
    await hub.get("/me")
    expect(performance.now() - begin).toBeGreaterThanOrEqual(1_000)
    expect(player.asked).toHaveLength(2)
  })

  it("a refused connection is tried again, also where nothing may be done twice", async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    let tries = 0
    const hub = createClient({
      hub: `http://127.0.0.1:${port}`,
      key,
      retry: { ...QUICK, tries: 3 },
      fetch: (input, init) => {
        tries += 1
        return fetch(input, init)
      }
    })
    const error = await errorOf(
      hub.post("/id/verify", { signed: false, body: { method: "GET", host: "shop.example", path: "/", headers: {} } })
    )
    expect([error.code, error.status, tries]).toEqual(["connection_failed", 0, 3])
    expect(error.message).toContain("ECONNREFUSED")
  })

  it.each([
    [null, null],
    ["5", 5],
    [" 7 ", 7],
    ["soon", null],
    ["-3", null],
    ["1e3", null],
    ["99999999999", null],
    ["999999999", 604_800],
    ["Thu, 01 Jan 1970 00:00:09 GMT", 4]
  ])("Retry-After %j is %j", (header, seconds) => {
    expect(retryAfterOf(header, 5_000)).toBe(seconds)
  })
})

describe("a clock that is off", () => {
  it("is learned once from the refusal, and kept", async () => {
    const offset = 3_600
    const serverTime = () => Math.floor(Date.now() / 1000) + offset
    const { hub, player } = await playing((asked, response) => {
      const skew = Math.abs(serverTime() - Number(asked.headers["x-hub-timestamp"]))
      return skew > 300
        ? refuse(response, 401, "auth_timestamp_skew", { server_time: serverTime() })
        : data(response, {})
    })
    await hub.get("/me")
    await hub.get("/me")
    expect(player.asked).toHaveLength(3)
    expect(player.asked.every((asked) => holds(asked, player.host))).toBe(true)
  })

  it.each([undefined, "noon", 1.5, Number.NaN, null])("is not learned from %j", async (server_time) => {
    const { hub, player } = await playing((_, response) =>
      refuse(response, 401, "auth_timestamp_skew", { server_time })
    )
    expect((await errorOf(hub.get("/me"))).code).toBe("auth_timestamp_skew")
    expect(player.asked).toHaveLength(1)
  })

  it("is not learned for ever from a hub that cannot make up its mind", async () => {
    const { hub, player } = await playing((_, response, count) =>
      refuse(response, 401, "auth_timestamp_skew", { server_time: count * 10_000 })
    )
    expect((await errorOf(hub.get("/me"))).code).toBe("auth_timestamp_skew")
    expect(player.asked).toHaveLength(2)
  })
})

describe("lists", () => {
  const listing =
    (total: number): Play =>
    (asked, response) => {
      const query = new URL(asked.target, "http://x").searchParams
      const [page, size] = [Number(query.get("page")), Number(query.get("per_page"))]
      const items = Array.from({ length: total }, (_, index) => ({ handle: `a${index}` })).slice(
        (page - 1) * size,
        page * size
      )
      return data(response, items, { page, per_page: size, total, pages: Math.ceil(total / size) })
    }
  const all = async <A>(items: AsyncIterable<A>): Promise<Array<A>> => {
    const found: Array<A> = []
    for await (const item of items) found.push(item)
    return found
  }

  it("come whole, page after page", async () => {
    const { hub, player } = await playing(listing(25))
    expect(
      (await all(hub.pages("/agents", { perPage: 10, query: { sort: "newest" } }))).map(({ handle }) => handle)
    ).toEqual(Array.from({ length: 25 }, (_, index) => `a${index}`))
    expect(player.asked.map(({ target }) => target)).toEqual(
      [1, 2, 3].map((page) => `/api/v1/agents?sort=newest&per_page=10&page=${page}`)
    )
  })

  it.each([
    [0, 0],
    [1, 1],
    [10, 10],
    [13, 13],
    [99, 25]
  ])("end after %d at most", async (max, count) => {
    const { hub } = await playing(listing(25))
    expect(await all(hub.pages("/agents", { perPage: 10, max }))).toHaveLength(count)
  })

  it("end where nothing comes any more, whatever is promised", async () => {
    const { hub, player } = await playing((_, response, count) =>
      data(response, count < 3 ? [{}] : [], { page: count, per_page: 1, total: 1e9, pages: 1e9 })
    )
    expect(await all(hub.pages("/agents"))).toHaveLength(2)
    expect(player.asked).toHaveLength(3)
  })

  it.each([
    [{ items: [] }, {}],
    ["text", {}],
    [null, {}]
  ])("that are none: %j", async (what, meta) => {
    const { hub } = await playing((_, response) => data(response, what, meta))
    expect((await errorOf(all(hub.pages("/agents")))).code).toBe("answer_malformed")
  })
})
