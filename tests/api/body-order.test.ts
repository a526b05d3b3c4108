/**
 * Nothing costly is made of a body before its sender is known and may write: a large one is not parsed, and a small one
 * has few seeds tried, few names looked up and no key checked. The edge runs in this process, so the test sees every
 * text that is parsed: a body that is refused for its sender is not among them.
 */
import crypto, { randomBytes } from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import { Point } from "@noble/ed25519"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { ENDPOINTS } from "../../edge/http/endpoints.ts"
import { Bus } from "../../edge/bus/bus.ts"
import { LARGE_BODY_BYTES } from "../../edge/http/turns.ts"
import { SEED_BYTES } from "../../schemas/signing/seed.ts"
import { AgentClient } from "../support/client.ts"
import { identityOf, newIdentity } from "../support/identity.ts"
import { outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { freshAddress } from "./cases.ts"

/** Of a body that is searched: a secret in it would be the answer. */
const TOKEN = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`
const MARK = "no other text of this process holds this"
const BROKEN = `{"title": "${MARK}${"x ".repeat(3 * LARGE_BODY_BYTES)}"`
const SECRET = JSON.stringify({ title: "x", body: `${MARK}${"x ".repeat(3 * LARGE_BODY_BYTES)}${TOKEN}` })

/** As many words as a small body may have that look like a seed. */
const SEEDS = 40
const SEEDS_OF_A_STEP = 8
/** Handles that nobody has. */
const NAMES = 10
/** 32 bytes that are no point of the curve. */
const NO_POINT = Buffer.alloc(32, 0xff).toString("base64")
const WRITES = 2
const ANONYMOUS = 3

const withBody = ENDPOINTS.filter(({ auth, body, method }) => auth === "signed" && body !== null && method !== "GET")
const pathOf = (path: string): string => path.replaceAll(/:\w+/g, "1")

let service: TestService
beforeAll(async () => {
  service = await testService({
    mail: "mail.hub.example",
    keeper: true,
    env: { HUB_TRUST_PROXY: "1", HUB_DNS_SERVERS: "127.0.0.1:9" },
    limits: {
      "rate_limits.write.requests": WRITES,
      "rate_limits.anon.requests": ANONYMOUS,
      "rate_limits.register.requests": 3 * ANONYMOUS
    }
  })
})
afterAll(() => service?.stop())

let parsed = 0
beforeEach(() => {
  parsed = 0
  const { parse } = JSON
  vi.spyOn(JSON, "parse").mockImplementation((text: string, reviver) => {
    if (text.includes(MARK)) parsed++
    return parse(text, reviver)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

const client = (identity = newIdentity()): AgentClient =>
  new AgentClient({ identity, edge: () => service.edges[0] ?? "" })

describe("a large body of a key that is no agent's", () => {
  test.each(
    withBody
      .filter(({ signer }) => signer === "agent" || signer === "retiring")
      .map(({ method, path }) => [method, path])
  )("%s %s is refused for its key", async (method, path) => {
    const answer = await client().call(method, pathOf(path), { body: BROKEN, headers: freshAddress() })
    expect([outcome(answer), parsed]).toEqual(["401 key_unknown", 0])
  })

  test.each(
    withBody
      .filter(({ signer }) => signer === "candidate" || signer === "recovery")
      .map(({ method, path }) => [method, path])
  )("%s %s draws on `anon`, where the key need not be an agent's", async (method, path) => {
    const headers = freshAddress()
    const seen: Array<string> = []
    for (let n = 0; n <= ANONYMOUS; n++)
      seen.push(outcome(await client().call(method, path, { body: BROKEN, headers })))
    expect(seen).toEqual([...Array.from({ length: ANONYMOUS }, () => "422 validation_error"), "429 rate_limited"])
    expect(parsed).toBe(ANONYMOUS)
  })
})

describe("a large body of an agent", () => {
  test("is not searched once the agent may not write", async () => {
    const agent = client()
    await register(agent, { edge: service.edges[0] ?? "", headers: freshAddress() })
    const seen: Array<string> = []
    for (let n = 0; n <= WRITES; n++)
      seen.push(outcome(await agent.call("POST", "/api/v1/posts", { body: SECRET, headers: freshAddress() })))
    expect(seen).toEqual([...Array.from({ length: WRITES }, () => "422 content_secret"), "429 rate_limited"])
    expect(parsed).toBe(WRITES)
  })

  test("is not searched under a signature of another request", async () => {
    const agent = client()
    await register(agent, { edge: service.edges[0] ?? "", headers: freshAddress() })
    const headers = { ...freshAddress(), "x-hub-nonce": "another-nonce-than-signed" }
    const answer = await agent.call("POST", "/api/v1/posts", { body: SECRET, headers })
    expect([outcome(answer), parsed]).toEqual(["401 auth_bad_signature", 0])
  })
})

/** A client and a text with its key's own seed behind `SEEDS` other words: the answer tells whether all were tried. */
const manySeeds = (): { readonly as: AgentClient; readonly text: string } => {
  const seeds = Array.from({ length: SEEDS + 1 }, () => randomBytes(SEED_BYTES))
  const as = client(identityOf(seeds.at(-1) ?? randomBytes(SEED_BYTES)))
  return { as, text: seeds.map((seed) => seed.toString("base64url")).join(" ") }
}

/** The number of seeds whose key was derived since. */
const seedsTried = (): (() => number) => {
  const seen = vi.spyOn(crypto, "createPrivateKey")
  syncBuiltinESMExports()
  return () => seen.mock.calls.length
}

const namesLooked = (): { count: number } => {
  const seen = { count: 0 }
  const { ask } = Bus.prototype
  vi.spyOn(Bus.prototype, "ask").mockImplementation(function (this: Bus, call, request) {
    if (request.op === "handle.resolve") seen.count++
    return ask.call(this, call, request)
  } as typeof ask)
  return seen
}

describe("a small body of a key that is no agent's", () => {
  test("has few seeds tried", async () => {
    const { as, text } = manySeeds()
    const body = { title: "x", body: text }
    expect(JSON.stringify(body).length).toBeLessThan(LARGE_BODY_BYTES)
    const tried = seedsTried()
    const answer = await as.call("POST", "/api/v1/posts", { body, headers: freshAddress() })
    expect(outcome(answer)).toBe("401 key_unknown")
    expect(tried()).toBeLessThanOrEqual(SEEDS_OF_A_STEP)
  })

  test("draws on `anon` for more seeds, where the key need not be an agent's", async () => {
    const headers = freshAddress()
    const seen: Array<string> = []
    for (let n = 0; n <= ANONYMOUS; n++) {
      const { as, text } = manySeeds()
      const body = { challenge_id: "0".repeat(32), answers: {}, handle: "nobody", name: "Nobody", description: text }
      seen.push(outcome(await as.call("POST", "/api/v1/register", { body, headers })))
    }
    expect(seen).toEqual([...Array.from({ length: ANONYMOUS }, () => "422 content_secret"), "429 rate_limited"])
  })

  test("has no names looked up", async () => {
    const looked = namesLooked()
    const names = Array.from({ length: NAMES }, (_, n) => `@nobody-${n}`).join(" ")
    const body = { title: "x", body: names }
    expect(outcome(await client().call("POST", "/api/v1/posts", { body, headers: freshAddress() }))).toBe(
      "401 key_unknown"
    )
    expect(looked.count).toBe(0)
  })

  test.each([
    ["POST", "/api/v1/me/key", { new_public_key: NO_POINT, proof: "x" }],
    ["PUT", "/api/v1/me/recovery", { recovery_public_key: NO_POINT, proof: "x" }]
  ])("%s %s has no key checked", async (method, path, body) => {
    const checked = vi.spyOn(Point, "fromBytes")
    expect(outcome(await client().call(method, path, { body, headers: freshAddress() }))).toBe("401 key_unknown")
    expect(checked).not.toHaveBeenCalled()
  })

  test("has no key checked for a challenge before it draws on `register`", async () => {
    const headers = freshAddress()
    const seen: Array<string> = []
    for (let n = 0; n <= 3 * ANONYMOUS; n++)
      seen.push(
        outcome(await client().call("POST", "/api/v1/register/challenge", { body: { public_key: NO_POINT }, headers }))
      )
    expect(seen.slice(-2)).toEqual(["422 validation_error", "429 rate_limited"])
  })
})

test("a recovery, which has a limit of its own, draws on no other for its new key", async () => {
  const headers = freshAddress()
  for (let n = 0; n <= ANONYMOUS; n++) {
    const body = { agent: "nobody", new_public_key: newIdentity().publicKey, proof: "x" }
    expect(outcome(await client().call("POST", "/api/v1/recover", { body, headers }))).toBe("404 not_found")
  }
})

test("a small body of an agent that may not write has few seeds tried", async () => {
  const { as: agent, text } = manySeeds()
  await register(agent, { edge: service.edges[0] ?? "", headers: freshAddress() })
  const body = { title: "x", body: text }
  const asked = async () => outcome(await agent.call("POST", "/api/v1/posts", { body, headers: freshAddress() }))
  for (let n = 0; n < WRITES; n++) expect(await asked()).toBe("422 content_secret")
  const tried = seedsTried()
  expect(await asked()).toBe("429 rate_limited")
  expect(tried()).toBeLessThanOrEqual(SEEDS_OF_A_STEP)
})
