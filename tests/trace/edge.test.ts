/** What an edge tells of requests that do not go the usual way: tried again, failed, unknown, left by their client. */
import { request } from "node:http"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { GATHER_MS } from "../../schemas/runtime/trace/exporter.ts"
import { movableClock, waitFor } from "../harness/index.ts"
import { type Answered, openWorld, type World } from "../edge/edge.ts"
import { type CollectedSpan, type Collector, startCollector } from "../support/collector.ts"

const clock = movableClock()
let collector: Collector
let world: World
beforeAll(async () => {
  collector = await startCollector()
  world = await openWorld({
    clock,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    // Clients sign by the machine's clock.
    limits: { "authentication.timestamp_skew_seconds": 1_000_000_000 }
  })
})
afterAll(async () => {
  await world?.stop()
  await collector?.stop()
})
afterEach(() => expect(collector.faults).toEqual([]))

const REFUSED = { head: { refused: { code: "unavailable", message: "not now" } } } as const

/** The request's span first, then those below it. They leave together, some time after their end. */
const told = async (id: unknown): Promise<ReadonlyArray<CollectedSpan>> => {
  await waitFor(() => world.edge.logged.some((line) => line["id"] === id), { describe: "the end of the request" })
  clock.move(GATHER_MS)
  return waitFor(() => {
    const root = collector.spans.find(({ attributes }) => attributes["hub.request_id"] === id)
    return root === undefined
      ? null
      : [root, ...collector.spans.filter((span) => span !== root && span.traceId === root.traceId)]
  })
}
const toldOf = (answer: Answered): Promise<ReadonlyArray<CollectedSpan>> => told(answer.headers.get("x-request-id"))

describe("an ask", () => {
  it("that is sent again has an event for each further try, and one context for all of them", async () => {
    let tries = 0
    world.node.forget()
    world.node.on("agent.me", (ask) =>
      ++tries < 3 ? { head: { notOwner: { shard: 0, owner: null } } } : { data: { id: ask.actor } }
    )
    const [root, ask, ...others] = await toldOf(await world.edge.call("/api/v1/me", { signed: world.agent }))
    expect(others).toEqual([])
    expect(ask).toMatchObject({
      name: "ask agent.me",
      parentSpanId: root?.spanId,
      events: ["retry", "retry"],
      failed: false
    })
    const sent = world.node.asked("agent.me").map(({ traceparent }) => traceparent)
    expect(sent).toEqual(Array.from({ length: 3 }, () => `00-${root?.traceId}-${ask?.spanId}-01`))
  })

  it("that the service could not answer has failed, and so has the request", async () => {
    world.node.on("agent.me", () => REFUSED)
    const [root, ask] = await toldOf(await world.edge.call("/api/v1/me", { signed: world.agent }))
    expect(ask).toMatchObject({
      failed: true,
      attributes: { "hub.outcome": "unavailable", "error.type": "unavailable" }
    })
    expect(root).toMatchObject({ failed: true, attributes: { "http.response.status_code": 503, "error.type": "503" } })
  })

  it("that was refused for what it is has not", async () => {
    world.node.on("agent.me", () => ({ head: { refused: { code: "agent_suspended", message: "no" } } }))
    const [root, ask] = await toldOf(await world.edge.call("/api/v1/me", { signed: world.agent }))
    expect(ask).toMatchObject({ failed: false, attributes: { "hub.outcome": "agent_suspended" } })
    expect(root).toMatchObject({ failed: false, attributes: { "http.response.status_code": 403 } })
  })
})

describe("a request", () => {
  it.each([
    ["GET", "/api/v1/agents/some-body/scores?x=1", "GET /api/v1/agents/:agent/scores"],
    ["GET", "/api/v1/what-is/this", "GET"],
    ["GET", "/docs", "GET /docs"],
    ["GET", "/agents/some-body", "GET /agents/:agent"],
    ["GET", "/what-is-this", "GET"],
    ["DELETE", "/api/v1/time", "DELETE"],
    ["PROPFIND", "/api/v1/me", "HTTP"]
  ])("%s %s is named %s: no more than a template", async (method, path, name) => {
    const answer = await world.edge.call(path, { method })
    const [root] = await toldOf(answer)
    expect(root).toMatchObject({
      kind: 2,
      parentSpanId: undefined,
      attributes: {
        "http.request.method": method === "PROPFIND" ? "_OTHER" : method,
        "http.response.status_code": answer.status
      }
    })
    expect(root?.name.replace(/:\w+/, ":agent")).toBe(name)
    expect(root?.attributes["http.route"]).toBe(name.includes("/") ? root?.name.slice(method.length + 1) : undefined)
  })

  it("whose client left says so, and has no status", async () => {
    world.node.on("agent.me", () => "silence")
    world.node.forget()
    const outgoing = request(`${world.edge.url}/api/v1/me`, {
      headers: world.edge.headersFor("/api/v1/me", { signed: world.agent })
    })
    outgoing.on("error", () => undefined)
    outgoing.end()
    await waitFor(() => world.node.asked("agent.me").length > 0)
    outgoing.destroy()
    const line = await waitFor(() => world.edge.logged.find(({ status }) => status === 499))
    const [root] = await told(line["id"])
    expect(root?.attributes).toEqual({
      "http.request.method": "GET",
      "http.route": "/api/v1/me",
      "hub.request_id": line["id"],
      "hub.outcome": "client_gone"
    })
    expect(line["trace_id"]).toBe(root?.traceId)
  })
})
