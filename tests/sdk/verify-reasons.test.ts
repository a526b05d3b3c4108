/** Why the verifier refuses a request: each reason, and their order. */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { BOUNDS, CLIENT_REASONS, REASONS, statusOf, type Verdict, type Verifier } from "../../edge/sdk/verify.ts"
import { newKey, type ProofParts, type TestAgent } from "./verify-hub.ts"
import { hub, active, rotated, suspended, banned, retired, verifier, openHub } from "./verify-agents.ts"
import { NOBODY } from "../support/proof.ts"

beforeAll(openHub)
afterAll(() => hub.stop())

describe("each reason", () => {
  const ua = (id: string): string => `Mozilla/5.0 hubagent/1.0 (${id.toLowerCase()}; +https://hub.example/id/${id})`
  const spoilt = (agent: TestAgent, headers: Readonly<Record<string, string | undefined>>, parts: ProofParts = {}) => {
    const request = agent.request(parts)
    return { ...request, headers: { ...request.headers, ...headers } }
  }
  const plain = (headers: Readonly<Record<string, string>>) => ({ method: "GET", path: "/", headers })

  it.each<readonly [string, () => Parameters<Verifier["check"]>[0], Partial<Verdict>]>([
    ["no headers", () => plain({}), { reason: "headers_missing", ...NOBODY }],
    ["a browser", () => plain({ "user-agent": "Mozilla/5.0" }), { reason: "headers_missing", ...NOBODY }],
    [
      "a signature of Web Bot Auth, with an announcement",
      () =>
        plain({
          "Signature-Input": 'sig1=("@authority");created=1;keyid="x";tag="web-bot-auth"',
          Signature: "sig1=:AAAA:",
          "user-agent": ua(active.id)
        }),
      { reason: "scheme_not_supported", scheme: "web-bot-auth", ...NOBODY }
    ],
    [
      "an agent's key directory and nothing else",
      () => plain({ "signature-agent": '"https://hub.example/id/HX-000001"' }),
      { reason: "scheme_not_supported", scheme: "web-bot-auth", ...NOBODY }
    ],
    [
      "a signature of another kind",
      () => plain({ "signature-input": 'sig1=("@authority");created=1', signature: "sig1=:AAAA:" }),
      { reason: "headers_missing", scheme: "hub-id", ...NOBODY }
    ],
    [
      "an announcement",
      () => plain({ "user-agent": ua(active.id) }),
      { reason: "announced_only", announced: true, id: "HX-000001", handle: "agent-1" }
    ],
    [
      "an announcement of nobody",
      () => plain({ "user-agent": ua("HX-000999") }),
      { reason: "announced_only", announced: true, ...NOBODY }
    ],
    ["three headers", () => spoilt(active, { "Hub-Nonce": undefined }), { reason: "headers_incomplete", ...NOBODY }],
    [
      "one header and an announcement",
      () => plain({ "hub-id": active.id, "user-agent": ua(active.id) }),
      { reason: "headers_incomplete", ...NOBODY }
    ],
    [
      "a number in lower case",
      () => spoilt(active, { "Hub-Id": active.id.toLowerCase() }),
      { reason: "id_malformed", ...NOBODY }
    ],
    [
      "a number padded too far",
      () => spoilt(active, { "Hub-Id": "HX-0000001" }),
      { reason: "id_malformed", ...NOBODY }
    ],
    ["an empty number", () => spoilt(active, { "Hub-Id": "" }), { reason: "id_malformed", ...NOBODY }],
    ["a number as a prototype", () => spoilt(active, { "Hub-Id": "__proto__" }), { reason: "id_malformed", ...NOBODY }],
    ["a number that nobody has", () => spoilt(active, { "Hub-Id": "HX-000000" }), { reason: "id_unknown", ...NOBODY }],
    [
      "a deleted account, whatever else is wrong",
      () => spoilt(active, { "Hub-Id": retired.id, "Hub-Timestamp": "x" }),
      { reason: "agent_retired", id: "HX-000005", status: "retired" }
    ],
    ["a time in words", () => active.request({ timestamp: "noon" }), { reason: "timestamp_invalid", id: "HX-000001" }],
    ["a time of 8 digits", () => active.request({ timestamp: "12345678" }), { reason: "timestamp_invalid" }],
    ["a time of 12 digits", () => active.request({ timestamp: "123456789012" }), { reason: "timestamp_invalid" }],
    [
      "a time 301 seconds ago",
      () => active.request({ timestamp: String(hub.clock.seconds - 301) }),
      { reason: "timestamp_expired" }
    ],
    [
      "a time 301 seconds ahead",
      () => active.request({ timestamp: String(hub.clock.seconds + 301) }),
      { reason: "timestamp_expired" }
    ],
    ["a nonce of 7", () => active.request({ nonce: "seven77" }), { reason: "nonce_invalid" }],
    ["a nonce of 129", () => active.request({ nonce: "n".repeat(129) }), { reason: "nonce_invalid" }],
    ["a nonce with a blank", () => active.request({ nonce: "nonce nonce" }), { reason: "nonce_invalid" }],
    [
      "another path",
      () => ({ ...active.request(), path: "/offers?page=3" }),
      { reason: "bad_signature", id: "HX-000001" }
    ],
    ["another method", () => ({ ...active.request(), method: "POST" }), { reason: "bad_signature" }],
    ["another key", () => active.request({ key: newKey() }), { reason: "bad_signature" }],
    ["another agent's key", () => active.request({ key: rotated.key }), { reason: "bad_signature" }],
    [
      "a target that nobody would send",
      () => active.request({ path: `/${"p".repeat(BOUNDS.targetChars)}` }),
      { reason: "bad_signature" }
    ],
    [
      "a method that nobody would send",
      () => active.request({ method: "M".repeat(BOUNDS.methodChars + 1) }),
      { reason: "bad_signature" }
    ],
    [
      "a replaced key",
      () => rotated.request({ key: rotated.keys[0]?.pair ?? newKey() }),
      { reason: "key_retired", id: "HX-000002" }
    ],
    [
      "a suspended agent",
      () => suspended.request(),
      { reason: "agent_suspended", signature_ok: true, status: "flagged", moderation: "suspended", id: "HX-000003" }
    ],
    [
      "a suspended agent's forged proof",
      () => suspended.request({ key: newKey() }),
      { reason: "bad_signature", status: "flagged" }
    ],
    [
      "a banned agent",
      () => banned.request(),
      {
        reason: "agent_banned",
        signature_ok: true,
        status: "flagged",
        moderation: "banned",
        profile_url: null,
        id: "HX-000004"
      }
    ]
  ])("%s", async (_name, request, expected) => {
    const verdict = await verifier.check(request())
    expect(verdict).toMatchObject({ valid: false, scheme: "hub-id", message: expect.any(String), ...expected })
    if (expected.signature_ok === undefined) expect(verdict).not.toHaveProperty("signature_ok")
    if (expected.announced === undefined) expect(verdict).not.toHaveProperty("announced")
  })

  it("a timestamp exactly 300 seconds away passes, either way", async () => {
    for (const away of [-300, 300])
      expect(await verifier.check(active.request({ timestamp: String(hub.clock.seconds + away) }))).toMatchObject({
        valid: true
      })
  })

  it("neither a forgery nor a flagged agent uses up a nonce", async () => {
    const before = verifier.state().nonces
    const nonce = "not-used-up"
    expect(await verifier.check(active.request({ nonce, key: newKey() }))).toMatchObject({ reason: "bad_signature" })
    for (let time = 0; time < 2; time++)
      expect(await verifier.check(suspended.request({ nonce }))).toMatchObject({ reason: "agent_suspended" })
    expect(verifier.state().nonces).toBe(before)
    expect(await verifier.check(active.request({ nonce }))).toMatchObject({ valid: true })
  })

  it("has a status for those who require a proof", () => {
    const of = (reason: Verdict["reason"]) => statusOf({ ...NOBODY, valid: reason === null, reason, scheme: "hub-id" })
    expect(of(null)).toBe(200)
    expect(CLIENT_REASONS.map(of)).toEqual([503, 503, 503, 401])
    expect(REASONS.filter((reason) => of(reason) === 403)).toEqual(["agent_retired", "agent_suspended", "agent_banned"])
    expect(REASONS.filter((reason) => of(reason) === 401)).toHaveLength(11)
  })
})

describe("the order of the reasons", () => {
  const faults = fc.record({
    headers: fc.constantFrom("all", "all", "all", "some", "none"),
    announced: fc.boolean(),
    id: fc.constantFrom("own", "own", "own", "malformed", "unknown"),
    agent: fc.constantFrom("active", "suspended", "banned", "retired", "rotated"),
    timestamp: fc.constantFrom("now", "now", "invalid", "expired"),
    nonce: fc.constantFrom("good", "good", "bad"),
    signer: fc.constantFrom("current", "current", "old", "stranger"),
    replay: fc.boolean()
  })
  type Faults = typeof faults extends fc.Arbitrary<infer A> ? A : never

  /** The table of the specification, line by line. */
  const expected = (one: Faults): Verdict["reason"] => {
    if (one.headers === "none") return one.announced ? "announced_only" : "headers_missing"
    if (one.headers === "some") return "headers_incomplete"
    if (one.id === "malformed") return "id_malformed"
    if (one.id === "unknown") return "id_unknown"
    if (one.agent === "retired") return "agent_retired"
    if (one.timestamp === "invalid") return "timestamp_invalid"
    if (one.timestamp === "expired") return "timestamp_expired"
    if (one.nonce === "bad") return "nonce_invalid"
    if (one.signer === "stranger" || (one.signer === "old" && one.agent !== "rotated")) return "bad_signature"
    if (one.signer === "old") return "key_retired"
    if (one.agent === "suspended") return "agent_suspended"
    if (one.agent === "banned") return "agent_banned"
    return one.replay ? "replayed" : null
  }

  it("is the table's, however many faults a request has", async () => {
    const stranger = newKey()
    let serial = 0
    await fc.assert(
      fc.asyncProperty(faults, async (one) => {
        const agent = { active, suspended, banned, retired, rotated }[one.agent]
        const key =
          one.signer === "current" ? agent.key : one.signer === "old" ? (rotated.keys[0]?.pair ?? stranger) : stranger
        const timestamp =
          one.timestamp === "invalid" ? "soon" : String(hub.clock.seconds - (one.timestamp === "expired" ? 1000 : 0))
        const nonce = one.nonce === "bad" ? "bad" : `in-order-${serial++}`
        const { headers, ...request } = agent.request({ key, timestamp, nonce })
        if (one.id === "malformed") headers["Hub-Id"] = "HX-1"
        if (one.id === "unknown") headers["Hub-Id"] = "HX-000000"
        if (one.headers === "some") delete headers["Hub-Timestamp"]
        const sent = one.headers === "none" ? {} : headers
        const announcing = one.announced ? { "User-Agent": `HubAgent/1 (${agent.id}; +https://hub.example)` } : {}
        const check = () => verifier.check({ ...request, headers: { ...sent, ...announcing } })
        const first = await check()
        const verdict = one.replay ? await check() : first
        expect(verdict.reason).toBe(expected(one))
        expect(verdict.valid).toBe(verdict.reason === null)
      }),
      { numRuns: 300 }
    )
  })
})
