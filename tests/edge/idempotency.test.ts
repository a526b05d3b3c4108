import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openWorld, type World } from "./edge.ts"
import { newIdentity } from "./signer.ts"
import type { Answering } from "./wire-node.ts"

interface Kept {
  readonly body: string
  status: number
  answer: string
}

let world: World
const kept = new Map<string, Kept>()
const begin: Answering = (ask) => {
  const { key, body } = ask.input as { key: string; body: string }
  const first = kept.get(`${ask.actor} ${key}`)
  if (first === undefined) {
    kept.set(`${ask.actor} ${key}`, { body, status: -1, answer: "" })
    return { data: { state: "new" } }
  }
  if (first.body !== body) return { data: { state: "conflict" } }
  return {
    data: first.status === -1 ? { state: "in_flight" } : { state: "done", status: first.status, answer: first.answer }
  }
}

beforeAll(async () => {
  world = await openWorld()
  world.node.on("idempotency.begin", begin)
  world.node.on("idempotency.finish", (ask) => {
    const { key, body, status, answer } = ask.input as { key: string } & Kept
    if (status === 0) kept.delete(`${ask.actor} ${key}`)
    else kept.set(`${ask.actor} ${key}`, { body, status, answer })
    return { data: null }
  })
})
afterAll(() => world.stop())
beforeEach(() => {
  world.node.forget()
  kept.clear()
})

const patch = (key: string, body = '{"name":"x"}', agent = world.agent, signal?: AbortSignal) =>
  world.edge.call("/api/v1/me", {
    method: "PATCH",
    body,
    signed: agent,
    headers: { "idempotency-key": key },
    ...(signal === undefined ? {} : { signal })
  })

describe("an Idempotency-Key", () => {
  it("runs the first request and replays its answer to the next, signed afresh", async () => {
    const first = await patch("k-1")
    const again = await patch("k-1")
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null])
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"])
    expect(again.text).toBe(first.text)
    expect(world.node.asked("agent.update")).toHaveLength(1)
  })

  it("has its nonce judged and its buckets drawn by the first ask alone", async () => {
    await patch("k-1")
    const asks = world.node.asks.filter((ask) => ask.kind === "agent")
    expect(asks.map((ask) => [ask.op, ask.by?.settled ?? false, ask.draw])).toEqual([
      ["idempotency.begin", false, ["write"]],
      ["agent.update", true, undefined],
      ["idempotency.finish", true, undefined]
    ])
  })

  it("gives the operation a command id of its own, the same for a repetition", async () => {
    await patch("k-1")
    kept.clear()
    await patch("k-1")
    await patch("k-2")
    await patch("k-1", undefined, newIdentity())
    const [first, again, other, stranger] = world.node.asked("agent.update").map((ask) => ask.command)
    expect(first).toBeDefined()
    expect(again).toBe(first)
    expect(new Set([first, other, stranger]).size).toBe(3)
  })

  it("with another body is a conflict", async () => {
    await patch("k-1")
    const other = await patch("k-1", '{"name":"y"}')
    expect([other.status, other.json.error.code]).toEqual([422, "idempotency_conflict"])
  })

  it("under which an answer was given that is too large to go along has its body and status kept", async () => {
    const far = "x".repeat(600_000)
    world.node.on("agent.update", () => ({ data: { description: far } }))
    const finished = () => world.node.asked("idempotency.finish").map(({ input }) => input)
    // As a node of an older release begins: it would keep what does not come along as an empty answer.
    expect((await patch("k-1")).json.data["description"]).toBe(far)
    expect(finished()).toMatchObject([{ status: 0, answer: "" }])
    world.node.forget()
    world.node.on("idempotency.begin", () => ({ data: { state: "new", begun: "first" } }))
    expect((await patch("k-2")).status).toBe(200)
    expect(finished()).toMatchObject([{ status: 200, answer: "", remade: true, begun: "first" }])
    world.node.forget()
    world.node.on("agent.update", () => ({
      head: { refused: { code: "validation_error", message: "x", details: { far } } }
    }))
    expect((await patch("k-3")).status).toBe(422)
    expect(finished()).toMatchObject([{ status: 0, answer: "" }])
    world.node.on("idempotency.begin", begin)
    world.node.on("agent.update", (ask) => ({ data: { id: ask.actor } }))
  })

  it.each([
    ["vault_not_active", 409],
    ["not_found", 404],
    ["unavailable", 503]
  ] as const)(
    "whose first answer the present state does not allow, %s, replays nothing and keeps it",
    async (code, status) => {
      world.node.on("idempotency.begin", () => ({ data: { state: "new", begun: "second", again: true } }))
      world.node.on("agent.update", () => ({ head: { refused: { code, message: "no" } } }))
      const refused = await patch("k-1")
      expect([refused.status, refused.headers.get("idempotent-replayed")]).toEqual([status, null])
      expect(world.node.asked("idempotency.finish").map(({ input }) => input)).toMatchObject([
        { status: 0, answer: "", begun: "second" }
      ])
      world.node.on("agent.update", (ask) => ({ data: { id: ask.actor } }))
      const made = await patch("k-1")
      expect([made.status, made.headers.get("idempotent-replayed")]).toEqual([200, "true"])
      world.node.on("idempotency.begin", begin)
    }
  )

  it("is free again as soon as its client is gone", async () => {
    const held = Promise.withResolvers<void>()
    world.node.on("agent.update", async (ask) => {
      await held.promise
      return { data: { id: ask.actor } }
    })
    const leaving = new AbortController()
    const first = patch("k-1", undefined, undefined, leaving.signal)
    await expect.poll(() => world.node.asked("agent.update").length).toBe(1)
    leaving.abort()
    await expect(first).rejects.toThrow()
    await expect
      .poll(() => world.node.asked("idempotency.finish").map(({ input }) => (input as Kept).status))
      .toEqual([0])
    const second = patch("k-1")
    await expect.poll(() => world.node.asked("agent.update").length).toBe(2)
    held.resolve()
    expect((await second).status).toBe(200)
    const [one, other] = world.node.asked("agent.update").map(({ command }) => command)
    expect(other).toBe(one)
    world.node.on("agent.update", (ask) => ({ data: { id: ask.actor } }))
  })

  it("is freed though its client left before it was known to have begun", async () => {
    const held = Promise.withResolvers<void>()
    world.node.on("idempotency.begin", async () => {
      await held.promise
      return { data: { state: "new", begun: "held" } }
    })
    const leaving = new AbortController()
    const first = patch("k-1", undefined, undefined, leaving.signal)
    await expect.poll(() => world.node.asked("idempotency.begin").length).toBe(1)
    leaving.abort()
    await expect(first).rejects.toThrow()
    // The edge hears of closed connections in their order: with these answered, it knows of the one before.
    for (const key of ["other", "another"]) {
      world.node.on("idempotency.begin", begin)
      await patch(key)
    }
    world.node.forget()
    held.resolve()
    await expect
      .poll(() => world.node.asked("idempotency.finish").map(({ input }) => input as Kept))
      .toMatchObject([{ status: 0, begun: "held", abandoned: true }])
    expect(world.node.asked("agent.update")).toEqual([])
    world.node.on("idempotency.begin", begin)
  })

  it("whose first request is under way is refused for a moment", async () => {
    const held = Promise.withResolvers<void>()
    world.node.on("agent.update", async (ask) => {
      await held.promise
      return { data: { id: ask.actor } }
    })
    const first = patch("k-1")
    await expect.poll(() => world.node.asked("agent.update").length).toBe(1)
    const second = await patch("k-1")
    expect([second.status, second.json.error.code, second.headers.get("retry-after")]).toEqual([
      409,
      "idempotency_in_flight",
      "1"
    ])
    held.resolve()
    expect((await first).status).toBe(200)
    world.node.on("agent.update", (ask) => ({ data: { id: ask.actor } }))
  })

  it("replays an answer in the form in which it was given", async () => {
    const problem = { accept: "application/problem+json", "idempotency-key": "k-1" }
    const call = { method: "PATCH", body: "{}", signed: world.agent, headers: problem }
    const [first, again] = [await world.edge.call("/api/v1/me", call), await world.edge.call("/api/v1/me", call)]
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"))
    expect(first.headers.get("content-type")).toContain("problem+json")
    expect(again.text).toBe(first.text)
  })

  it("keeps refusals that a retry cannot change", async () => {
    const first = await patch("k-1", '{"name":5}')
    const again = await patch("k-1", '{"name":5}')
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([422, 422, "true"])
  })

  it.each([
    ["rate_limited", 429],
    ["overloaded", 503],
    ["internal_error", 500],
    ["key_retired", 401],
    ["agent_provisional", 403],
    ["agent_suspended", 403],
    ["vault_full", 409]
  ] as const)("is free again after %s", async (code, status) => {
    world.node.on("agent.update", () => ({
      head: { refused: { code, message: "no", ...(status === 401 ? { status } : {}) } }
    }))
    expect((await patch("k-1")).status).toBe(status)
    world.node.on("agent.update", (ask) => ({ data: { id: ask.actor } }))
    expect((await patch("k-1")).status).toBe(200)
  })

  it.each(["", "a".repeat(256)])("of a wrong length is refused by its name", async (key) => {
    const answer = await patch(key)
    expect([answer.status, answer.json.error.details["field"]]).toEqual([422, "Idempotency-Key"])
    expect(world.node.asked("agent.authenticate")).toHaveLength(1)
  })

  it("means nothing on a read", async () => {
    await world.edge.call("/api/v1/me", { signed: world.agent, headers: { "idempotency-key": "k-1" } })
    expect(world.node.asked("idempotency.begin")).toEqual([])
  })

  it("is honoured at registration too, though its answer holds a secret", async () => {
    world.node.on("challenge.register", () => ({ data: { webhook_secret: "whsec_x" } }))
    const form = JSON.stringify({ challenge_id: "c".repeat(32), handle: "abc", name: "A", answers: { q1: "1" } })
    const register = (body: string) =>
      world.edge.call("/api/v1/register", {
        method: "POST",
        body,
        signed: world.agent,
        headers: { "idempotency-key": "k-1" }
      })
    expect((await register(form)).status).toBe(201)
    expect(world.node.asked("idempotency.finish")).toHaveLength(1)
    expect(world.node.asked("idempotency.finish")[0]?.input).toMatchObject({ status: 201 })
    expect(world.node.asked("idempotency.begin")[0]?.by?.settled).not.toBe(true)
    expect(world.node.asked("challenge.register")[0]?.command).toBeDefined()
  })
})
