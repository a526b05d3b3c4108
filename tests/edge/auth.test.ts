import { request as httpRequest } from "node:http"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { TestEdge } from "./edge.ts"
import { newIdentity, signatureHeaders } from "./signer.ts"
import { world, openAuthWorld, HOST, signedCall, me, refusedWith } from "./signed.ts"

beforeAll(openAuthWorld)
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

describe("a signed request", () => {
  it("is let in, and its nonce and key ride on the operation's own ask", async () => {
    const answer = await me({ signing: { nonce: "nonce-12345678" } })
    expect(answer.status).toBe(200)
    expect(world.node.asks.filter((ask) => ask.kind === "agent")).toHaveLength(1)
    expect(world.node.asked("agent.me")[0]).toMatchObject({
      kind: "agent",
      actor: world.agent.hubId,
      draw: [],
      by: { key: world.agent.hubId, publicKey: world.agent.key, nonce: "nonce-12345678" }
    })
  })

  it.each([
    ["standard", (raw: Buffer) => raw.toString("base64")],
    ["standard without padding", (raw: Buffer) => raw.toString("base64").replace("=", "")],
    ["url-safe", (raw: Buffer) => raw.toString("base64url")],
    ["url-safe with padding", (raw: Buffer) => `${raw.toString("base64url")}=`]
  ])("may give key and signature in base64, %s", async (_name, form) => {
    const headers = signatureHeaders(world.agent, {
      method: "GET",
      path: "/api/v1/me",
      host: HOST,
      key: form(world.agent.raw)
    })
    headers["X-Hub-Signature"] = form(Buffer.from(headers["X-Hub-Signature"] ?? "", "base64"))
    const answer = await world.edge.call("/api/v1/me", { headers })
    expect(answer.status).toBe(200)
    expect(world.node.asked("agent.me")[0]?.by?.publicKey).toBe(world.agent.key)
  })

  it("may name any of the configured hosts, whatever its Host header says", async () => {
    expect((await me({ signing: { host: "hub.example:8443" } })).status).toBe(200)
    expect((await me({ signing: { host: world.edge.host } })).status).toBe(401)
  })

  it("is verified over its path and query exactly as sent", async () => {
    world.node.onQuery("agents", () => ({ ok: true, data: { items: [], total: 0 } }))
    const path = "/api/v1/agents?q=%C3%a9+x&&page=01&sort=trust&"
    // fetch would rewrite some of it: only a plain request keeps every byte.
    const status = await new Promise<number>((resolve, reject) => {
      httpRequest(
        {
          port: world.edge.port,
          host: "127.0.0.1",
          path,
          headers: signatureHeaders(world.agent, { method: "GET", path, host: HOST })
        },
        (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        }
      )
        .on("error", reject)
        .end()
    })
    expect(status).toBe(200)
  })

  it("is verified over its body's raw bytes", async () => {
    const body = '{ "name" : "Zoë" }\n'
    expect((await me({ method: "PATCH", body })).status).toBe(200)
    const other = await me({ method: "PATCH", body, signing: { body: '{"name":"Zoë"}' } })
    expect(other.json.error.code).toBe("auth_bad_signature")
    expect(other.json.error.details["hint"]).toContain("raw bytes")
  })

  it("is asked again where its agent has moved to, with the signature settled", async () => {
    const mover = newIdentity()
    const home = `hx${"a".repeat(24)}`
    world.node.on("agent.me", (ask) =>
      ask.actor === home ? { data: { id: home } } : { head: { moved: { agent: home } } }
    )
    const answer = await world.edge.call("/api/v1/me", signedCall({ signed: mover }))
    expect(answer.json.data).toEqual({ id: home })
    expect(world.node.asked("agent.me").map((ask) => [ask.actor, ask.by?.settled ?? false])).toEqual([
      [mover.hubId, false],
      [home, true]
    ])
    world.node.on("agent.me", (ask) => ({ data: { id: ask.actor } }))
  })
})

describe("an installation below a prefix", () => {
  it("is served with and without it, and signs without it", async () => {
    const edge = await TestEdge.start({ nats: world.nats.url, env: { HUB_BASE_URL: "https://hub.example/agents-hub" } })
    try {
      for (const path of ["/api/v1/me", "/agents-hub/api/v1/me"]) {
        expect(
          (await edge.call(path, { signed: world.agent, signing: { host: HOST, path: "/api/v1/me" } })).status
        ).toBe(200)
      }
      expect((await edge.call("/agents-hub/api/v1/time")).status).toBe(200)
      const wrong = await edge.call("/agents-hub/api/v1/me", { signed: world.agent, signing: { host: HOST } })
      expect(wrong.json.error.details).toMatchObject({
        expected_path: "/api/v1/me",
        hint: expect.stringContaining("prefix")
      })
    } finally {
      await edge.stop()
    }
  })
})

describe("version 1", () => {
  const v1 = {
    text: ({ timestamp, nonce, hash }: { timestamp: string; nonce: string; hash: string }) =>
      ["HUB-V1", "GET", "/api/v1/me", timestamp, nonce, hash].join("\n")
  }

  it("is let in until its date", async () => {
    const edge = await TestEdge.start({ nats: world.nats.url, env: { HUB_V1_UNTIL: "2999-01-01T00:00:00Z" } })
    try {
      expect((await edge.call("/api/v1/me", { signed: world.agent, signing: v1 })).status).toBe(200)
    } finally {
      await edge.stop()
    }
  })

  it("and refused after it", async () => {
    await refusedWith({ signing: v1 }, 401, "auth_bad_signature")
  })
})

describe("every verified signature is settled", () => {
  it.each([
    ["a request that fails validation", "PATCH", "/api/v1/me", '{"name":5}', 422],
    ["a path that is nowhere", "GET", "/api/v1/nowhere", undefined, 404],
    ["a method that is not possible", "PUT", "/api/v1/time", undefined, 405],
    ["an endpoint that needs no signature", "GET", "/api/v1/time", undefined, 200],
    ["a body that is no JSON", "PATCH", "/api/v1/me", "{", 422]
  ])("%s", async (_name, method, path, body, status) => {
    const answer = await world.edge.call(path, signedCall({ method, ...(body === undefined ? {} : { body }) }))
    expect(answer.status).toBe(status)
    const settled = world.node.asked("agent.authenticate")
    expect(settled).toHaveLength(1)
    expect(settled[0]?.by).toMatchObject({ key: world.agent.hubId })
    expect(settled[0]?.by?.settled).toBeUndefined()
  })

  it("and what that refuses is the answer", async () => {
    world.node.on("agent.authenticate", () => ({ head: { refused: { code: "auth_nonce_reused", message: "used" } } }))
    try {
      await refusedWith({ method: "PATCH", body: "[]" }, 401, "auth_nonce_reused")
      expect((await world.edge.call("/api/v1/time", signedCall())).json.error.code).toBe("auth_nonce_reused")
    } finally {
      world.node.on("agent.authenticate", () => ({ data: { roles: [] } }))
    }
  })

  it("a refusal's own status wins over the code's", async () => {
    world.node.on("agent.me", () => ({ head: { refused: { code: "key_retired", message: "replaced", status: 401 } } }))
    await refusedWith({}, 401, "key_retired")
    world.node.on("agent.me", (ask) => ({ data: { id: ask.actor } }))
  })
})
