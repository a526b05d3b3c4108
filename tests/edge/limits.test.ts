import { afterEach, beforeAll, afterAll, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { newIdentity } from "./signer.ts"
import { node, openNode, closeNode, stopEdge, start, statuses, bound } from "./limited.ts"

beforeAll(openNode)
afterAll(closeNode)
afterEach(stopEdge)

describe("buckets at the edge", () => {
  it("anon: lets the limit through, then says when to come back", async () => {
    const edge = await start({ anon: 20 })
    const { call } = bound(edge)
    const seen = await statuses(20, () => call("/api/v1/time"))
    expect(seen).toEqual(Array(20).fill(200))
    const refused = await call("/api/v1/time")
    expect([refused.status, refused.json.error.code]).toEqual([429, "rate_limited"])
    expect(refused.json.error.details).toMatchObject({ bucket: "anon", limit: 20, window_seconds: 60 })
    expect(Number(refused.headers.get("retry-after"))).toBe(refused.json.error.details["retry_after"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(50)
    const line = await waitFor(() => edge.logged.find((entry) => entry["status"] === 429))
    expect(line).toMatchObject({ code: "rate_limited", bucket: "anon" })
    // Signed requests do not draw on it.
    expect((await call("/api/v1/time", { signed: newIdentity() })).status).toBe(200)
  })

  it("draws slices, not single requests", async () => {
    const { call } = bound(await start({ anon: 600 }))
    await statuses(50, () => call("/api/v1/time"))
    const draws = node.asked("limit.draw").filter((ask) => (ask.input as { bucket: string }).bucket === "anon")
    expect(draws.length).toBeLessThanOrEqual(2)
    expect(draws[0]?.actor).toMatch(/^anon\.[0-9a-f]{16}$/)
    expect(draws[0]?.input).toEqual({ bucket: "anon", wanted: 60 })
  })

  it("ip: comes before everything and takes nothing from later buckets", async () => {
    const { call } = bound(await start({ ip: 15, anon: 15 }))
    await statuses(15, () => call("/api/v1/time", { signed: newIdentity() }))
    const refused = await call("/docs")
    expect(refused.json.error.details["bucket"]).toBe("ip")
    expect(node.asked("limit.draw").some((ask) => (ask.input as { bucket: string }).bucket === "anon")).toBe(false)
  })

  it("key: counts what verifies; what does not counts for its client under that key, and never against the key", async () => {
    const { call } = bound(await start({ key: 12 }, { HUB_TRUST_PROXY: "1" }))
    const agent = newIdentity()
    const from = (address: string, more: object = {}) =>
      call("/api/v1/me", { signed: agent, headers: { "x-forwarded-for": address }, ...more })
    const garbage = { signing: { host: "else.example" } }
    expect(await statuses(12, () => from("192.0.2.1", garbage))).toEqual(Array(12).fill(401))
    const spent = await from("192.0.2.1", garbage)
    expect([spent.status, spent.json.error.details]).toEqual([
      429,
      expect.objectContaining({ bucket: "key", limit: 12 })
    ])
    // Its owner is elsewhere and knows nothing of it; nor does the same client under another key.
    expect(await statuses(12, () => from("192.0.2.2"))).toEqual(Array(12).fill(200))
    expect((await from("192.0.2.2")).json.error.details["bucket"]).toBe("key")
    expect(
      (await call("/api/v1/me", { signed: newIdentity(), headers: { "x-forwarded-for": "192.0.2.1" } })).status
    ).toBe(200)
  })

  it("key: a request that somebody sends again as it was counts for who sends it, and never against the key", async () => {
    const { call } = bound(await start({ key: 12 }, { HUB_TRUST_PROXY: "1" }))
    const agent = newIdentity()
    const used = new Set<string>()
    node.on("agent.me", ({ by }) => {
      const nonce = by?.nonce ?? ""
      if (used.has(nonce)) return { head: { refused: { code: "auth_nonce_reused", message: "used" } } }
      used.add(nonce)
      return { data: {} }
    })
    const timestamp = Math.floor(Date.now() / 1000)
    const captured = { signing: { timestamp, nonce: "captured-nonce" } }
    const from = (address: string, more: object = {}) =>
      call("/api/v1/me", { signed: agent, headers: { "x-forwarded-for": address }, ...more })
    expect((await from("192.0.2.2", captured)).status).toBe(200)
    for (const client of ["192.0.2.1", "192.0.2.3"]) {
      expect(await statuses(12, () => from(client, captured))).toEqual(Array(12).fill(401))
      await waitFor(async () => (await from(client, captured)).status === 429, {
        describe: "who sends copies is refused"
      })
    }
    expect(await statuses(11, () => from("192.0.2.2"))).toEqual(Array(11).fill(200))
    expect((await from("192.0.2.2")).json.error.details["bucket"]).toBe("key")
  })

  it("key: the nonce of a request that it refuses is recorded all the same", async () => {
    const { call } = bound(await start({ key: 11 }))
    const agent = newIdentity()
    await statuses(11, () => call("/api/v1/me", { signed: agent }))
    node.forget()
    const refused = await call("/api/v1/me", { signed: agent })
    expect(refused.json.error.details["bucket"]).toBe("key")
    expect(node.asks.filter(({ kind }) => kind === "agent").map(({ op, by }) => [op, by?.settled])).toEqual([
      ["agent.admit_key", undefined]
    ])
  })

  it("web: pages for humans", async () => {
    const { call } = bound(await start({ web: 11 }))
    await statuses(11, () => call("/docs"))
    expect((await call("/docs")).json.error.details["bucket"]).toBe("web")
  })

  it("register and captcha_key: exact, and only for a well-formed step 1", async () => {
    const { call } = bound(await start({ register: 3, captcha_key: 2, anon: 11 }))
    node.on("challenge.create", () => ({ data: { id: "c" } }))
    const step = (key: string) =>
      call("/api/v1/register/challenge", { method: "POST", body: JSON.stringify({ public_key: key }) })
    const agent = newIdentity()
    expect(await statuses(5, () => step("nonsense"))).toEqual(Array(5).fill(422))
    expect(await statuses(2, () => step(agent.key))).toEqual([201, 201])
    expect((await step(agent.raw.toString("base64url"))).json.error.details["bucket"]).toBe("captcha_key")
    expect((await step(newIdentity().key)).json.error.details["bucket"]).toBe("register")
    expect(node.asked("challenge.create").map((ask) => ask.input)).toEqual(
      Array.from({ length: 2 }, () => ({
        public_key: agent.key,
        hub_id: agent.hubId,
        origin: expect.stringMatching(/^[0-9a-f]{16}$/),
        wide_home: null
      }))
    )
    // Registration has a bucket of its own: nothing of `anon` was used.
    expect(await statuses(11, () => call("/api/v1/time"))).toEqual(Array(11).fill(200))
  })

  it("an agent's own buckets are named on the ask and refused by its actor", async () => {
    const { call } = bound(await start({}))
    const agent = newIdentity()
    await call("/api/v1/me", { method: "PATCH", body: '{"name":"x"}', signed: agent })
    expect(node.asked("agent.update")[0]?.draw).toEqual(["write"])
    node.on("agent.update", () => ({
      head: {
        refused: { code: "rate_limited", message: "slow down", retryAfter: 17, details: { bucket: "write" } },
        rate: { limit: 240, remaining: 0, reset: 5 }
      }
    }))
    const refused = await call("/api/v1/me", { method: "PATCH", body: '{"name":"x"}', signed: agent })
    expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("x-ratelimit-remaining")]).toEqual([
      429,
      "17",
      "0"
    ])
  })

  it("count by the address that the last proxy saw, where one is believed", async () => {
    const { call } = bound(await start({ anon: 11 }, { HUB_TRUST_PROXY: "1" }))
    const from = (chain: string) => call("/api/v1/time", { headers: { "x-forwarded-for": chain } })
    await statuses(11, () => from("6.6.6.6, 203.0.113.7"))
    expect((await from("1.2.3.4, 203.0.113.7")).status).toBe(429)
    expect((await from("203.0.113.7, 203.0.113.8")).status).toBe(200)
  })

  it("go on alone while nobody can be asked", async () => {
    const { call } = bound(await start({ anon: 14 }))
    node.on("limit.draw", () => ({ head: { refused: { code: "unavailable", message: "away" } } }))
    const seen = await statuses(15, () => call("/api/v1/time"))
    expect(seen).toEqual([...Array(14).fill(200), 429])
  })
})
