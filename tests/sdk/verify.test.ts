/** What the verifier takes: the vectors, good proofs, every form in which a request comes. */
import { createPrivateKey, sign } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CLIENT_REASONS, createVerifier, REASONS, type Verdict } from "../../edge/sdk/verify.ts"
import { CLIENT_REASONS as CONTRACT_CLIENT_REASONS, VERIFY_REASONS } from "../../schemas/identity/reasons.ts"
import type { Verdict as ContractVerdict } from "../../schemas/identity/records.ts"
import { LIMITS } from "../../schemas/limits.ts"
import announcements from "../vectors/announcements.json" with { type: "json" }
import hosts from "../vectors/hosts.json" with { type: "json" }
import identity from "../vectors/identity-signing.json" with { type: "json" }
import { HOST, type ProofParts, TestHub } from "./verify-hub.ts"
import { hub, active, rotated, verifier, openHub } from "./verify-agents.ts"

beforeAll(openHub)
afterAll(() => hub.stop())

const file = (await import(
  new URL("../../edge/sdk/verify.bundle.js", import.meta.url).href
)) as typeof import("../../edge/sdk/verify.ts")

describe("the file that websites take says what schemas/ says", () => {
  it("the reasons are the contract's, and so is the form of a verdict", () => {
    expect([...REASONS]).toEqual([...VERIFY_REASONS])
    expect([...CLIENT_REASONS]).toEqual([...CONTRACT_CLIENT_REASONS])
    const asContract = (verdict: Verdict & { reason: ContractVerdict["reason"] }): ContractVerdict => verdict
    const asOurs = (verdict: ContractVerdict): Verdict => verdict
    expect([asContract, asOurs]).toHaveLength(2)
  })

  it("the protocol's figures are those of the service", () => {
    expect(file.BOUNDS.windowSeconds).toBe(LIMITS.identity.timestamp_window_seconds)
    expect(file.BOUNDS.nonceMemorySeconds).toBe(LIMITS.identity.nonce_memory_seconds)
    expect(file.BOUNDS.directoryMaxAgeSeconds).toBe(LIMITS.identity.directory_max_age_seconds)
  })

  it.each(hosts.hosts)("host $host", ({ host, line }) => {
    expect(file.normaliseHost(host)).toBe(line)
  })

  it.each(announcements.user_agents)("User-Agent $user_agent", ({ user_agent, number }) => {
    expect(file.announcedNumber(user_agent)).toBe(number)
  })

  it.each(announcements.numbers)("number $text", ({ text, number }) => {
    expect(file.parseNumber(text)).toBe(number)
    if (number !== null) expect(file.formatNumber(number)).toBe(text)
  })

  it.each(identity.requests)("what is signed: $name", (request) => {
    expect(file.identityString(request)).toBe(request.string_to_sign)
  })
})

describe("the vectors of proofs", () => {
  it.each(identity.requests)("$name", async (request) => {
    const vectors = await TestHub.start()
    try {
      const agent = vectors.agent()
      const seed = Buffer.concat([
        Buffer.from("302e020100300506032b657004220420", "hex"),
        Buffer.from(identity.seed, "base64")
      ])
      const privateKey = createPrivateKey({ key: seed, format: "der", type: "pkcs8" })
      agent.keys = [{ pair: { publicKey: identity.public_key, privateKey } }]
      vectors.clock.ms = Number(request.timestamp) * 1000
      expect(sign(null, Buffer.from(request.string_to_sign), privateKey).toString("base64")).toBe(request.signature)
      const { method, path, timestamp, nonce, signature } = request
      const headers = { "hub-id": agent.id, "hub-timestamp": timestamp, "hub-nonce": nonce, "hub-signature": signature }
      expect(await vectors.verifier({ hosts: [request.host] }).check({ method, path, headers })).toMatchObject({
        valid: true,
        id: agent.id
      })
      expect(await vectors.verifier({ hosts: ["other.example"] }).check({ method, path, headers })).toMatchObject({
        reason: "bad_signature"
      })
    } finally {
      await vectors.stop()
    }
  })
})

describe("a good proof", () => {
  it("names the agent as the directory has it", async () => {
    expect(await verifier.check(active.request())).toEqual({
      valid: true,
      reason: null,
      scheme: "hub-id",
      id: active.id,
      handle: active.handle,
      name: null,
      trust: 11,
      reputation: -1,
      status: "active",
      moderation: null,
      profile_url: `${hub.base}/agents/${active.handle}`,
      id_url: `${hub.base}/id/${active.id}`
    } satisfies Verdict)
  })

  it("is valid once", async () => {
    const request = active.request()
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verifier.check(request)))
    expect(verdicts.filter(({ valid }) => valid)).toHaveLength(1)
    expect(verdicts.filter(({ reason }) => reason === "replayed")).toHaveLength(19)
  })

  it("leaves the same nonce to another agent", async () => {
    const nonce = "a-nonce-of-two-agents"
    expect(await verifier.check(active.request({ nonce }))).toMatchObject({ valid: true })
    expect(await verifier.check(rotated.request({ nonce }))).toMatchObject({ valid: true })
    expect(await verifier.check(active.request({ nonce }))).toMatchObject({ reason: "replayed" })
  })

  it("may be signed for any of the configured hosts, and for no other", async () => {
    const several = hub.verifier({ hosts: ["a.example", "B.example:443", "c.example:8443"] })
    for (const host of ["a.example", "b.example", "c.example:8443"])
      expect(await several.check(active.request({ host }))).toMatchObject({ valid: true })
    for (const host of [HOST, "c.example"])
      expect(await several.check(active.request({ host }))).toMatchObject({ reason: "bad_signature" })
  })

  it("takes signatures in either alphabet of base64, padded or not, and in no other form", async () => {
    const formed = async (form: (signature: string) => string) => {
      const request = active.request()
      request.headers["Hub-Signature"] = form(request.headers["Hub-Signature"] ?? "")
      return (await verifier.check(request)).reason
    }
    const urlSafe = (text: string): string => text.replaceAll("+", "-").replaceAll("/", "_")
    for (const form of [
      (text: string) => text,
      urlSafe,
      (text: string) => text.slice(0, 86),
      (text: string) => text.slice(0, 87)
    ])
      expect(await formed(form)).toBeNull()
    // The last character holds two bits of the signature: any other one below it says the same to a lax reader.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    const lax = (text: string): string => `${text.slice(0, 85)}${alphabet[alphabet.indexOf(text[85] ?? "") + 1]}==`
    for (const form of [
      lax,
      (text: string) => ` ${text}`,
      (text: string) => `${text}=`,
      (text: string) => `${text}AAAA`,
      () => "",
      () => "ÿ".repeat(86)
    ]) {
      expect(await formed(form)).toBe("bad_signature")
    }
  })
})

describe("how a request may be given", () => {
  const asPlain = (parts: ProofParts = {}) => active.request(parts)

  it("a Fetch request, with its path and query", async () => {
    const { headers } = asPlain({ path: "/search?q=caf%C3%A9&x=%2f#" })
    expect(
      await verifier.check(new Request("http://ignored.example:8080/search?q=caf%C3%A9&x=%2f#part", { headers }))
    ).toMatchObject({ reason: "bad_signature" })
    const sent = asPlain({ path: "/search?q=caf%C3%A9&x=%2f" })
    expect(
      await verifier.check(
        new Request("http://ignored.example:8080/search?q=caf%C3%A9&x=%2f#part", { headers: sent.headers })
      )
    ).toMatchObject({ valid: true })
    const bare = asPlain({ path: "/" })
    expect(await verifier.check(new Request("http://ignored.example", { headers: bare.headers }))).toMatchObject({
      valid: true
    })
  })

  it("a Fetch request whose address was rewritten, with the target as it was sent", async () => {
    const path = "/a/../b"
    const { headers } = asPlain({ path })
    const request = new Request(`http://shop.example${path}`, { headers })
    expect(await verifier.check(request)).toMatchObject({ reason: "bad_signature" })
    expect(await verifier.check(request, { path })).toMatchObject({ valid: true })
  })

  it("headers in any letter case, in Headers, and as a list of one", async () => {
    const forms = [
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
      (headers: Record<string, string>) => new Headers(headers),
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      (headers: Record<string, string>) =>
        Object.assign(Object.create(null) as Record<string, string>, headers, { get: "a header" })
    ]
    for (const form of forms) {
      const request = asPlain()
      expect(await verifier.check({ ...request, headers: form(request.headers) })).toMatchObject({ valid: true })
    }
  })

  it("a header that comes twice matches nothing", async () => {
    const request = asPlain()
    const { "Hub-Id": id = "", "Hub-Nonce": nonce = "" } = request.headers
    expect(await verifier.check({ ...request, headers: { ...request.headers, "hub-id": id } })).toMatchObject({
      reason: "id_malformed"
    })
    expect(
      await verifier.check({ ...request, headers: { ...request.headers, "Hub-Nonce": [nonce, nonce] } })
    ).toMatchObject({ reason: "nonce_invalid" })
  })

  it("headers of a foreign prototype are none", async () => {
    const { headers } = asPlain()
    expect(
      await verifier.check({ method: "GET", path: "/", headers: Object.create(headers) as Record<string, string> })
    ).toMatchObject({ reason: "headers_missing" })
  })

  it("a mistake of the website's own code is thrown, and names the field", async () => {
    const check = verifier.check as (request: unknown) => Promise<Verdict>
    for (const [request, named] of [
      [null, "Request"],
      ["GET", "Request"],
      [{ path: "/", headers: {} }, "method"],
      [{ method: "GET", path: "/" }, "headers"],
      [{ method: "GET", headers: {} }, "path"]
    ] as const) {
      await expect(check(request)).rejects.toThrow(named)
    }
  })
})

describe("what a website configures", () => {
  const good = { hub: "https://hub.example", hosts: [HOST] }

  it.each<readonly [string, Record<string, unknown>, string]>([
    ["no hub", { hub: "hub.example" }, "hub"],
    ["a hub without https", { hub: "http://hub.example" }, "https"],
    ["a hub of another scheme", { hub: "ftp://127.0.0.1" }, "https"],
    ["a hub with credentials", { hub: "https://u:p@hub.example" }, "credentials"],
    ["a hub with a query", { hub: "https://hub.example?x" }, "query"],
    ["no hosts", { hosts: [] }, "hosts"],
    ["nine hosts", { hosts: Array.from({ length: 9 }, (_, index) => `h${index}.example`) }, "hosts"],
    ["hosts that are none", { hosts: ["shop.example/path"] }, "no host name"],
    ["hosts that are no list", { hosts: "shop.example" }, "hosts"],
    ["an unknown mode", { mode: "offline" }, "mode"],
    ["a bound of zero", { maxNonces: 0 }, "maxNonces"],
    ["a bound without end", { maxDirectoryBytes: Number.POSITIVE_INFINITY }, "maxDirectoryBytes"],
    ["a time in words", { waitMs: "10 s" }, "waitMs"]
  ])("%s is refused at once", (_name, change, named) => {
    expect(() => createVerifier({ ...good, ...change })).toThrow(named)
  })

  it.each([
    "https://hub.example",
    "https://hub.example/prefix/",
    "http://127.0.0.1:8080",
    "http://[::1]:8080",
    "http://localhost"
  ])("%s is a hub", (address) => {
    expect(createVerifier({ ...good, hub: address }).state().agents).toBeNull()
  })

  it("a hub without https only where that is allowed by name", () => {
    expect(createVerifier({ ...good, hub: "http://hub.internal", allowInsecureHub: true }).state().agents).toBeNull()
  })
})
