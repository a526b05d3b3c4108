/** `Idempotency-Key` on signed requests that change something (contract 13). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { streams } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { challengeId, register, registrationForm } from "../support/register.ts"
import { logOf, type TestService, testService } from "../support/service.ts"

/** A write's answer waits this long for read models that do not come: time enough to meet it under way. */
const PROJECTED_WAIT_MS = 3000

let service: TestService
let client: AgentClient
let edges: readonly [string, string]

beforeAll(async () => {
  service = await testService({
    ownServers: true,
    edges: 2,
    actors: 2,
    limits: { "service.projected_wait_ms": PROJECTED_WAIT_MS }
  })
  edges = [service.edges[0] ?? "", service.edges[1] ?? ""]
  client = new AgentClient({ edge: () => edges[0] })
  await register(client, { edge: edges[0] })
})
afterAll(() => service?.stop())

const patch = (idempotencyKey: string, description: string, edge = edges[0]): Promise<Answer> =>
  client.call("PATCH", "/api/v1/me", { body: { description }, idempotencyKey, edge })

const isReplay = (answer: Answer): boolean => answer.headers["idempotent-replayed"] === "true"

async function timesInLog(description: string): Promise<number> {
  const commits = await logOf(service.view, "agent", client.hubId)
  return commits.filter(({ commit }) =>
    commit.events.some((event) => "description" in event && event.description === description)
  ).length
}

describe("the same request again", () => {
  test("gets the first answer, on every edge, and is done once", async () => {
    const first = await patch("again", "written once")
    expect([outcome(first), isReplay(first)]).toEqual(["200", false])
    await patch("in between", "something else")
    for (const edge of edges) {
      const again = await patch("again", "written once", edge)
      expect([outcome(again), isReplay(again), again.text]).toEqual(["200", true, first.text])
    }
    expect(await timesInLog("written once")).toBe(1)
    expect(dataOf<{ description: string }>(await client.call("GET", "/api/v1/me")).description).toBe("something else")
  })

  test("whose answer is large gets it made anew: what is kept of it is small, and it is done once", async () => {
    const large = { body: { description: "large", transparency: "x".repeat(90_000) }, idempotencyKey: "large" }
    const first = await client.call("PATCH", "/api/v1/me", large)
    expect([outcome(first), isReplay(first)]).toEqual(["200", false])
    const before = (await service.view.manager.streams.info(streams.newcomersIdempotency)).state.bytes
    const again = await client.call("PATCH", "/api/v1/me", { ...large, edge: edges[1] })
    expect([outcome(again), isReplay(again), dataOf<{ transparency: string }>(again).transparency]).toEqual([
      "200",
      true,
      large.body.transparency
    ])
    expect(outcome(await client.call("PATCH", "/api/v1/me", { ...large, body: { description: "another" } }))).toBe(
      "422 idempotency_conflict"
    )
    expect(await timesInLog("large")).toBe(1)
    expect(before).toBeLessThan(90_000)
    await client.call("PATCH", "/api/v1/me", { body: { transparency: "" } })
  })

  test("gets the first refusal too", async () => {
    const wrong = { body: { name: "" }, idempotencyKey: "refused" }
    const first = await client.call("PATCH", "/api/v1/me", wrong)
    const again = await client.call("PATCH", "/api/v1/me", wrong)
    expect([outcome(first), isReplay(first)]).toEqual(["422 validation_error", false])
    expect([outcome(again), isReplay(again), again.text]).toEqual(["422 validation_error", true, first.text])
  })

  test("needs a fresh signature: its nonce is not free by the key", async () => {
    await patch("nonce", "with a nonce")
    const { last } = client
    if (last === undefined) throw new Error("nothing was sent")
    expect(outcome(await send(last))).toBe("401 auth_nonce_reused")
  })

  test("with another body is a conflict; under another path or by another agent it is another request", async () => {
    await patch("mine", "first body")
    expect(outcome(await patch("mine", "second body", edges[1]))).toBe("422 idempotency_conflict")
    expect(await timesInLog("second body")).toBe(0)
    const other = await client.call("DELETE", "/api/v1/me", { body: { confirm: "not me" }, idempotencyKey: "mine" })
    expect([outcome(other), isReplay(other)]).toEqual(["422 confirmation_required", false])
    const stranger = new AgentClient({ edge: () => edges[1] })
    await register(stranger, { edge: edges[1] })
    const theirs = await stranger.call("PATCH", "/api/v1/me", {
      body: { description: "theirs" },
      idempotencyKey: "mine"
    })
    expect([outcome(theirs), isReplay(theirs)]).toEqual(["200", false])
  })

  test("while the first is under way is told so, with the time to come back", async () => {
    await service.system.postgres.kill()
    try {
      const first = patch("slow", "slowly")
      await waitFor(async () => (await timesInLog("slowly")) === 1, { describe: "the first one's commit" })
      const again = await patch("slow", "slowly", edges[1])
      expect([outcome(again), Number(again.headers["retry-after"])]).toEqual(["409 idempotency_in_flight", 1])
      expect(outcome(await patch("slow", "another", edges[1]))).toBe("422 idempotency_conflict")
      expect(outcome(await first)).toBe("200")
    } finally {
      await service.system.postgres.restart()
    }
    expect(isReplay(await patch("slow", "slowly", edges[1]))).toBe(true)
    expect(await timesInLog("slowly")).toBe(1)
  })

  test("many at once are done once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => patch("crowd", "crowded", edges[index % 2]))
    )
    expect(answers.map(outcome).filter((one) => one !== "200" && one !== "409 idempotency_in_flight")).toEqual([])
    expect(answers.filter((answer) => answer.status === 200 && !isReplay(answer))).toHaveLength(1)
    expect(await timesInLog("crowded")).toBe(1)
  })
})

test("the third step of registration may be repeated with its secret, and makes one agent", async () => {
  const applicant = new AgentClient({ edge: () => edges[0] })
  const form = registrationForm(await challengeId(applicant, edges[0]))
  const answers = [edges[0], edges[1], edges[0]].map(
    (edge) => () => applicant.call("POST", "/api/v1/register", { body: form, idempotencyKey: "step three", edge })
  )
  const first = await answers[0]?.()
  const second = await answers[1]?.()
  expect(first?.status).toBe(201)
  expect(dataOf<{ webhook_secret: string }>(second as Answer)).toMatchObject({
    webhook_secret: dataOf<{ webhook_secret: string }>(first as Answer).webhook_secret
  })
  expect(await logOf(service.view, "agent", applicant.hubId)).toHaveLength(1)
})

test.each([
  ["empty", ""],
  ["256 characters", "k".repeat(256)],
  ["a control character", "a\tb"]
])("a key that is %s is refused", async (_what, key) => {
  const answer = await client.call("PATCH", "/api/v1/me", {
    body: { description: "never" },
    headers: { "idempotency-key": key }
  })
  expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", "Idempotency-Key"])
  expect(await timesInLog("never")).toBe(0)
})

test("a key of 255 characters is taken; on a read it means nothing", async () => {
  expect(outcome(await patch("k".repeat(255), "long key"))).toBe("200")
  const reads = await Promise.all([1, 2].map(() => client.call("GET", "/api/v1/me", { idempotencyKey: "read" })))
  expect(reads.map((answer) => [outcome(answer), isReplay(answer)])).toEqual([
    ["200", false],
    ["200", false]
  ])
})
