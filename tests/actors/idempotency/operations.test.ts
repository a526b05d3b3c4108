/**
 * What an actor keeps under an Idempotency-Key, against a real stream. The whole way of such a request:
 * tests/edge/idempotency.test.ts.
 */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { newAgentMemory } from "../../../actors/agent/gate.ts"
import type { CustomOperation, PrepareContext, Result } from "../../../actors/engine/definition.ts"
import { Sealer } from "../../../actors/engine/seal.ts"
import { ANSWER_KEPT_MAX_BYTES, idempotencyOperations } from "../../../actors/idempotency/operations.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"

const AGENT = "hx0123456789abcdef01234567"
const LONG_MS = 60_000

let bus: EngineBus
beforeAll(async () => {
  bus = await startBus()
})
afterAll(() => bus.stop())

const agentOf = () => {
  const operations = idempotencyOperations(bus.nats, LIMITS, new Sealer(randomBytes(32)))
  const memory = newAgentMemory()
  let asked = 0
  const run = (op: keyof typeof operations, input: object, more: Partial<PrepareContext> = {}): Promise<Result> => {
    const operation = operations[op] as unknown as CustomOperation<null, object>
    const commandId = `ask-${asked++}`
    return operation.run(null, input, {
      id: AGENT,
      at: Date.now(),
      seq: 0,
      commandId,
      deadline: Date.now() + LONG_MS,
      memory,
      ...more
    })
  }
  return {
    begin: (key: string, more?: Partial<PrepareContext>, entry: object = {}) =>
      run("idempotency.begin", { key, body: "b", signer: "candidate", ...entry }, more),
    finish: (key: string, kept: object) => run("idempotency.finish", { key, body: "b", signer: "candidate", ...kept })
  }
}

describe("a request under an Idempotency-Key", () => {
  test("keeps of a large record that it was given, not what it was", async () => {
    const { begin, finish } = agentOf()
    const answer = "x".repeat(ANSWER_KEPT_MAX_BYTES + 1)
    for (const [key, status] of [
      ["record", 200],
      ["created", 201]
    ] as const) {
      await begin(key, { commandId: key })
      await finish(key, { status, answer })
    }
    expect(await begin("record")).toEqual({ data: { state: "new", again: true } })
    expect(await begin("created")).toEqual({ data: { state: "done", status: 201, answer } })
  })

  test("is under way from its beginning to its end, and the same request tried again has begun but once", async () => {
    const { begin, finish } = agentOf()
    expect(await begin("one", { commandId: "first" })).toEqual({ data: { state: "new" } })
    expect(await begin("one", { commandId: "first" })).toEqual({ data: { state: "new" } })
    expect(await begin("one")).toEqual({ data: { state: "in_flight" } })
    await finish("one", { status: 201, answer: "{}" })
    expect(await begin("one")).toEqual({ data: { state: "done", status: 201, answer: "{}" } })
  })

  test("of a key that no agent has is kept for a registration alone", async () => {
    const { begin, finish } = agentOf()
    await begin("stranger", {}, { signer: "recovery" })
    await finish("stranger", { status: 422, answer: "{}", signer: "recovery" })
    expect(await begin("stranger", {}, { signer: "recovery" })).toEqual({ data: { state: "new" } })
  })
})
