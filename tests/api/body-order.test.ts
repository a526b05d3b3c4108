/**
 * Nothing is made of a large body before its sender is known and may write. The edge runs in this process, so the test
 * sees every text that is parsed: a body that is refused for its sender is not among them.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { ENDPOINTS } from "../../edge/http/endpoints.ts"
import { LARGE_BODY_BYTES } from "../../edge/http/turns.ts"
import { AgentClient } from "../support/client.ts"
import { outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { freshAddress } from "./cases.ts"

/** Of a body that is searched: a secret in it would be the answer. */
const TOKEN = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`
const MARK = "no other text of this process holds this"
const BROKEN = `{"title": "${MARK}${"x ".repeat(3 * LARGE_BODY_BYTES)}"`
const SECRET = JSON.stringify({ title: "x", body: `${MARK}${"x ".repeat(3 * LARGE_BODY_BYTES)}${TOKEN}` })

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
    limits: { "rate_limits.write.requests": WRITES, "rate_limits.anon.requests": ANONYMOUS }
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
afterEach(() => vi.restoreAllMocks())

const client = (): AgentClient => new AgentClient({ edge: () => service.edges[0] ?? "" })

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
