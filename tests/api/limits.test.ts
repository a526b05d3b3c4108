/** Rate limits (spec 8; contract 11 and 13): small ones here, shared by all edges. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { detailsOf, outcome } from "../support/outcome.ts"
import { askChallenge, register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"

const WINDOW_SECONDS = 60
const HOUR_SECONDS = 3600
const LIMITS = { agent: 12, write: 4, key: 30, anon: 5, register: 4, captcha_key: 2, ip: 60 }

let service: TestService
let addresses = 0

beforeAll(async () => {
  service = await testService({
    processes: true,
    edges: 2,
    // One node: a bucket of less than a quarter of an hour lives in memory, and begins anew when its shard moves.
    actors: 1,
    env: { HUB_TRUST_PROXY: "1" },
    limits: Object.fromEntries(
      Object.entries(LIMITS).map(([bucket, requests]) => [`rate_limits.${bucket}.requests`, requests])
    )
  })
})
afterAll(() => service?.stop())

/** Nobody else comes from there. */
const freshAddress = (): Readonly<Record<string, string>> => {
  addresses += 1
  return { "x-forwarded-for": `192.0.2.${addresses}` }
}

const edgeOf = (turn: number): string => service.edges[turn % service.edges.length] ?? ""

async function agent(): Promise<AgentClient> {
  const client = new AgentClient({ edge: () => edgeOf(0) })
  await register(client, { edge: edgeOf(0), headers: freshAddress() })
  return client
}

/** One after the other, in turn over the edges, each from an address of its own unless one is given. */
async function inTurn(
  times: number,
  ask: (edge: string, headers: Readonly<Record<string, string>>) => Promise<Answer>,
  from?: Readonly<Record<string, string>>
): Promise<ReadonlyArray<Answer>> {
  const answers: Array<Answer> = []
  for (let turn = 0; turn < times; turn++) answers.push(await ask(edgeOf(turn), from ?? freshAddress()))
  return answers
}

const passed = (answers: ReadonlyArray<Answer>): number => answers.filter((answer) => answer.status !== 429).length

function expectRefusal(answer: Answer | undefined, bucket: keyof typeof LIMITS, windowSeconds: number): void {
  if (answer === undefined) throw new Error("there is no answer to look at")
  expect(outcome(answer)).toBe("429 rate_limited")
  const retryAfter = Number(answer.headers["retry-after"])
  expect(detailsOf(answer)).toEqual({
    bucket,
    limit: LIMITS[bucket],
    window_seconds: windowSeconds,
    retry_after: retryAfter
  })
  expect(retryAfter).toBeGreaterThan(0)
  expect(retryAfter).toBeLessThanOrEqual(windowSeconds)
  expect({
    resource: answer.headers["x-ratelimit-resource"],
    limit: answer.headers["x-ratelimit-limit"],
    remaining: answer.headers["x-ratelimit-remaining"],
    reset: Number(answer.headers["x-ratelimit-reset"])
  }).toEqual({
    resource: bucket,
    limit: String(LIMITS[bucket]),
    remaining: "0",
    reset: Number(answer.headers["x-hub-server-time"]) + retryAfter
  })
}

describe("an agent's own buckets are exact over all edges", () => {
  test("agent: the headers count down, then it is refused, reads and writes alike", async () => {
    const client = await agent()
    const answers = await inTurn(LIMITS.agent + 2, (edge, headers) =>
      client.call("GET", "/api/v1/me", { edge, headers })
    )
    expect(passed(answers)).toBe(LIMITS.agent)
    expect(answers.slice(0, LIMITS.agent).map((answer) => Number(answer.headers["x-ratelimit-remaining"]))).toEqual(
      Array.from({ length: LIMITS.agent }, (_, index) => LIMITS.agent - 1 - index)
    )
    expect(new Set(answers.map((answer) => answer.headers["x-ratelimit-limit"]))).toEqual(
      new Set([String(LIMITS.agent)])
    )
    expect(new Set(answers.map((answer) => answer.headers["x-ratelimit-resource"]))).toEqual(new Set(["agent"]))
    const reset = Number(answers.at(-1)?.headers["x-ratelimit-reset"])
    expect(reset - Date.now() / 1000).toBeGreaterThan(0)
    expect(reset - Date.now() / 1000).toBeLessThanOrEqual(WINDOW_SECONDS + 1)
    expectRefusal(answers.at(-1), "agent", WINDOW_SECONDS)
    expectRefusal(
      await client.call("PATCH", "/api/v1/me", { body: { name: "x" }, headers: freshAddress() }),
      "agent",
      WINDOW_SECONDS
    )
  })

  test("write: refused writes change nothing, and reads go on", async () => {
    const client = await agent()
    const answers = await inTurn(LIMITS.write + 2, (edge, headers) =>
      client.call("PATCH", "/api/v1/me", { edge, headers, body: { description: `from ${edge}` } })
    )
    expect(passed(answers)).toBe(LIMITS.write)
    expectRefusal(answers.at(-1), "write", WINDOW_SECONDS)
    expect(outcome(await client.call("GET", "/api/v1/me", { headers: freshAddress() }))).toBe("200")
  })

  test("write: marks of reading draw on `agent` alone", async () => {
    const client = await agent()
    const answers = await inTurn(LIMITS.write + 2, (edge, headers) =>
      client.call("POST", "/api/v1/me/notifications/read", { edge, headers, body: {} })
    )
    expect(answers.map(outcome)).toEqual(answers.map(() => "200"))
  })

  test("another agent has buckets of its own", async () => {
    const [one, other] = [await agent(), await agent()]
    await inTurn(LIMITS.agent, (edge, headers) => one.call("GET", "/api/v1/me", { edge, headers }))
    expect(outcome(await one.call("GET", "/api/v1/me", { headers: freshAddress() }))).toBe("429 rate_limited")
    expect(outcome(await other.call("GET", "/api/v1/me", { headers: freshAddress() }))).toBe("200")
  })
})

/** Drawn slice by slice where the limit is large: each edge beyond the first may exceed it by one slice (a tenth). */
function expectAbout(bucket: keyof typeof LIMITS, answers: ReadonlyArray<Answer>): void {
  const slice = LIMITS[bucket] <= 10 ? 0 : Math.floor(LIMITS[bucket] / 10)
  expect(passed(answers)).toBeGreaterThanOrEqual(LIMITS[bucket] - slice)
  expect(passed(answers)).toBeLessThanOrEqual(LIMITS[bucket] + slice)
}

describe("buckets that edges draw from are shared by them", () => {
  test("anon: unsigned calls from one address; a signed one from there goes on", async () => {
    const client = await agent()
    const from = freshAddress()
    const answers = await inTurn(
      LIMITS.anon + 3,
      (edge, headers) => send({ edge, method: "GET", path: "/api/v1/time", headers }),
      from
    )
    expectAbout("anon", answers)
    expectRefusal(answers.at(-1), "anon", WINDOW_SECONDS)
    expect(outcome(await client.call("GET", "/api/v1/me", { headers: from }))).toBe("200")
  })

  test("ip: everything from one address", async () => {
    const from = freshAddress()
    const answers = await inTurn(
      LIMITS.ip + 12,
      (edge, headers) => send({ edge, method: "OPTIONS", path: "/api/v1/me", headers }),
      from
    )
    expectAbout("ip", answers)
    expectRefusal(answers.at(-1), "ip", WINDOW_SECONDS)
  })

  test("key: what does not verify counts for its address and that key, on every edge, and locks nobody else out", async () => {
    const client = await agent()
    const from = freshAddress()
    const forged = { "x-hub-signature": Buffer.alloc(64).toString("base64") }
    const garbage = (edge: string, headers: object) =>
      client.call("GET", "/api/v1/me", { edge, headers: { ...headers, ...forged } })
    const answers = await inTurn(LIMITS.key + 6, garbage, from)
    expect(answers.filter((answer) => answer.status === 401).length).toBeGreaterThanOrEqual(
      LIMITS.key - LIMITS.key / 10
    )
    expect(outcome(answers[0] as Answer)).toBe("401 auth_bad_signature")
    expectRefusal(answers.at(-1), "key", WINDOW_SECONDS)
    expect(outcome(await client.call("GET", "/api/v1/me", { headers: freshAddress() }))).toBe("200")
  })

  test("key: what verifies counts for the key, from wherever it comes", async () => {
    const stranger = new AgentClient({ edge: () => edgeOf(0) })
    const answers = await inTurn(LIMITS.key + 6, (edge, headers) =>
      stranger.call("GET", "/api/v1/me", { edge, headers })
    )
    expect(outcome(answers[0] as Answer)).toBe("401 key_unknown")
    expectAbout("key", answers)
    expectRefusal(answers.at(-1), "key", WINDOW_SECONDS)
  })

  test("register: first steps from one address", async () => {
    const from = freshAddress()
    const answers = await inTurn(
      LIMITS.register + 2,
      (edge, headers) => askChallenge(new AgentClient({ edge: () => edge }), edge, headers),
      from
    )
    expect(answers.map((answer) => answer.status)).toEqual([
      ...Array.from({ length: LIMITS.register }, () => 201),
      429,
      429
    ])
    expectRefusal(answers.at(-1), "register", HOUR_SECONDS)
  })

  test("captcha_key: first steps with one key, from anywhere", async () => {
    const client = new AgentClient({ edge: () => edgeOf(0) })
    const answers = await inTurn(LIMITS.captcha_key + 2, (edge, headers) => askChallenge(client, edge, headers))
    expect(answers.map((answer) => answer.status)).toEqual([
      ...Array.from({ length: LIMITS.captcha_key }, () => 201),
      429,
      429
    ])
    expectRefusal(answers.at(-1), "captcha_key", HOUR_SECONDS)
  })
})

test("hourly buckets outlive the actors that keep them", async () => {
  const from = freshAddress()
  const ask = (edge: string) => askChallenge(new AgentClient({ edge: () => edge }), edge, from)
  await inTurn(LIMITS.register, ask)
  for (const actor of service.system.actors) {
    await actor.kill()
    await actor.restart()
  }
  const answer = await ask(edgeOf(0))
  expectRefusal(answer, "register", HOUR_SECONDS)
})
