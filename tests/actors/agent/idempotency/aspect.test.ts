/**
 * What an actor keeps under an Idempotency-Key, against a real stream. The whole way of such a request:
 * tests/edge/idempotency.test.ts.
 */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { newAgentMemory } from "../../../../actors/agent/memory.ts"
import type { AgentState } from "../../../../actors/agent/state.ts"
import type { PrepareContext } from "../../../../actors/engine/definition.ts"
import { operations as made } from "../../../../actors/agent/idempotency/aspect.ts"
import { REMADE_MIN_BYTES } from "../../../../actors/idempotency/first-answers.ts"
import { machineClock } from "../../../../schemas/runtime/clock.ts"
import { type Limits, LIMITS } from "../../../../schemas/limits.ts"
import { waitFor } from "../../../harness/index.ts"
import { customOf, performed } from "../../engine/alone.ts"
import { agent } from "../webhook/agent.ts"
import { type EngineBus, startBus } from "../../engine/bus.ts"

const AGENT = "hx0123456789abcdef01234567"
const LONG_MS = 60_000
const PAST_MS = 500

let bus: EngineBus
beforeAll(async () => {
  bus = await startBus()
})
afterAll(() => bus.stop())

const agentOf = (
  state: AgentState = agent,
  limits: Limits = LIMITS,
  id = AGENT,
  seed: Uint8Array = randomBytes(32)
) => {
  const operations = made({ clock: machineClock, nats: bus.nats, config: { limits }, seed })
  const memory = newAgentMemory()
  let asked = 0
  const run = (
    op: keyof typeof operations,
    input: object,
    more: Partial<PrepareContext> = {}
  ): ReturnType<typeof performed> => {
    const operation = customOf({ operations }, op)
    const commandId = `ask-${asked++}`
    const context = { id, at: Date.now(), seq: 0, commandId, deadline: Date.now() + LONG_MS, memory, ...more }
    return performed(operation.run(state, input, context))
  }
  return {
    begin: (key: string, more?: Partial<PrepareContext>, entry: object = {}) =>
      run("idempotency.begin", { key, body: "b", signer: "candidate", ...entry }, more),
    finish: (key: string, kept: object) => run("idempotency.finish", { key, body: "b", signer: "candidate", ...kept })
  }
}

describe("a request under an Idempotency-Key", () => {
  test("keeps a large record as it was, where it takes little of what the day allows", async () => {
    const { begin, finish } = agentOf()
    const answer = "x".repeat(REMADE_MIN_BYTES + 1)
    for (const status of [200, 201]) {
      await begin(`large-${status}`)
      await finish(`large-${status}`, { status, answer })
      expect(await begin(`large-${status}`)).toEqual({ data: { state: "done", status, answer } })
    }
  })

  test("keeps of one that takes too much of it that it was given; of what was created its short members", async () => {
    const { begin, finish } = agentOf()
    const data = { id: 7, text: "x".repeat(LIMITS.limits.answer_bytes_per_day / 8) }
    const answer = JSON.stringify({ ok: true, data })
    for (const [key, status] of [
      ["record", 200],
      ["created", 201]
    ] as const) {
      await begin(key, { commandId: key })
      await finish(key, { status, answer })
    }
    expect(await begin("record", { commandId: "anew" })).toEqual({ data: { state: "new", begun: "anew", again: true } })
    const kept = JSON.stringify({ ok: true, data: { id: 7 }, meta: { shortened: true } })
    expect(await begin("created")).toEqual({ data: { state: "done", status: 201, answer: kept } })
  })

  test("keeps the body of one whose answer did not come along", async () => {
    const { begin, finish } = agentOf()
    const { data } = (await begin("far", { commandId: "far" })) as { data: { begun: string } }
    await finish("far", { status: 200, answer: "", remade: true, begun: data.begun })
    expect(await begin("far", {}, { body: "c" })).toEqual({ data: { state: "conflict" } })
    expect(await begin("far", { commandId: "anew" })).toEqual({ data: { state: "new", begun: "anew", again: true } })
  })

  test("keeps what an answer is made anew of, where that may stand in no copy", async () => {
    const { begin, finish } = agentOf()
    await begin("secret", { commandId: "secret" })
    await finish("secret", { status: 200, answer: "7", remade: true })
    expect(await begin("secret", {}, { body: "c" })).toEqual({ data: { state: "conflict" } })
    expect(await begin("secret", { commandId: "anew" })).toEqual({
      data: { state: "new", begun: "anew", again: true, remake: "7" }
    })
  })

  test("is under way from its beginning to its end, and the same request tried again has begun but once", async () => {
    const { begin, finish } = agentOf()
    expect(await begin("one", { commandId: "first" })).toEqual({ data: { state: "new", begun: "first" } })
    expect(await begin("one", { commandId: "first" })).toEqual({ data: { state: "new", begun: "first" } })
    expect(await begin("one")).toEqual({ data: { state: "in_flight" } })
    await finish("one", { status: 201, answer: "{}" })
    expect(await begin("one")).toEqual({ data: { state: "done", status: 201, answer: "{}" } })
  })

  test("is answered as it was, whether its agent was established when it was kept, is now, or both", async () => {
    const seed = randomBytes(32)
    const moderation = { ...LIMITS.moderation, established_seconds: 0, established_trust: 0 }
    const established = agentOf(agent, { ...LIMITS, moderation }, AGENT, seed)
    const newcomer = agentOf(
      agent,
      { ...LIMITS, moderation: { ...moderation, established_trust: 1_000_000 } },
      AGENT,
      seed
    )
    for (const [kept, heard] of [
      [established, newcomer],
      [newcomer, established]
    ] as const) {
      const key = kept === newcomer ? "grew" : "fell"
      await kept.begin(key)
      await kept.finish(key, { status: 201, answer: "{}" })
      for (const one of [kept, heard])
        expect(await one.begin(key)).toEqual({ data: { state: "done", status: 201, answer: "{}" } })
    }
  })

  test("of a key that no agent has is kept for a registration that succeeded alone", async () => {
    const { begin, finish } = agentOf(null)
    for (const status of [400, 201]) {
      await begin(`candidate-${status}`)
      await finish(`candidate-${status}`, { status, answer: "{}" })
      const state = status === 201 ? "done" : "new"
      expect(await begin(`candidate-${status}`)).toMatchObject({ data: { state } })
    }
    await begin("stranger", {}, { signer: "recovery" })
    await finish("stranger", { status: 422, answer: "{}", signer: "recovery" })
    expect(await begin("stranger", {}, { signer: "recovery" })).toMatchObject({ data: { state: "new" } })
  })

  test("that was abandoned may begin again as it was, and in another form once it cannot be under way", async () => {
    const { begin, finish } = agentOf()
    const other = { body: "another" }
    const deadline = Date.now() + PAST_MS
    await begin("left", { commandId: "first", deadline })
    await finish("left", { status: 0, answer: "", begun: "first", abandoned: true })
    expect(await begin("left", {}, other)).toEqual({ data: { state: "conflict" } })
    expect(await begin("left", { commandId: "second", deadline })).toMatchObject({ data: { state: "new" } })
    await finish("left", { status: 0, answer: "", begun: "second", abandoned: true })
    await waitFor(() => Date.now() > deadline, { describe: "its deadline" })
    expect(await begin("left", {}, other)).toMatchObject({ data: { state: "new" } })
  })

  test("under way takes the room of a shortened answer, so that all that were begun are kept", async () => {
    const bytes = 10_000
    const few: Limits = { ...LIMITS, limits: { ...LIMITS.limits, answer_bytes_per_day: bytes * 4 } }
    const { begin, finish } = agentOf(agent, few, "hxfew456789abcdef01234567")
    const begun: Array<string> = []
    let last = await begin("room-0")
    while ("data" in last && begun.length < 100) {
      begun.push(`room-${begun.length}`)
      last = await begin(`room-${begun.length}`)
    }
    expect(last).toMatchObject({ refused: { code: "overloaded" } })
    expect(begun.length).toBe(3)
    for (const key of begun) await finish(key, { status: 404, answer: JSON.stringify({ data: "x".repeat(bytes) }) })
    for (const key of begun) expect(await begin(key)).toMatchObject({ data: { state: "done", status: 404 } })
    let asked = 0
    for (last = await begin("more-0"); "data" in last && asked < 100; last = await begin(`more-${++asked}`))
      await finish(`more-${asked}`, { status: 404, answer: "{}" })
    expect(last).toMatchObject({ refused: { code: "rate_limited", details: { limit: bytes } } })
  })

  test("is ended by what began it, not by an earlier one whose end comes late", async () => {
    const { begin, finish } = agentOf()
    await begin("late", { commandId: "first", deadline: Date.now() - 1 })
    await begin("late", { commandId: "second" })
    await finish("late", { status: 0, answer: "", begun: "first" })
    expect(await begin("late")).toEqual({ data: { state: "in_flight" } })
    await finish("late", { status: 200, answer: "{}", body: "another" })
    await finish("late", { status: 0, answer: "", begun: "second" })
    expect(await begin("late")).toMatchObject({ data: { state: "new" } })
  })
})
