/** `POST /id/verify`: each reason in its order, what a verdict says, what it uses up (spec 4.7). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Verdict } from "../../../schemas/identity/records.ts"
import { operate } from "../../support/hub.ts"
import { newIdentity } from "../../support/identity.ts"
import { dataOf, fieldOf, outcome } from "../../support/outcome.ts"
import { NOBODY, unixNow, verdictAt, verifyAt, visit, type Visit } from "../../support/proof.ts"
import { rotate } from "../../support/rotation.ts"
import { service, edge, other, openShared, closeShared, type Subject, subject, hosts } from "./shared.ts"

beforeAll(() => openShared())
afterAll(closeShared)

const proof = ({ client, agent }: Subject, options = {}): Visit => visit(client.identity, agent.hx_id, options)

const spoilt = (one: Visit, headers: Readonly<Record<string, string | undefined>>): Visit => ({
  ...one,
  headers: Object.fromEntries(
    Object.entries({ ...one.headers, ...headers }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  )
})

const announcement = (number: string): string =>
  `Mozilla/5.0 HubAgent/1.0 (${number}; +https://hub.example/id/${number})`

describe("a good proof", () => {
  test("is valid once, on whatever edge it comes in, and names the agent", async () => {
    const it = await subject()
    const one = proof(it)
    const verdict = await verdictAt(edge, one)
    expect(verdict).toEqual({
      valid: true,
      reason: null,
      scheme: "hub-id",
      id: it.agent.hx_id,
      handle: it.agent.handle,
      name: it.agent.name,
      trust: 10,
      reputation: 0,
      status: "active",
      moderation: null,
      profile_url: `${edge}/agents/${it.agent.handle}`,
      id_url: `${edge}/id/${it.agent.hx_id}`
    } satisfies Verdict)
    for (const again of [edge, other])
      expect(await verdictAt(again, one)).toMatchObject({ valid: false, reason: "replayed", id: it.agent.hx_id })
  })

  test("may write its headers in any letter case, its base64 in either alphabet, its host as it likes", async () => {
    const it = await subject()
    const lower = proof(it)
    const headers = Object.fromEntries(
      Object.entries(lower.headers).map(([name, value]) => [name.toLowerCase(), value])
    )
    expect(await verdictAt(edge, { ...lower, host: "SHOP.example:443", headers })).toMatchObject({ valid: true })
    const urlSafe = proof(it)
    const signature = (urlSafe.headers["Hub-Signature"] ?? "")
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replace(/=+$/, "")
    expect(await verdictAt(edge, spoilt(urlSafe, { "Hub-Signature": signature }))).toMatchObject({ valid: true })
  })

  test("with a port of its own, a percent-encoded path and 298 seconds of age", async () => {
    const it = await subject()
    const one = proof(it, {
      host: "127.0.0.1:8443",
      path: "/caf%C3%A9?q=%2f&x=//",
      method: "DELETE",
      timestamp: String(unixNow() - 298)
    })
    expect(await verdictAt(edge, one)).toMatchObject({ valid: true })
  })

  test("is used up when it is verified on two edges at once", async () => {
    const it = await subject()
    const one = proof(it)
    const verdicts = await Promise.all(
      Array.from({ length: 12 }, (_, index) => verdictAt(index % 2 === 0 ? edge : other, one))
    )
    expect(verdicts.filter((verdict) => verdict.valid)).toHaveLength(1)
    expect(verdicts.filter((verdict) => verdict.reason === "replayed")).toHaveLength(11)
  })
})

describe("a proof that fails", () => {
  test.each<readonly [string, (it: Subject) => unknown, Partial<Verdict>]>([
    [
      "nothing",
      () => ({ method: "GET", host: "shop.example", path: "/", headers: {} }),
      { reason: "headers_missing", ...NOBODY }
    ],
    [
      "an ordinary browser",
      () => ({ method: "GET", host: "shop.example", path: "/", headers: { "User-Agent": "Mozilla/5.0" } }),
      { reason: "headers_missing", ...NOBODY }
    ],
    [
      "headers that are null",
      () => ({
        method: "GET",
        host: "shop.example",
        path: "/",
        headers: { "Hub-Id": null, "Hub-Timestamp": null, "Hub-Nonce": null, "Hub-Signature": null, "User-Agent": null }
      }),
      { reason: "headers_missing", ...NOBODY }
    ],
    [
      "another kind of HTTP signature",
      () => ({
        method: "GET",
        host: "shop.example",
        path: "/",
        headers: { Signature: "sig=:AAAA:", "Signature-Input": 'sig=("date");tag="other"' }
      }),
      { reason: "headers_missing", ...NOBODY }
    ],
    ["an overlong path", (it) => ({ ...proof(it), path: `/${"x".repeat(60_000)}` }), { reason: "bad_signature" }],
    [
      "an announcement alone",
      (it) => ({
        method: "GET",
        host: "shop.example",
        path: "/",
        headers: { "user-agent": announcement(it.agent.hx_id) }
      }),
      { reason: "announced_only", announced: true }
    ],
    [
      "an announcement of nobody",
      () => ({ method: "GET", host: "shop.example", path: "/", headers: { "user-agent": announcement("HX-987654") } }),
      { reason: "announced_only", announced: true, ...NOBODY }
    ],
    [
      "one header missing",
      (it) => spoilt(proof(it), { "Hub-Nonce": undefined }),
      { reason: "headers_incomplete", ...NOBODY }
    ],
    [
      "one header alone, with an announcement",
      (it) => ({ ...proof(it), headers: { "Hub-Id": it.agent.hx_id, "User-Agent": announcement(it.agent.hx_id) } }),
      { reason: "headers_incomplete", ...NOBODY }
    ],
    [
      "a number in lower case",
      (it) => spoilt(proof(it), { "Hub-Id": it.agent.hx_id.toLowerCase() }),
      { reason: "id_malformed", ...NOBODY }
    ],
    [
      "a number padded too far",
      (it) => spoilt(proof(it), { "Hub-Id": it.agent.hx_id.replace("HX-", "HX-0") }),
      { reason: "id_malformed", ...NOBODY }
    ],
    [
      "a number that nobody has",
      (it) => spoilt(proof(it), { "Hub-Id": "HX-987654" }),
      { reason: "id_unknown", ...NOBODY }
    ],
    ["a time in words", (it) => spoilt(proof(it), { "Hub-Timestamp": "now" }), { reason: "timestamp_invalid" }],
    ["a time of 8 digits", (it) => spoilt(proof(it), { "Hub-Timestamp": "12345678" }), { reason: "timestamp_invalid" }],
    ["a time too long ago", (it) => proof(it, { timestamp: String(unixNow() - 302) }), { reason: "timestamp_expired" }],
    [
      "a time too far ahead",
      (it) => proof(it, { timestamp: String(unixNow() + 305) }),
      { reason: "timestamp_expired" }
    ],
    ["a short nonce", (it) => proof(it, { nonce: "seven77" }), { reason: "nonce_invalid" }],
    ["a nonce of other characters", (it) => proof(it, { nonce: "nonce with spaces" }), { reason: "nonce_invalid" }],
    ["another path", (it) => ({ ...proof(it), path: "/offers?page=3" }), { reason: "bad_signature" }],
    ["another method", (it) => ({ ...proof(it), method: "POST" }), { reason: "bad_signature" }],
    ["another host", (it) => ({ ...proof(it), host: "evil.example" }), { reason: "bad_signature" }],
    ["a host that is none", (it) => ({ ...proof(it), host: "shop.example/x" }), { reason: "bad_signature" }],
    ["no base64", (it) => spoilt(proof(it), { "Hub-Signature": "!!!!" }), { reason: "bad_signature" }],
    [
      "another agent's signature",
      (it) =>
        spoilt(proof(it), { "Hub-Signature": visit(newIdentity(), it.agent.hx_id).headers["Hub-Signature"] ?? "" }),
      { reason: "bad_signature" }
    ],
    [
      "a header that is no text",
      (it) => ({ ...proof(it), headers: { ...proof(it).headers, "Hub-Signature": { a: 1 } } }),
      { reason: "bad_signature" }
    ],
    [
      "a header given twice",
      (it) => ({ ...proof(it), headers: { ...proof(it).headers, "hub-id": it.agent.hx_id } }),
      { reason: "id_malformed", ...NOBODY }
    ]
  ])("%s", async (_name, report, expected) => {
    const it = await subject()
    const answer = await verifyAt(edge, report(it))
    const verdict = dataOf<Verdict>(answer)
    expect(answer.status).toBe(200)
    expect(verdict).toMatchObject({ valid: false, message: expect.any(String), ...expected })
    if (!("handle" in expected))
      expect(verdict).toMatchObject({ id: it.agent.hx_id, handle: it.agent.handle, status: "active" })
  })

  test("does not use up the nonce", async () => {
    const it = await subject()
    const one = proof(it)
    expect(await verdictAt(edge, { ...one, path: "/elsewhere" })).toMatchObject({ reason: "bad_signature" })
    expect(await verdictAt(other, one)).toMatchObject({ valid: true })
  })

  test("of a deleted account is retired before any other check of its headers", async () => {
    const it = await subject()
    await it.client.call("DELETE", "/api/v1/me", { body: { confirm: it.agent.handle } })
    const verdict = await verdictAt(other, spoilt(proof(it), { "Hub-Timestamp": "never", "Hub-Nonce": "x" }))
    expect(verdict).toMatchObject({
      reason: "agent_retired",
      id: it.agent.hx_id,
      status: "retired",
      moderation: null,
      profile_url: null,
      name: "Deleted agent"
    })
    expect(await verdictAt(edge, spoilt(proof(it), { "Hub-Nonce": undefined }))).toMatchObject({
      reason: "headers_incomplete"
    })
  })
})

describe("flagged agents", () => {
  test("a suspended one is genuine but not valid, uses up nothing, and is valid again when reinstated", async () => {
    const it = await subject()
    const one = proof(it)
    await operate(service.system, ["agent", "suspend", it.agent.handle])
    for (const at of [edge, other, edge]) {
      expect(await verdictAt(at, one)).toMatchObject({
        valid: false,
        reason: "agent_suspended",
        signature_ok: true,
        status: "flagged",
        moderation: "suspended",
        profile_url: expect.any(String)
      })
    }
    expect(await verdictAt(edge, { ...one, path: "/x" })).toMatchObject({ reason: "bad_signature" })
    await operate(service.system, ["agent", "reinstate", it.agent.handle])
    expect(await verdictAt(edge, one)).toMatchObject({ valid: true })
    expect(await hosts(it)).toMatchObject([{ host: "shop.example", count: 1 }])
  })

  test("a banned one has no profile", async () => {
    const it = await subject()
    const one = proof(it)
    await operate(service.system, ["agent", "ban", it.agent.handle])
    expect(await verdictAt(edge, one)).toMatchObject({
      valid: false,
      reason: "agent_banned",
      signature_ok: true,
      status: "flagged",
      moderation: "banned",
      profile_url: null
    })
  })
})

test("a key that was replaced proves nothing, the new one everything", async () => {
  const it = await subject()
  const next = newIdentity()
  expect(outcome(await rotate(it.client, it.agent.id, next))).toBe("200")
  expect(await verdictAt(other, proof(it))).toMatchObject({ valid: false, reason: "key_retired", id: it.agent.hx_id })
  expect(await verdictAt(other, visit(next, it.agent.hx_id))).toMatchObject({ valid: true, id: it.agent.hx_id })
})

describe("a malformed report", () => {
  const good = { method: "GET", host: "shop.example", path: "/", headers: {} }
  test.each<readonly [string, unknown, string]>([
    ["no JSON", "{", "body"],
    ["an array", [], "body"],
    ["no host", { ...good, host: undefined }, "host"],
    ["a host that is a number", { ...good, host: 5 }, "host"],
    ["a path that is null", { ...good, path: null }, "path"],
    ["headers as an array", { ...good, headers: [["Hub-Id", "HX-000001"]] }, "headers"],
    ["headers as text", { ...good, headers: "Hub-Id: HX-000001" }, "headers"],
    ["a method that is an object", { ...good, method: {} }, "method"]
  ])("%s is a 422 that names the field", async (_name, report, field) => {
    const answer = await verifyAt(edge, report)
    expect(outcome(answer)).toBe("422 validation_error")
    expect(fieldOf(answer)).toBe(field)
  })
})
