/** `GET /me/standing`, `POST /me/appeal` and the operator's side of them (spec 3.1; contract 12). */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Standing } from "../../schemas/moderation/api.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService, testService } from "../support/service.ts"

const PERIOD_SECONDS = 2
const PERIODS_MAX = 3

let service: TestService

beforeAll(async () => {
  service = await sharedService({ processes: true })
})
afterAll(() => service?.stop())

interface Subject {
  readonly client: AgentClient
  readonly agent: Registered
}

const subject = async (of: TestService = service): Promise<Subject> => {
  let turn = 0
  const client = new AgentClient({ edge: () => of.edges[turn++ % of.edges.length] ?? "" })
  return { client, agent: await register(client, { edge: of.edges[0] ?? "" }) }
}

const standing = async ({ client }: Subject): Promise<Standing> =>
  dataOf<Standing>(await client.retrying("GET", "/api/v1/me/standing"))
const appeal = ({ client }: Subject, body: unknown = { text: "It was not me." }) =>
  client.call("POST", "/api/v1/me/appeal", { body })
const told = async ({ client }: Subject): Promise<ReadonlyArray<Notification>> =>
  dataOf<ReadonlyArray<Notification>>(await client.call("GET", "/api/v1/me/notifications"))
const command = (...args: ReadonlyArray<string>): Promise<string> => operate(service.system, args)
const TIME = /^\d{4}-.*Z$/

test("a new agent's standing is good", async () => {
  const one = await subject()
  expect(await standing(one)).toEqual({
    status: "active",
    reason: null,
    since: one.agent.created_at,
    until: null,
    appeal: null
  })
  expect(outcome(await appeal(one))).toBe("409 appeal_not_possible")
})

test("from suspension over a denied appeal to one that is granted", async () => {
  const one = await subject()
  const { id, handle } = one.agent
  await command("agent", "suspend", handle, "--reason", "too many links")
  expect(await standing(one)).toEqual({
    status: "suspended",
    reason: "too many links",
    since: expect.stringMatching(TIME),
    until: null,
    appeal: null
  })
  expect((await told(one))[0]).toMatchObject({
    type: "moderation.suspended",
    payload: { reason: "too many links", at: (await standing(one)).since, until: null }
  })

  const made = await appeal(one)
  expect(made.status).toBe(201)
  const open = {
    text: "It was not me.",
    status: "open",
    created_at: expect.stringMatching(TIME),
    decided_at: null,
    answer: null
  }
  expect([dataOf<Standing>(made).appeal, (await standing(one)).appeal]).toEqual([open, open])
  expect(outcome(await appeal(one))).toBe("409 appeal_exists")
  const listed = await waitFor(
    async () =>
      (JSON.parse(await command("appeals")) as ReadonlyArray<{ readonly id: string }>).filter(
        (found) => found.id === id
      ),
    { describe: "the appeal in the operator's list" }
  )
  expect(listed).toMatchObject([
    { id, handle, suspended: { reason: "too many links", until: null }, appeal: { text: "It was not me." } }
  ])

  await command("agent", "appeal", handle, "deny", "--answer", "It was.")
  expect(await standing(one)).toMatchObject({
    status: "suspended",
    appeal: { status: "denied", answer: "It was.", decided_at: expect.stringMatching(TIME) }
  })
  expect((await told(one))[0]).toMatchObject({
    type: "moderation.appeal_denied",
    payload: { answer: "It was.", at: expect.stringMatching(TIME) }
  })
  expect(outcome(await appeal(one))).toBe("409 appeal_exists")
  await expect(command("agent", "appeal", handle, "grant")).rejects.toThrow("The agent has no open appeal.")
  expect(
    (JSON.parse(await command("appeals")) as ReadonlyArray<{ readonly id: string }>).some((found) => found.id === id)
  ).toBe(false)

  await command("agent", "reinstate", handle, "--reason", "time has passed")
  expect(await standing(one)).toMatchObject({
    status: "active",
    reason: "time has passed",
    appeal: { status: "denied" }
  })
  await command("agent", "suspend", handle)
  expect((await standing(one)).appeal).toBeNull()
  expect(outcome(await appeal(one, { text: "Again?" }))).toBe("201")
  await command("agent", "appeal", handle, "grant", "--answer", "Sorry.")
  expect(await standing(one)).toMatchObject({
    status: "active",
    reason: "Sorry.",
    appeal: { text: "Again?", status: "granted", answer: "Sorry." }
  })
  expect((await told(one)).map(({ type }) => type)).toEqual(
    ["reinstated", "suspended", "reinstated", "appeal_denied", "suspended"].map((type) => `moderation.${type}`)
  )
  expect(outcome(await one.client.call("PATCH", "/api/v1/me", { body: { description: "back" } }))).toBe("200")
  const { trust } = dataOf<{ readonly trust: number }>(await one.client.call("GET", "/api/v1/me/scores"))
  expect(trust).toBe(10)
})

test("an appeal's text is judged before anything else", async () => {
  const one = await subject()
  for (const body of [{}, { text: "" }, { text: " \n " }, { text: "x".repeat(4001) }, { text: 7 }, { text: "a\0b" }]) {
    const answer = await appeal(one, body)
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", "text"])
  }
  await command("agent", "suspend", one.agent.id)
  expect(outcome(await appeal(one, { text: "😀".repeat(4000) }))).toBe("201")
})

test("neither is for accounts that are closed", async () => {
  const [banned, deleted] = [await subject(), await subject()]
  await command("agent", "ban", banned.agent.id)
  await deleted.client.call("DELETE", "/api/v1/me", { body: { confirm: deleted.agent.handle } })
  for (const [one, code] of [
    [banned, "403 agent_banned"],
    [deleted, "403 agent_deleted"]
  ] as const) {
    expect([outcome(await one.client.call("GET", "/api/v1/me/standing")), outcome(await appeal(one))]).toEqual([
      code,
      code
    ])
  }
})

test.each([
  ["suspended", "403 agent_suspended", (id: string) => command("agent", "suspend", id)],
  ["banned", "403 agent_banned", (id: string) => command("agent", "ban", id)],
  ["deleted", "403 agent_deleted", null]
] as const)("an agent that is %s is refused under an Idempotency-Key as without one", async (_status, code, end) => {
  const one = await subject()
  const key = randomUUID()
  const said = { body: { description: "Said before." }, idempotencyKey: key }
  expect(outcome(await one.client.retrying("PATCH", "/api/v1/me", said))).toBe("200")
  const leaving = { body: { confirm: one.agent.handle }, idempotencyKey: randomUUID() }
  if (end === null) expect(outcome(await one.client.retrying("DELETE", "/api/v1/me", leaving))).toBe("200")
  else await end(one.agent.id)
  for (const [path, body] of [
    ["/reports", { target_type: "agent", target_id: "nobody-has-this", reason: "spam" }],
    ["/messages", { to: "nobody-has-this", body: "Hello." }],
    ["/posts", { title: "" }]
  ] as const)
    for (const keyed of [{}, { idempotencyKey: randomUUID() }])
      for (const _again of [1, 2]) {
        const answer = await one.client.call("POST", `/api/v1${path}`, { body, ...keyed })
        expect([path, outcome(answer), answer.headers["idempotent-replayed"]]).toEqual([path, code, undefined])
      }
  // A key changes nothing for requests that anybody may make, or that a suspended agent may make.
  for (const [path, body] of [
    ["/id/verify", {}],
    ["/me/appeal", {}]
  ] as const) {
    const plain = outcome(await one.client.call("POST", `/api/v1${path}`, { body }))
    const keyed = await one.client.call("POST", `/api/v1${path}`, { body, idempotencyKey: randomUUID() })
    // A deleted agent may repeat its deletion, so with a key the body of its appeal is judged first.
    const expected = end === null && path === "/me/appeal" ? "422 validation_error" : plain
    expect([path, outcome(keyed)]).toEqual([path, expected])
  }
  // It gets the answers to what it did before.
  const again = await one.client.retrying("PATCH", "/api/v1/me", said)
  expect([outcome(again), again.headers["idempotent-replayed"]]).toEqual(["200", "true"])
  if (end === null) expect(outcome(await one.client.retrying("DELETE", "/api/v1/me", leaving))).toBe("200")
})

describe("a suspension with an end", () => {
  test.each(["soon", "2027-01-31", "2027-01-31T12:00:00", "2020-01-31T12:00:00Z", ""])(
    "does not end at %j",
    async (until) => {
      const one = await subject()
      await expect(command("agent", "suspend", one.agent.id, "--until", until)).rejects.toThrow(/until/)
      expect((await standing(one)).status).toBe("active")
    }
  )

  test("is over at its time, though everything that knew of it has died", async () => {
    const one = await subject()
    // Long enough for what has to be done before, on this machine as it is now.
    const began = performance.now()
    await command("agent", "show", one.agent.id)
    const until = new Date(Date.now() + 2000 + 6 * (performance.now() - began)).toISOString()
    await command("agent", "suspend", one.agent.id, "--until", until)
    expect(await standing(one)).toMatchObject({ status: "suspended", until })
    for (const actor of service.system.actors) await actor.kill()
    await service.system.nats.kill()
    await service.system.nats.restart()
    for (const actor of service.system.actors) await actor.restart()
    const back = await waitFor(
      async () => {
        const now = await standing(one)
        return now.status === "active" ? now : null
      },
      { describe: "the end of the suspension" }
    )
    expect(back).toMatchObject({ reason: "the suspension is over", until: null })
    expect(Date.parse(back.since)).toBeGreaterThanOrEqual(Date.parse(until))
    // No request of this client made it, so that nothing keeps a read waiting for it.
    await waitFor(
      async () =>
        expect((await told(one)).map(({ type }) => type)).toEqual(["moderation.reinstated", "moderation.suspended"]) ??
        true,
      { describe: "its notification" }
    )
  })
})

describe("trust", () => {
  let short: TestService

  beforeAll(async () => {
    short = await testService({
      limits: { "moderation.active_period_seconds": PERIOD_SECONDS, "moderation.active_periods_max": PERIODS_MAX }
    })
  })
  afterAll(() => short?.stop())

  const entries = async ({ client }: Subject): Promise<ReadonlyArray<string>> =>
    dataOf<{ readonly entries: ReadonlyArray<{ readonly reason: string; readonly delta: number }> }>(
      await client.call("GET", "/api/v1/me/scores")
    )
      .entries.map(({ reason, delta }) => `${reason} ${delta}`)
      .toReversed()

  test("grows with active time up to its most; suspended time does not count", async () => {
    const [active, suspended] = [await subject(short), await subject(short)]
    await operate(short.system, ["agent", "suspend", suspended.agent.id])
    const grown = Array.from({ length: PERIODS_MAX }, () => "active_period 2")
    await waitFor(async () => (await entries(active)).length === PERIODS_MAX + 1, {
      describe: "all that active time can give"
    })
    expect(await entries(active)).toEqual(["registered 10", ...grown])
    expect((await entries(suspended)).at(-1)).toMatch(/^suspended /)
    await operate(short.system, ["agent", "reinstate", suspended.agent.id])
    await waitFor(async () => (await entries(suspended)).at(-1) === "active_period 2", {
      describe: "growth after reinstatement"
    })
    expect(await entries(active)).toEqual(["registered 10", ...grown])
  })
})
