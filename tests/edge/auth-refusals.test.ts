/** What a signature is refused with, and the mistake that the hint names. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { signatureHeaders } from "./signer.ts"
import { world, openAuthWorld, HOST, sha, signedCall, me, refusedWith } from "./signed.ts"

beforeAll(openAuthWorld)
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

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
