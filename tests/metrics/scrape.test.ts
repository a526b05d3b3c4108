/** A running system, scraped: what moves, by how much, and what never shows. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SEEDED_CATEGORIES } from "../../actors/category/actor.ts"
import { API_PREFIX, VERSION } from "../../schemas/version.ts"
import type { System } from "../harness/index.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Exposition, scrape } from "../support/exposition.ts"
import { send } from "../support/http.ts"
import { answering, healthy, inTurn, startReceiver } from "../support/receiver.ts"
import { register, type Registered } from "../support/register.ts"
import { setRecovery } from "../support/rotation.ts"
import { TEST_SERVER_KEY, type TestService, testService } from "../support/service.ts"

const WEB_REQUESTS = 3

let service: TestService
let system: System
let edge: string
let client: AgentClient
let agent: Registered

beforeAll(async () => {
  service = await testService({
    limits: {
      "rate_limits.web.requests": WEB_REQUESTS,
      "notifications.heartbeat_ms": 600_000,
      "webhook.retry_seconds.1": 0.3,
      "webhook.retry_seconds.2": 0.3
    }
  })
  system = service.system
  edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge })
  agent = await register(client, { edge })
  // What the node does at its start would be counted among what the tests do.
  const seeded = { op: "category.seed", outcome: "ok" }
  await waitFor(async () => (await ofActor()).value("hub_actor_operations_total", seeded) >= SEEDED_CATEGORIES.length, {
    describe: "the seeded categories"
  })
})
afterAll(async () => {
  await service?.stop()
})

const ofEdge = (): Promise<Exposition> => scrape(system.edges[0]?.metrics ?? "")
const ofActor = (): Promise<Exposition> => scrape(system.actors[0]?.metrics ?? "")
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  send({ edge, method, path, headers })

/** What `act` adds to a series, by the readings before and after. */
const added = async (read: () => Promise<Exposition>, act: () => Promise<unknown>) => {
  const before = await read()
  await act()
  const after = await read()
  return (name: string, labels: Readonly<Record<string, string>> = {}): number =>
    after.value(name, labels) - before.value(name, labels)
}

const times = async (count: number, act: () => Promise<unknown>): Promise<void> => {
  for (let at = 0; at < count; at++) await act()
}

describe("the names", () => {
  test.each([
    ["edge", () => ofEdge()],
    ["actor", () => ofActor()]
  ] as const)("of an %s process keep Prometheus' rules, with a help for each", async (_role, read) => {
    await client.call("GET", `${API_PREFIX}/me`)
    const { families } = await read()
    for (const { name, type, help } of families.values()) {
      expect(name).toMatch(/^(hub|process|nodejs)_[a-z0-9_]+$/)
      expect(help, name).toMatch(/^[A-Z].{10,}\.$|; always 1\.$/)
      expect(name.endsWith("_total"), name).toBe(type === "counter")
      if (type === "histogram") expect(name).toMatch(/_(seconds|commits)$/)
    }
  })

  test("tell the build, once for each role", async () => {
    const roles = async (read: () => Promise<Exposition>) =>
      (await read()).families.get("hub_build_info")?.series.map(({ labels, value }) => ({ ...labels, value }))
    expect(await roles(ofEdge)).toEqual([{ version: VERSION, role: "edge", value: 1 }])
    expect(await roles(ofActor)).toEqual(
      ["actors", "queries", "webhooks"].map((role) => ({ version: VERSION, role, value: 1 }))
    )
  })

  test("tell of the process what the kernel tells", async () => {
    for (const read of [ofEdge, ofActor]) {
      const exposition = await read()
      const startedAt = exposition.value("process_start_time_seconds")
      expect(Date.now() / 1000 - startedAt).toBeGreaterThan(0)
      expect(Date.now() / 1000 - startedAt).toBeLessThan(300)
      for (const name of [
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "nodejs_heap_size_used_bytes",
        "process_open_fds",
        "nodejs_eventloop_active_seconds_total"
      ])
        expect(exposition.value(name), name).toBeGreaterThan(0)
      expect(exposition.families.has("nodejs_eventloop_lag_p99_seconds")).toBe(true)
      expect(exposition.families.has("nodejs_gc_duration_seconds")).toBe(true)
    }
  })
})

describe("exact requests move exact counters", () => {
  test("a signed read: at the edge, on the bus, at the node", async () => {
    const [onEdge, onNode] = [await ofEdge(), await ofActor()]
    await times(7, () => client.call("GET", `${API_PREFIX}/me`))
    const [edgeAfter, nodeAfter] = [await ofEdge(), await ofActor()]
    const rise = (before: Exposition, after: Exposition, name: string, labels: Readonly<Record<string, string>>) =>
      after.value(name, labels) - before.value(name, labels)
    const route = { method: "GET", route: `${API_PREFIX}/me` }
    expect(rise(onEdge, edgeAfter, "hub_edge_requests_total", { ...route, status: "200" })).toBe(7)
    expect(rise(onEdge, edgeAfter, "hub_edge_request_duration_seconds_count", route)).toBe(7)
    expect(rise(onEdge, edgeAfter, "hub_bus_asks_total", { op: "agent.me", outcome: "ok" })).toBe(7)
    expect(rise(onEdge, edgeAfter, "hub_bus_ask_duration_seconds_count", { op: "agent.me" })).toBe(7)
    // On a machine that is too busy to answer within 700 ms, the edge asks again: the node then answers twice.
    const most = 7 + rise(onEdge, edgeAfter, "hub_bus_ask_retries_total", {})
    for (const [name, more] of [
      ["hub_actor_operations_total", { outcome: "ok" }],
      ["hub_actor_operation_duration_seconds_count", {}]
    ] as const) {
      expect(rise(onNode, nodeAfter, name, { op: "agent.me", ...more })).toBeGreaterThanOrEqual(7)
      expect(rise(onNode, nodeAfter, name, { op: "agent.me", ...more })).toBeLessThanOrEqual(most)
    }
    expect(rise(onNode, nodeAfter, "hub_nonces_tracked", { log: "requests" })).toBe(7)
    expect(edgeAfter.value("hub_edge_requests_in_flight")).toBe(0)
    expect(edgeAfter.value("hub_bus_asks_in_flight")).toBe(0)
  })

  test("writes: commits, batches, the read models", async () => {
    const rise = await added(ofActor, async () => {
      const applied = async () => (await ofActor()).value("hub_projector_messages_total", { projection: "agent" })
      const before = await applied()
      await times(4, () => client.call("PATCH", `${API_PREFIX}/me`, { body: { description: `a ${Math.random()}` } }))
      await waitFor(async () => (await applied()) >= before + 4, { describe: "the read models" })
    })
    expect(rise("hub_actor_operations_total", { op: "agent.update", outcome: "ok" })).toBeGreaterThanOrEqual(4)
    expect(rise("hub_log_batch_commits_sum")).toBe(4)
    expect(rise("hub_log_batches_total", { outcome: "written" })).toBe(4)
    expect(rise("hub_log_batch_duration_seconds_count")).toBe(4)
    expect(rise("hub_projector_messages_total", { projection: "agent" })).toBe(4)
    expect(rise("hub_projector_messages_total", { projection: "category" })).toBe(0)
    expect(rise("hub_projector_watermark", { projection: "agent" })).toBeGreaterThanOrEqual(4)
    const now = await ofActor()
    expect([
      now.value("hub_projector_lag_messages", { projection: "agent" }),
      now.value("hub_projector_lag_seconds", { projection: "agent" }),
      now.value("hub_shards_owned")
    ]).toEqual([0, 0, 64])
    expect(now.value("hub_session_beats_total")).toBeGreaterThan(0)
  })

  test("lists: a query, on both sides", async () => {
    const before = await ofActor()
    const rise = await added(ofEdge, () => times(3, () => get(`${API_PREFIX}/agents`)))
    const after = await ofActor()
    expect(rise("hub_edge_queries_total", { view: "agents", outcome: "ok" })).toBe(3)
    expect(rise("hub_edge_query_duration_seconds_count", { view: "agents" })).toBe(3)
    const answered =
      after.value("hub_queries_total", { view: "agents", outcome: "ok" }) -
      before.value("hub_queries_total", { view: "agents", outcome: "ok" })
    // A query that is slow is asked again.
    expect(answered).toBeGreaterThanOrEqual(3)
    expect(
      after.value("hub_query_duration_seconds_count", { view: "agents" }) -
        before.value("hub_query_duration_seconds_count", { view: "agents" })
    ).toBe(answered)
  })

  test("refusals: by their code, by the bucket of a rate limit", async () => {
    const rise = await added(ofEdge, async () => {
      await get(`${API_PREFIX}/me`)
      await get(`${API_PREFIX}/agents/nobody-of-this-name`)
      await times(WEB_REQUESTS + 2, () => get("/docs"))
    })
    expect(rise("hub_edge_requests_total", { method: "GET", route: `${API_PREFIX}/me`, status: "401" })).toBe(1)
    expect(rise("hub_edge_refusals_total", { code: "authentication_required" })).toBe(1)
    expect(rise("hub_edge_requests_total", { method: "GET", route: `${API_PREFIX}/agents/:ref`, status: "404" })).toBe(
      1
    )
    expect(rise("hub_edge_refusals_total", { code: "rate_limited" })).toBe(2)
    expect(rise("hub_edge_rate_limited_total", { bucket: "web" })).toBe(2)
    expect(rise("hub_edge_requests_total", { method: "GET", route: "/docs", status: "429" })).toBe(2)
  })

  test("a held list and a stream are seen while they are held", async () => {
    const held = client.call("GET", `${API_PREFIX}/me/notifications?unread=true&wait_seconds=14`)
    await waitFor(async () => (await ofEdge()).value("hub_edge_held_requests", { kind: "list" }) === 1, {
      describe: "a held list"
    })
    expect((await ofEdge()).value("hub_edge_requests_in_flight")).toBe(1)
    const path = `${API_PREFIX}/me/notifications/stream`
    const ending = new AbortController()
    const stream = await fetch(edge + path, {
      headers: { ...client.signed("GET", path).headers },
      signal: ending.signal
    })
    expect((await ofEdge()).value("hub_edge_held_requests", { kind: "stream" })).toBe(1)
    ending.abort()
    await stream.body?.cancel().catch(() => undefined)
    await waitFor(async () => (await ofEdge()).value("hub_edge_held_requests", { kind: "stream" }) === 0, {
      describe: "the place of a reader that has gone, long before a heartbeat"
    })
    await setRecovery(client)
    expect((await held).status).toBe(200)
    expect((await ofEdge()).value("hub_edge_held_requests", { kind: "list" })).toBe(0)
  })

  test("webhooks: attempts by what came of them, and the retry", async () => {
    const receiver = await startReceiver({ behaviour: inTurn(answering(503), healthy) })
    try {
      const owner = new AgentClient({ edge: () => edge })
      await register(owner, { edge, more: { webhook_url: `${receiver.url}/a-secret-path` } })
      const rise = await added(ofActor, async () => {
        await owner.call("POST", `${API_PREFIX}/me/webhook/test`)
        await waitFor(async () => (await ofActor()).value("hub_webhook_attempts_total", { outcome: "delivered" }) > 0, {
          describe: "a delivery"
        })
        await waitFor(async () => (await ofActor()).value("hub_timers_fired_total", { outcome: "answered" }) > 0, {
          describe: "the timer's answer"
        })
      })
      expect(rise("hub_webhook_attempts_total", { outcome: "http_5xx" })).toBe(1)
      expect(rise("hub_webhook_attempts_total", { outcome: "delivered" })).toBe(1)
      expect(rise("hub_webhook_attempt_duration_seconds_count")).toBe(2)
      expect(rise("hub_webhook_retries_scheduled_total")).toBe(1)
      expect(rise("hub_timers_fired_total", { outcome: "answered" })).toBe(1)
      await waitFor(async () => (await ofActor()).find("hub_webhook_queue_commits")?.value === 0, {
        describe: "an empty queue"
      })
      receiver.behave(answering(410))
      const gone = await added(ofActor, async () => {
        await owner.call("POST", `${API_PREFIX}/me/webhook/test`)
        await waitFor(async () => (await ofActor()).value("hub_webhook_disabled_total") > 0, {
          describe: "the webhook to be off"
        })
      })
      expect([
        gone("hub_webhook_disabled_total"),
        gone("hub_webhook_attempts_total", { outcome: "http_4xx" }),
        gone("hub_webhook_retries_scheduled_total")
      ]).toEqual([1, 1, 0])
    } finally {
      await receiver.stop()
    }
  })
})

describe("what a client sends", () => {
  const MARK = "zq7-mark"

  test("names no series, and makes none", async () => {
    const spray = async (): Promise<void> => {
      for (let at = 0; at < 20; at++) {
        await get(`${API_PREFIX}/${MARK}-${at}?${MARK}=${at}`, {
          "user-agent": MARK,
          host: `${MARK}.example`,
          "x-request-id": `${MARK}-${at}`,
          traceparent: MARK
        })
        await get(`${API_PREFIX}/agents/${MARK}-${at}`)
        await get(`/agents/${MARK}-${at}`)
        await get(`/${MARK}-${at}`, {}, "PROPFIND")
        await get(`${API_PREFIX}/me`, {
          "x-hub-key": MARK,
          "x-hub-nonce": MARK,
          "x-hub-signature": MARK,
          "x-hub-timestamp": "1"
        })
      }
    }
    await spray()
    const counts = [(await ofEdge()).series.length, (await ofActor()).series.length]
    await spray()
    const made = [(await ofEdge()).series.length - (counts[0] ?? 0), (await ofActor()).series.length - (counts[1] ?? 0)]
    // A window of a rate limit may end meanwhile: then a route has one more status. A hundred other names make nothing.
    expect(
      made.every((count) => count < 5),
      JSON.stringify(made)
    ).toBe(true)
    for (const read of [ofEdge, ofActor]) expect(JSON.stringify((await read()).series)).not.toContain(MARK)
    expect(
      (await ofEdge()).value("hub_edge_requests_total", { method: "other", route: "page", status: "429" })
    ).toBeGreaterThan(0)
  })

  test("and what the service keeps to itself or knows of agents is nowhere in a scrape", async () => {
    const secrets = [
      TEST_SERVER_KEY,
      client.identity.publicKey,
      client.hubId,
      agent.handle,
      agent.name,
      agent.hx_id,
      agent.webhook_secret,
      "a-secret-path",
      new URL(system.postgres.url).password
    ]
    for (const url of [system.edges[0]?.metrics, system.actors[0]?.metrics]) {
      const text = await (await fetch(url ?? "")).text()
      for (const secret of secrets) expect(secret.length > 3 && text.includes(secret), secret).toBe(false)
    }
  })
})

describe("the port", () => {
  test("is private: the public one knows nothing of metrics", async () => {
    for (const path of ["/metrics", `${API_PREFIX}/metrics`]) expect([404, 429]).toContain((await get(path)).status)
    expect((await get(`${API_PREFIX}/metrics`)).status).toBe(404)
  })

  test("is on loopback alone in development", async () => {
    for (const url of [system.edges[0]?.metrics ?? "", system.actors[0]?.metrics ?? ""]) {
      expect((await fetch(url)).status).toBe(200)
      await expect(fetch(url.replace("127.0.0.1", "127.0.0.2"))).rejects.toThrow("fetch failed")
    }
  })

  test("answers GET and HEAD of /metrics, and nothing else", async () => {
    for (const url of [system.edges[0]?.metrics ?? "", system.actors[0]?.metrics ?? ""]) {
      const root = new URL(url).origin
      const ask = async (path: string, method = "GET") => {
        const response = await fetch(root + path, { method })
        return {
          status: response.status,
          allow: response.headers.get("allow"),
          length: Number(response.headers.get("content-length")),
          text: await response.text()
        }
      }
      const head = await ask("/metrics", "HEAD")
      expect([head.status, head.text]).toEqual([200, ""])
      expect(head.length).toBeGreaterThan(1000)
      expect((await ask("/metrics?x=1")).status).toBe(200)
      for (const path of ["/", "/metrics/", "/api/v1/health", "/Metrics"])
        expect((await ask(path)).status, path).toBe(404)
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
        expect(await ask("/metrics", method)).toMatchObject({ status: 405, allow: "GET, HEAD" })
    }
  })
})

test("a bus that is away shows, and what only the bus knows is left out; back again, the renewal is counted", async () => {
  await system.nats.kill()
  for (const read of [ofEdge, ofActor])
    await waitFor(async () => (await read()).find("hub_bus_connected")?.value === 0, { describe: "a lost connection" })
  const cut = await ofActor()
  expect([
    cut.find("hub_projector_lag_seconds", { projection: "agent" }),
    cut.find("hub_webhook_queue_commits")
  ]).toEqual([undefined, undefined])
  await system.nats.restart()
  for (const read of [ofEdge, ofActor]) {
    const back = await waitFor(
      async () => {
        const now = await read()
        return now.value("hub_bus_connected") === 1 ? now : null
      },
      { describe: "the connection" }
    )
    expect(back.value("hub_bus_reconnects_total")).toBeGreaterThan(0)
  }
  await waitFor(async () => (await ofActor()).find("hub_projector_lag_seconds", { projection: "agent" })?.value === 0, {
    describe: "the lag"
  })
})
