import { createHash } from "node:crypto"
import { request as httpRequest } from "node:http"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { type Call, openWorld, TestEdge, type World } from "./edge.ts"
import { newIdentity, signatureHeaders } from "./signer.ts"

let world: World
beforeAll(async () => {
  world = await openWorld({ env: { HUB_HOSTS: "hub.example,hub.example:8443" } })
})
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

const HOST = "hub.example"
const sha = (text: string): string => createHash("sha256").update(text).digest("hex")
const signedCall = (call: Call = {}): Call => ({
  signed: world.agent,
  ...call,
  signing: { host: HOST, ...call.signing }
})
const me = (call: Call = {}) => world.edge.call("/api/v1/me", signedCall(call))

const refusedWith = async (call: Call, status: number, code: string) => {
  const answer = await me(call)
  expect([answer.status, answer.json.error.code]).toEqual([status, code])
  return answer.json.error.details
}

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

describe("a refusal says what is wrong", () => {
  it("authentication_required", async () => {
    const answer = await world.edge.call("/api/v1/me")
    expect([answer.status, answer.json.error.code]).toEqual([401, "authentication_required"])
  })

  it.each(["X-Hub-Key", "X-Hub-Timestamp", "X-Hub-Nonce", "X-Hub-Signature"])(
    "auth_headers_incomplete without %s",
    async (name) => {
      const headers = signatureHeaders(world.agent, { method: "GET", path: "/api/v1/me", host: HOST })
      delete headers[name]
      const answer = await world.edge.call("/api/v1/me", { headers })
      expect([answer.status, answer.json.error.code, answer.json.error.details["missing"]]).toEqual([
        401,
        "auth_headers_incomplete",
        [name]
      ])
    }
  )

  it.each(["AAAA", "!".repeat(44), "A".repeat(44), `${"A".repeat(43)}==`])("auth_invalid_key: %s", async (key) => {
    await refusedWith({ headers: { "X-Hub-Key": key } }, 401, "auth_invalid_key")
  })

  it.each(["soon", "1.5", "-1", "12345678", "123456789012", "1767225600000"])(
    "auth_invalid_timestamp: %s",
    async (timestamp) => {
      await refusedWith({ signing: { timestamp } }, 401, "auth_invalid_timestamp")
    }
  )

  it.each(["short", "a".repeat(129), "with space", "semi;colon", "ünicode-x"])(
    "auth_invalid_nonce: %s",
    async (nonce) => {
      const headers = { "X-Hub-Nonce": Buffer.from(nonce).toString("latin1") }
      await refusedWith({ headers }, 401, "auth_invalid_nonce")
    }
  )

  it.each([-301, 301, -100_000])("auth_timestamp_skew: %i seconds", async (offset) => {
    const details = await refusedWith(
      { signing: { timestamp: Math.floor(Date.now() / 1000) + offset } },
      401,
      "auth_timestamp_skew"
    )
    expect(Math.abs(Number(details["server_time"]) - Date.now() / 1000)).toBeLessThan(60)
  })

  it.each([-290, 290])("but %i seconds are let in", async (offset) => {
    expect((await me({ signing: { timestamp: Math.floor(Date.now() / 1000) + offset } })).status).toBe(200)
  })

  it("auth_bad_signature with what was expected", async () => {
    const path = "/api/v1/me/scores?limit=5"
    const timestamp = Math.floor(Date.now() / 1000)
    const answer = await world.edge.call(path, {
      ...signedCall(),
      signing: { host: HOST, path: "/api/v1/else", timestamp, nonce: "nonce-12345678" }
    })
    expect(answer.json.error.code).toBe("auth_bad_signature")
    expect(answer.json.error.details).toEqual({
      expected_path: path,
      expected_host: HOST,
      accepted_hosts: [HOST, "hub.example:8443"],
      expected_body_sha256: sha(""),
      expected_string_to_sign: ["HUB-V2", "GET", HOST, path, String(timestamp), "nonce-12345678", sha("")].join("\n"),
      hint: expect.stringMatching(/expected_string_to_sign.*HUB-V2.*X-Hub-Key/)
    })
  })

  it("and what was expected verifies when it is signed", async () => {
    const body = '{"name":"Zoë"}'
    const wrong = await me({
      method: "PATCH",
      body,
      signing: { host: "elsewhere.example", timestamp: Math.floor(Date.now() / 1000) }
    })
    const text = String(wrong.json.error.details["expected_string_to_sign"])
    expect(wrong.json.error.details["expected_body_sha256"]).toBe(sha(body))
    const [, , , , timestamp = "", nonce = ""] = text.split("\n")
    expect((await me({ method: "PATCH", body, signing: { text: () => text, timestamp, nonce } })).status).toBe(200)
    world.node.forget()
  })

  it.each(["AAAA", "?".repeat(88), "A".repeat(87)])(
    "auth_bad_signature for a signature that is none: %s",
    async (signature) => {
      const details = await refusedWith({ headers: { "X-Hub-Signature": signature } }, 401, "auth_bad_signature")
      expect(details["hint"]).toContain("64 bytes")
    }
  )

  it("nothing was asked of any actor for those", () => {
    expect(world.node.asks.filter((ask) => ask.kind === "agent")).toEqual([])
  })
})

describe("the hint names the mistake", () => {
  const path = "/api/v1/me/scores?limit=5"
  /** So many explanations are made in a second, and no more: a test may have to ask again. */
  const explained = (ask: () => ReturnType<typeof me>, hint: RegExp) =>
    waitFor(
      async () => {
        const { code, details } = (await ask()).json.error
        expect([code, details["hint"]]).toEqual(["auth_bad_signature", expect.stringMatching(hint)])
        return details
      },
      { describe: `the hint ${hint.source}` }
    )

  type Parts = { timestamp: string; nonce: string; hash: string }
  const lines = (parts: Parts, change: Partial<Record<"method" | "host" | "path" | "hash", string>> = {}): string =>
    [
      "HUB-V2",
      change.method ?? "GET",
      change.host ?? HOST,
      change.path ?? path,
      parts.timestamp,
      parts.nonce,
      change.hash ?? parts.hash
    ].join("\n")

  const cases: ReadonlyArray<[string, (parts: Parts) => string, RegExp]> = [
    ["version 1", (p) => ["HUB-V1", "GET", path, p.timestamp, p.nonce, p.hash].join("\n"), /HUB-V2/],
    ["a line feed at the end", (p) => `${lines(p)}\n`, /line feed/],
    ["no host line", (p) => ["HUB-V2", "GET", path, p.timestamp, p.nonce, p.hash].join("\n"), /host line is missing/],
    ["lower-case method", (p) => lines(p, { method: "get" }), /upper case/],
    ["no query", (p) => lines(p, { path: "/api/v1/me/scores" }), /query/],
    ["no prefix", (p) => lines(p, { path: "/me/scores?limit=5" }), /must start at \/api\/v1/],
    ["whole address", (p) => lines(p, { path: `https://${HOST}${path}` }), /whole address/],
    ["another method", (p) => lines(p, { method: "POST" }), /sent as GET, but POST/],
    [
      "host with a port",
      (p) => lines(p, { host: `${HOST}:443` }),
      /signed as hub\.example:443; it must be hub\.example,/
    ],
    [
      "the request's own Host",
      (p) => lines(p, { host: world.edge.host }),
      /signed as 127\.0\.0\.1:\d+; it must be hub\.example,/
    ],
    [
      "the request's own Host without its port",
      (p) => lines(p, { host: "127.0.0.1" }),
      /signed as 127\.0\.0\.1; it must be/
    ],
    ["an empty host line", (p) => lines(p, { host: "" }), /signed as an empty line; it must be/],
    ["HUB-V1 before the lines of version 2", (p) => lines(p).replace("HUB-V2", "HUB-V1"), /first line must be HUB-V2/],
    ["a time in milliseconds", (p) => lines({ ...p, timestamp: `${p.timestamp}000` }), /milliseconds/],
    [
      "the hash of nothing in upper case",
      (p) => lines(p, { hash: p.hash.toUpperCase() }),
      /upper case; it must be lower case hex/
    ],
    ["empty last line", (p) => lines(p, { hash: "" }), /sha256 of the empty string/],
    ["hash of another body", (p) => lines(p, { hash: sha("{}") }), /\{\}/]
  ]
  it.each(cases)("%s", async (_name, text, hint) => {
    await explained(() => world.edge.call(path, signedCall({ signing: { text } })), hint)
  })

  it.each([
    ["/api/v1/agents?q=a%20b", "/api/v1/agents?q=a+b", /with \+ where it was sent with %20/],
    ["/api/v1/agents?q=a+b", "/api/v1/agents?q=a%20b", /with %20 where it was sent with \+/],
    ["/api/v1/agents?page=2&q=x", "/api/v1/agents?q=x&page=2", /another order/],
    ["/api/v1/agents?page=2&q=x&sort=trust", "/api/v1/agents?sort=trust&page=2&q=x", /another order/],
    [
      "/api/v1/agents?q=x&sort=trust&page=2&per_page=3",
      "/api/v1/agents?page=2&per_page=3&q=x&sort=trust",
      /another order/
    ]
  ])("%s signed as %s", async (target, signed, hint) => {
    await explained(
      () => world.edge.call(target, signedCall({ signing: { text: (p) => lines(p, { path: signed }) } })),
      hint
    )
  })

  it("the hash of a body in upper case", async () => {
    const text = (p: Parts) => lines({ ...p, hash: p.hash.toUpperCase() }, { method: "PATCH", path: "/api/v1/me" })
    await explained(
      () => me({ method: "PATCH", body: "{}", signing: { text } }),
      /upper case; it must be lower case hex/
    )
  })

  it("a timestamp header in milliseconds", async () => {
    const answer = await world.edge.call(path, signedCall({ signing: { timestamp: Date.now() } }))
    expect([answer.json.error.code, answer.json.error.details["hint"]]).toEqual([
      "auth_invalid_timestamp",
      expect.stringMatching(/milliseconds/)
    ])
  })

  const sent = '{"name":"Zoë","links":[]}'
  it.each([
    ["no body", "", /sha256 of the empty string was signed/],
    ["blanks between the parts", '{"name": "Zoë", "links": []}', /written in another way/],
    ["escapes for other letters than ASCII's", '{"name":"Zo\\u00eb","links":[]}', /written in another way/],
    ["blanks and escapes", '{"name": "Zo\\u00eb", "links": []}', /written in another way/],
    ["lines", '{\n  "name": "Zoë",\n  "links": []\n}', /written in another way/],
    ["a line feed at its end", `${sent}\n`, /other white space/]
  ])("the body hashed with %s", async (_name, body, hint) => {
    const details = await explained(() => me({ method: "PATCH", body: sent, signing: { body } }), hint)
    expect(details["expected_body_sha256"]).toBe(sha(sent))
  })

  it("the last of all mistakes is still tried: the body in place of its hash, at a path with a query", async () => {
    const target = "/api/v1/me?x=%20&y=a+b&z=%41"
    const text = (p: Parts) => ["HUB-V2", "PATCH", HOST, target, p.timestamp, p.nonce, sent].join("\n")
    await explained(
      () => world.edge.call(target, signedCall({ method: "PATCH", body: sent, signing: { text } })),
      /not the body/
    )
  })

  it("of a body that is too long to be written again is not looked for", async () => {
    const body = `{ "name": "${"x".repeat(20_000)}" }`
    const answer = await me({ method: "PATCH", body, signing: { body: JSON.stringify(JSON.parse(body)) } })
    expect(answer.json.error.details).toMatchObject({
      expected_body_sha256: sha(body),
      hint: expect.stringContaining("expected_string_to_sign")
    })
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
