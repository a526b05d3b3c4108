/**
 * Nothing is sampled by chance here (ratio 0), and a proxy in front is trusted: what it names is followed, anything
 * else leaves no mark. Then processes end, and the collector fails.
 */
import { randomBytes } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { streams } from "../../schemas/subjects.ts"
import { POST_TIMEOUT_MS } from "../../schemas/runtime/trace/exporter.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type CollectedSpan, type Collector, hanging, refusing, startCollector, taking } from "../support/collector.ts"
import type { Answer } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { logOf, type TestService, testService } from "../support/service.ts"

let collector: Collector
let service: TestService
let client: AgentClient
let agent: Registered

beforeAll(async () => {
  collector = await startCollector()
  service = await testService({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: "0",
      OTEL_SERVICE_NAME: "ours",
      HUB_TRUST_PROXY: "1"
    }
  })
  const edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge })
  agent = await register(client, { edge })
})
afterAll(async () => {
  await service?.stop()
  await collector?.stop()
})
beforeEach(() => collector.behave(taking))
afterEach(() => expect(collector.faults).toEqual([]))

const PARENT = "00f067aa0ba902b7"
const freshTrace = (): string => randomBytes(16).toString("hex")
const rename = async (traceparent?: string): Promise<Answer> => {
  const answer = await client.call("PATCH", "/api/v1/me", {
    body: { description: randomBytes(4).toString("hex") },
    ...(traceparent === undefined ? {} : { headers: { traceparent } })
  })
  expect(outcome(answer)).toBe("200")
  return answer
}
const followed = (trace: string): Promise<ReadonlyArray<CollectedSpan>> =>
  waitFor(() => {
    const spans = collector.spans.filter(({ traceId }) => traceId === trace)
    return spans.some(({ name }) => name === "project agent") && spans.some(({ name }) => name === "PATCH /api/v1/me")
      ? spans
      : null
  })

describe("a trusted proxy", () => {
  test("that samples is followed, from the edge to the read models", async () => {
    const trace = freshTrace()
    await rename(`00-${trace}-${PARENT}-01`)
    const spans = await followed(trace)
    expect(spans.find(({ name }) => name === "PATCH /api/v1/me")).toMatchObject({
      parentSpanId: PARENT,
      service: "ours"
    })
    expect(new Set(spans.map(({ name }) => name))).toEqual(
      new Set(["PATCH /api/v1/me", "ask agent.update", "agent.update", "append", "project agent"])
    )
  })

  test("a query of the read models is followed as well", async () => {
    const trace = freshTrace()
    expect(
      outcome(await client.call("GET", "/api/v1/agents", { headers: { traceparent: `00-${trace}-${PARENT}-01` } }))
    ).toBe("200")
    const names = (): ReadonlyArray<string> =>
      collector.spans
        .filter(({ traceId }) => traceId === trace)
        .map(({ name }) => name)
        .toSorted()
    const wanted = [
      "GET /api/v1/agents",
      "agent.authenticate",
      "answer agents",
      "ask agent.authenticate",
      "query agents"
    ]
    await waitFor(() => names().length >= wanted.length)
    expect(names()).toEqual(wanted)
  })

  test("that does not sample, or says what makes no sense, or nothing, leaves no header on the commit and no span", async () => {
    const trace = freshTrace()
    const asked = collector.spans.length
    const values = [
      undefined,
      `00-${trace}-${PARENT}-00`,
      `00-${trace}-${PARENT}-1`,
      `00-${"0".repeat(32)}-${PARENT}-01`,
      `ff-${trace}-${PARENT}-01`,
      "x"
    ]
    const ids: Array<unknown> = []
    for (const value of values) ids.push((await rename(value)).headers["x-request-id"])
    const marker = freshTrace()
    await rename(`00-${marker}-${PARENT}-01`)
    const spans = await followed(marker)
    expect(collector.spans.slice(asked).filter(({ traceId }) => traceId !== marker)).toEqual([])
    expect(spans.length).toBeGreaterThan(0)
    const entries = (await logOf(service.view, "agent", agent.id)).filter(({ commit }) => ids.includes(commit.trace))
    expect(entries).toHaveLength(values.length)
    for (const { seq } of entries) {
      const message = await service.view.manager.streams.getMessage(streams.events, { seq })
      expect(message?.header.get("Nats-Batch-Id")).not.toBe("")
      expect(message?.header.has("traceparent")).toBe(false)
    }
    const lines = service.system.logs.lines("edge 1").map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.filter(({ id }) => ids.includes(id)).every((line) => !("trace_id" in line))).toBe(true)
  })
})

describe("the end", () => {
  test("of edge and node: what has gathered is sent first", async () => {
    const [edge, actor] = [service.system.edges[0], service.system.actors[0]]
    const trace = freshTrace()
    await rename(`00-${trace}-${PARENT}-01`)
    await Promise.all([edge?.restart(), actor?.restart()])
    const names = collector.spans.filter(({ traceId }) => traceId === trace).map(({ name }) => name)
    expect(new Set(names)).toEqual(
      new Set(["PATCH /api/v1/me", "ask agent.update", "agent.update", "append", "project agent"])
    )
  })
})

/** Milliseconds of a request, of so many. */
const median = async (rounds: number): Promise<number> => {
  const took: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const at = performance.now()
    await rename(`00-${freshTrace()}-${PARENT}-01`)
    took.push(performance.now() - at)
  }
  return took.toSorted((one, other) => one - other)[rounds / 2] ?? Number.NaN
}

describe("a collector in trouble", () => {
  test.each([
    ["hangs", hanging],
    ["answers 500", refusing(500)],
    ["answers 503", refusing(503)]
  ] as const)("that %s leaves requests alone", async (_what, behaviour) => {
    const usual = await median(40)
    collector.behave(behaviour)
    const before = collector.requests()
    // A request that waited for the collector would wait until the collector is given up.
    expect(await median(40)).toBeLessThan(usual + POST_TIMEOUT_MS)
    await waitFor(() => collector.requests() > before)
  })
})
