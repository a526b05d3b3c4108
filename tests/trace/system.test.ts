/**
 * One trace over real processes: edge, ask, command, append, projection, delivery; what the collector gets of it, and
 * what never.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { replayCommand } from "../../ops/cli/replay.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { archiveOf, programPath, waitFor } from "../harness/index.ts"
import { said } from "../ops/history.ts"
import { AgentClient } from "../support/client.ts"
import { type Collector, startCollector } from "../support/collector.ts"
import type { Answer } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { answering, inTurn, type Receiver, startReceiver } from "../support/receiver.ts"
import { register, type Registered } from "../support/register.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import { setRecovery } from "../support/rotation.ts"
import { idOf, traceOf, wayOf, named } from "./spans.ts"

const HEADER_SECRET = "collector-token-8d1f0c"
const LIMITS = { "webhook.retry_seconds.1": 0.2, "webhook.retry_seconds.2": 0.2 }
let collector: Collector
let receiver: Receiver
let service: TestService

beforeAll(async () => {
  collector = await startCollector()
  service = await testService({
    edges: 1,
    actors: 2,
    limits: LIMITS,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${HEADER_SECRET}`
    }
  })
})

afterAll(async () => {
  await service?.stop()
  await collector?.stop()
})

beforeEach(async () => {
  receiver = await startReceiver()
})

afterEach(async () => {
  await receiver.stop()
  expect(collector.faults).toEqual([])
})

interface Subject {
  readonly client: AgentClient
  readonly agent: Registered
}

const subject = async (): Promise<Subject> => {
  const edge = service.edges[0] ?? ""
  const client = new AgentClient({ edge: () => edge })
  return {
    client,
    agent: await register(client, { edge, more: { webhook_url: `${receiver.url}/in-path-7f?token=in-query-7f` } })
  }
}

/** A line of `hub tail`, once one holds the text. */
const tailUntil = async (text: string): Promise<string | undefined> => {
  const child = spawn(process.execPath, ["--no-warnings", await programPath("hub"), "tail", "--since", "1"], {
    cwd: projectRoot,
    env: {
      ...process.env,
      HUB_NATS_URL: service.system.nats.url,
      HUB_DATABASE_URL: service.system.postgres.url,
      HUB_ARCHIVE: archiveOf(service.system)
    }
  })
  let output = ""
  child.stdout.on("data", (chunk) => (output += String(chunk)))
  try {
    return await waitFor(() => output.split("\n").find((line) => line.includes(text)), {
      describe: `a line with ${text}`
    })
  } finally {
    child.kill("SIGKILL")
    await once(child, "exit")
  }
}

const recoverySet = async ({ client }: Subject): Promise<Answer> => {
  const answer = await setRecovery(client)
  expect(outcome(answer)).toBe("200")
  return answer
}

const COMMIT = ["PUT /api/v1/me/recovery", "ask identity.set_recovery", "identity.set_recovery", "append"]
const WHOLE = [...COMMIT, "project delivery", "deliver webhook", "POST", "delivery.report"]

describe("a write that causes a notification and a delivery", () => {
  test("is one trace, with every step below the one that led to it", async () => {
    const it = await subject()
    const answer = await recoverySet(it)
    const delivery = [...COMMIT, "deliver webhook"]
    const report = [...delivery, "ask delivery.report", "delivery.report", "append"]
    const whole = [
      COMMIT,
      [...COMMIT, "project notification"],
      [...COMMIT, "project delivery"],
      [...delivery, "POST"],
      [...delivery, "ask webhook.sign", "webhook.sign"],
      report,
      [...report, "project delivery"]
    ]
    // Each process tells of its own steps in its own time.
    const spans = await waitFor(
      async () => {
        const all = await traceOf(collector, answer, WHOLE)
        const ways = new Set(all.map((span) => wayOf(all, span).join(" > ")))
        return whole.every((way) => ways.has(way.join(" > "))) ? all : null
      },
      { describe: "every step of the trace" }
    )
    expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined).map(({ name }) => name)).toEqual([
      "PUT /api/v1/me/recovery"
    ])
  })

  test("tells kinds, services and attributes by the conventions", async () => {
    const it = await subject()
    const answer = await recoverySet(it)
    const spans = await traceOf(collector, answer, WHOLE)
    const [server, client, producer, consumer] = [2, 3, 4, 5]
    const told = Object.fromEntries(WHOLE.map((name) => [name, [named(spans, name).service, named(spans, name).kind]]))
    expect(told).toEqual({
      "PUT /api/v1/me/recovery": ["hub-edge", server],
      "ask identity.set_recovery": ["hub-edge", client],
      "identity.set_recovery": ["hub-actors", server],
      append: ["hub-actors", producer],
      "project delivery": ["hub-actors", consumer],
      "deliver webhook": ["hub-actors", consumer],
      POST: ["hub-actors", client],
      "delivery.report": ["hub-actors", server]
    })
    expect(named(spans, "PUT /api/v1/me/recovery").attributes).toEqual({
      "http.request.method": "PUT",
      "http.route": "/api/v1/me/recovery",
      "http.response.status_code": 200,
      "hub.request_id": idOf(answer)
    })
    expect(named(spans, "ask identity.set_recovery").attributes).toEqual({
      "messaging.system": "nats",
      "messaging.operation.type": "send",
      "hub.kind": "agent",
      "hub.op": "identity.set_recovery",
      "hub.shard": expect.any(Number),
      "hub.outcome": "ok"
    })
    expect(named(spans, "identity.set_recovery").attributes).toEqual({
      "messaging.system": "nats",
      "messaging.operation.type": "process",
      "hub.kind": "agent",
      "hub.op": "identity.set_recovery",
      "hub.loaded": expect.any(Boolean),
      "hub.outcome": "ok"
    })
    const appended = spans.find((span) => wayOf(spans, span).join() === COMMIT.join())
    const entry = (await logOf(service.view, "agent", it.agent.id)).find(
      ({ trace_id }) => trace_id === appended?.traceId
    )
    expect(appended?.attributes).toEqual({
      "messaging.system": "nats",
      "messaging.operation.type": "send",
      "messaging.batch.message_count": expect.any(Number),
      "hub.kind": "agent",
      "hub.sequence": entry?.seq,
      "hub.outcome": "ok"
    })
    expect(named(spans, "project delivery").attributes).toMatchObject({
      "hub.projection": "delivery",
      "hub.lag_ms": expect.any(Number),
      "hub.sequence": expect.any(Number)
    })
    expect(named(spans, "POST").attributes).toEqual({
      "http.request.method": "POST",
      "http.response.status_code": 204,
      "hub.attempt": 1,
      "hub.outcome": "delivered",
      "server.address": "127.0.0.1",
      "server.port": receiver.port
    })
    expect(spans.filter(({ failed }) => failed)).toEqual([])
  })

  test("stands in the request log and in the log under its trace id", async () => {
    const it = await subject()
    const answer = await recoverySet(it)
    const [first] = await traceOf(collector, answer, COMMIT)
    const line = await waitFor(() =>
      service.system.logs.lines("edge 1").find((one) => one.includes(`"id":"${String(idOf(answer))}"`))
    )
    expect(JSON.parse(line)).toMatchObject({ trace_id: first?.traceId, path: "/api/v1/me/recovery" })
    const entries = await logOf(service.view, "agent", it.agent.id)
    expect(entries.filter(({ commit }) => commit.trace === idOf(answer)).map(({ trace_id }) => trace_id)).toEqual([
      first?.traceId
    ])
    // An ask before it settled the signature.
    expect(await said(replayCommand, service, ["agent", it.agent.id])).toContain(
      `.1 by ${it.agent.id})  trace_id ${first?.traceId}`
    )
    const tailed = await tailUntil(`trace ${String(idOf(answer))}  trace_id ${first?.traceId}`)
    expect(tailed).toContain(`agent/${it.agent.id}  identity.set_recovery`)
    expect(answer.text).not.toContain(first?.traceId)
    expect(Object.values(answer.headers).join()).not.toContain(first?.traceId)
  })

  test("a repetition by timer is a trace of its own, linked to the first, with the attempt's number", async () => {
    receiver.behave(inTurn(answering(500), answering(204)))
    const it = await subject()
    const answer = await recoverySet(it)
    const spans = await traceOf(collector, answer, WHOLE)
    const first = named(spans, "POST")
    expect(first.attributes).toMatchObject({
      "hub.attempt": 1,
      "http.response.status_code": 500,
      "hub.outcome": "http_500",
      "error.type": "http_500"
    })
    expect(first.failed).toBe(true)
    const timer = await waitFor(() => collector.spans.find(({ links }) => links.includes(first.traceId)))
    expect(timer).toMatchObject({ name: "timer delivery.timer", parentSpanId: undefined })
    const second = await waitFor(() =>
      collector.spans.find(({ traceId, name }) => traceId === timer.traceId && name === "POST")
    )
    expect(second.attributes).toMatchObject({
      "hub.attempt": 2,
      "http.response.status_code": 204,
      "hub.outcome": "delivered"
    })
    const rest = await waitFor(() => {
      const all = collector.spans.filter(({ traceId }) => traceId === timer.traceId)
      return wayOf(all, second).length > 0 ? all : null
    })
    expect(wayOf(rest, second)).toEqual(["timer delivery.timer", "delivery.timer", "append", "deliver webhook", "POST"])
  })
})

describe("who a client says it follows", () => {
  test("is not believed where no proxy is", async () => {
    const it = await subject()
    const foreign = "4bf92f3577b34da6a3ce929d0e0e4736"
    const answer = await it.client.call("GET", "/api/v1/me", {
      headers: { traceparent: `00-${foreign}-00f067aa0ba902b7-01`, tracestate: "a=b" }
    })
    const [root] = await traceOf(collector, answer, ["GET /api/v1/me"])
    expect(root?.traceId).not.toBe(foreign)
    expect(named(await traceOf(collector, answer, ["GET /api/v1/me"]), "GET /api/v1/me").parentSpanId).toBeUndefined()
    expect(collector.raw.join()).not.toContain(foreign)
  })
})

describe("what is not told", () => {
  test("secrets, bodies, signatures, nonces, queries, paths, addresses never reach the collector", async () => {
    const it = await subject()
    const body = { description: "body-text-5c3e71", webhook_url: `${receiver.url}/in-path-7f?token=in-query-7f` }
    const answer = await it.client.call("PATCH", "/api/v1/me?ignored=query-text-91", { body })
    expect(outcome(answer)).toBe("200")
    const headers = it.client.last?.headers ?? {}
    await recoverySet(it)
    await waitFor(() => receiver.received.length > 0)
    const delivered = receiver.received[0]
    await it.client.call("GET", "/api/v1/secret-looking-path-77/x")
    await waitFor(() =>
      collector.spans.some(({ name, attributes }) => name === "GET" && attributes["http.response.status_code"] === 404)
    )
    await traceOf(collector, answer, ["PATCH /api/v1/me", "project agent"])
    const got = collector.raw.join("\n").replaceAll(`Bearer ${HEADER_SECRET}`, "")
    const secrets = {
      collector: HEADER_SECRET,
      webhook: it.agent.webhook_secret,
      body: "body-text-5c3e71",
      query: "query-text-91",
      path: "secret-looking-path-77",
      webhookPath: "in-path-7f",
      webhookQuery: "in-query-7f",
      signature: headers["x-hub-signature"] ?? headers["X-Hub-Signature"],
      nonce: headers["x-hub-nonce"] ?? headers["X-Hub-Nonce"],
      key: headers["x-hub-key"] ?? headers["X-Hub-Key"],
      webhookSignature: String(delivered?.headers["webhook-signature"]),
      delivered: delivered?.body
    }
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret, name).toMatch(/.{6}/)
      for (const form of [secret ?? "", JSON.stringify(secret).slice(1, -1)])
        expect(got.includes(form), `the collector got ${name}`).toBe(false)
    }
    expect(collector.raw.every((one) => one.includes(`Bearer ${HEADER_SECRET}`))).toBe(true)
    const lines = service.system.logs.text()
    expect(lines).not.toContain(HEADER_SECRET)
    // What is carried to a receiver is what the contract names, nothing of ours.
    expect(delivered?.headers["traceparent"]).toBeUndefined()
  })
})
