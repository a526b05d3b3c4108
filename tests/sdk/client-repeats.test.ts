/** What the client repeats, and when it gives up, against hubs that are played. */
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { createClient } from "../../edge/sdk/client.ts"
import { retryAfterOf } from "../../edge/sdk/client/answer.ts"
import { data, json, type Play, refuse } from "./support/player.ts"
import { errorOf } from "./support/errors.ts"
import { distinct, holds, key, playing, QUICK } from "./support/playing.ts"

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

  it("what only an operator ends is not waited for, however much time there is", async () => {
    const { hub, player } = await playing(
      (_, response) => refuse(response, 503, "runtime_unavailable", {}, { "retry-after": "3600" }),
      { retry: { ...QUICK, totalMs: 86_400_000 } }
    )
    expect(await errorOf(hub.get("/me"))).toMatchObject({ code: "runtime_unavailable", retryAfter: 3600 })
    expect(player.asked).toHaveLength(1)
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
