/**
 * What an account's state means to each endpoint (spec 3.1, 5.4), driven by the operator's command; and the score
 * history it leaves.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { askChallenge, register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

type State = "active" | "suspended" | "banned" | "deleted"

interface Subject {
  readonly client: AgentClient
  readonly agent: Registered
}

let service: TestService
let edge = ""

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
})
afterAll(() => service?.stop())

const anybody = async (path: string): Promise<string> =>
  outcome(await send({ edge: service.edges[1] ?? "", method: "GET", path: `/api/v1${path}` }))

async function subject(state: State): Promise<Subject> {
  const client = new AgentClient({ edge: () => edge })
  const agent = await register(client, { edge })
  if (state === "suspended") await operate(service.system, ["agent", "suspend", agent.handle, "--reason", "a test"])
  if (state === "banned") await operate(service.system, ["agent", "ban", agent.hx_id])
  if (state === "deleted")
    expect(outcome(await client.call("DELETE", "/api/v1/me", { body: { confirm: agent.handle } }))).toBe("200")
  return { client, agent }
}

/** What each endpoint answers to an agent in each state, or to others about it. */
const ANSWERS: ReadonlyArray<
  readonly [string, (subject: Subject) => Promise<string>, Readonly<Record<State, string>>]
> = [
  [
    "GET /me",
    async ({ client }) => outcome(await client.call("GET", "/api/v1/me")),
    { active: "200", suspended: "200", banned: "403 agent_banned", deleted: "403 agent_deleted" }
  ],
  [
    "GET /me/scores",
    async ({ client }) => outcome(await client.call("GET", "/api/v1/me/scores")),
    { active: "200", suspended: "200", banned: "403 agent_banned", deleted: "403 agent_deleted" }
  ],
  [
    "PATCH /me",
    async ({ client }) => outcome(await client.call("PATCH", "/api/v1/me", { body: { description: "x" } })),
    { active: "200", suspended: "403 agent_suspended", banned: "403 agent_banned", deleted: "403 agent_deleted" }
  ],
  [
    "PATCH /me under an Idempotency-Key",
    async ({ client }) =>
      outcome(await client.call("PATCH", "/api/v1/me", { body: { description: "x" }, idempotencyKey: "once" })),
    { active: "200", suspended: "403 agent_suspended", banned: "403 agent_banned", deleted: "403 agent_deleted" }
  ],
  [
    "GET /agents, signed",
    async ({ client }) => outcome(await client.call("GET", "/api/v1/agents")),
    { active: "200", suspended: "200", banned: "403 agent_banned", deleted: "403 agent_deleted" }
  ],
  [
    "GET /agents/{ref} of itself, signed",
    async ({ client, agent }) => outcome(await client.call("GET", `/api/v1/agents/${agent.handle}`)),
    { active: "200", suspended: "200", banned: "403 agent_banned", deleted: "403 agent_deleted" }
  ],
  [
    "GET /health, signed",
    async ({ client }) => outcome(await client.call("GET", "/api/v1/health")),
    { active: "200", suspended: "200", banned: "403 agent_banned", deleted: "403 agent_deleted" }
  ],
  [
    "GET /agents/{handle} by anybody",
    ({ agent }) => anybody(`/agents/${agent.handle}`),
    { active: "200", suspended: "200", banned: "404 not_found", deleted: "404 not_found" }
  ],
  [
    "GET /agents/{hub id} by anybody",
    ({ agent }) => anybody(`/agents/${agent.id}`),
    { active: "200", suspended: "200", banned: "404 not_found", deleted: "404 not_found" }
  ],
  [
    "GET /agents/{ref}/scores by anybody",
    ({ agent }) => anybody(`/agents/${agent.handle}/scores`),
    { active: "200", suspended: "200", banned: "404 not_found", deleted: "404 not_found" }
  ],
  [
    "POST /register/challenge with its key",
    async ({ client }) => outcome(await askChallenge(client, edge)),
    {
      active: "409 key_already_registered",
      suspended: "409 key_already_registered",
      banned: "409 key_retired",
      deleted: "409 key_retired"
    }
  ]
]

describe.each(["active", "suspended", "banned", "deleted"] as const)("an agent that is %s", (state) => {
  let it: Subject

  beforeAll(async () => {
    it = await subject(state)
  })

  test.each(ANSWERS)("%s", async (_what, ask, expected) => {
    expect(await ask(it)).toBe(expected[state])
  })

  test("is listed only while it may be seen", async () => {
    const { json } = await send({
      edge: service.edges[1] ?? "",
      method: "GET",
      path: `/api/v1/agents?q=${it.agent.handle}`
    })
    const shown = (json.data as ReadonlyArray<{ status: string }>).map(({ status }) => status)
    expect(shown).toEqual(state === "active" || state === "suspended" ? [state] : [])
  })

  test("leaves its handle to nobody", async () => {
    const answer = register(new AgentClient({ edge: () => edge }), { edge, handle: it.agent.handle })
    await expect(answer).rejects.toThrow('409 {"ok":false,"error":{"code":"handle_taken"')
  })
})

test("a suspended agent may still delete its account", async () => {
  const { client, agent } = await subject("suspended")
  expect(outcome(await client.call("DELETE", "/api/v1/me", { body: { confirm: agent.handle } }))).toBe("200")
  expect(outcome(await client.call("GET", "/api/v1/me"))).toBe("403 agent_deleted")
})

test("suspension takes trust and keeps an entry for it, reinstatement gives it back (contract 12)", async () => {
  const { client, agent } = await subject("suspended")
  await operate(service.system, ["agent", "reinstate", agent.id])
  expect(outcome(await client.call("PATCH", "/api/v1/me", { body: { description: "back" } }))).toBe("200")
  const entry = { target_type: null, target_id: null, score: "trust", at: expect.stringMatching(/Z$/) }
  const entries = [
    { ...entry, id: 3, delta: 10, value: 10, reason: "reinstated" },
    { ...entry, id: 2, delta: -10, value: 0, reason: "suspended" },
    { ...entry, id: 1, delta: 10, value: 10, reason: "registered" }
  ]
  expect(dataOf(await client.call("GET", "/api/v1/me/scores"))).toEqual({
    trust: 10,
    reputation: 0,
    status: "active",
    entries
  })
  const seen = await send({
    edge: service.edges[1] ?? "",
    method: "GET",
    path: `/api/v1/agents/${agent.handle}/scores`
  })
  expect(dataOf(seen)).toEqual({
    trust: 10,
    reputation: 0,
    status: "active",
    entries: entries.map(({ target_type: _type, target_id: _id, ...rest }) => rest)
  })
  for (const [limit, count] of [
    ["1", 1],
    ["2", 2],
    ["0", 1],
    ["-5", 1],
    ["1000", 3],
    ["abc", 3],
    ["", 3]
  ] as const) {
    const own = dataOf<{ entries: ReadonlyArray<{ id: number }> }>(
      await client.call("GET", `/api/v1/me/scores?limit=${limit}`)
    )
    const others = dataOf<{ entries: ReadonlyArray<{ id: number }> }>(
      await send({ edge, method: "GET", path: `/api/v1/agents/${agent.id}/scores?limit=${limit}` })
    )
    expect([limit, own.entries.length, others.entries.length]).toEqual([limit, count, count])
    expect(own.entries[0]?.id).toBe(3)
  }
})

test("an operator sees more of the deployment's health, and others do not", async () => {
  const { client, agent } = await subject("active")
  const before = dataOf<Record<string, unknown>>(await client.call("GET", "/api/v1/health"))
  expect(Object.keys(before).toSorted()).toEqual(["status", "time", "version"])
  await operate(service.system, ["agent", "grant", agent.handle, "operator"])
  // A node that has been slow for a moment is told of until the next look.
  const after = await waitFor(
    async () => {
      const health = dataOf<Record<string, unknown>>(await client.call("GET", "/api/v1/health"))
      return health["status"] === "ok" ? health : null
    },
    { describe: "a service in good health" }
  )
  expect(after).toMatchObject({
    status: "ok",
    uptime_seconds: expect.any(Number),
    checks: { db: { status: "pass" }, nats: { status: "pass" }, jetstream: { status: "pass" } }
  })
  const none = { vault_key_ok: null, vaults_active: 0, runtime_firewall: null, runtime_egress_ok: null }
  expect(after).toMatchObject({
    ...none,
    checks: {
      webhook_queue: { status: "pass", observed: expect.any(Number) },
      disk: { status: "pass", unit: "bytes free" },
      clock: { status: "pass" },
      jetstream_storage: { status: "pass" }
    }
  })
  expect(after["checks"]).not.toHaveProperty("mail_provider")
  await operate(service.system, ["agent", "revoke", agent.handle, "operator"])
  expect(dataOf<Record<string, unknown>>(await client.call("GET", "/api/v1/health"))["checks"]).toBeUndefined()
})

test.each([
  ["suspend", "suspended", "The agent is suspended."],
  ["reinstate", "active", "The agent is active."],
  ["ban", "banned", "The agent is banned."],
  ["suspend", "deleted", "The agent is deleted."]
] as const)("the operator cannot %s one that is %s", async (action, state, said) => {
  const { agent } = await subject(state)
  await expect(operate(service.system, ["agent", action, agent.id])).rejects.toThrow(said)
})
