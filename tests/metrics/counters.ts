/** Exact requests move exact counters. */
import { expect, test } from "vitest"
import { API_PREFIX } from "../../schemas/version.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import type { Exposition } from "../support/exposition.ts"
import { answering, healthy, inTurn, startReceiver } from "../support/receiver.ts"
import { register } from "../support/register.ts"
import { setRecovery } from "../support/rotation.ts"
import { WEB_REQUESTS, edge, client, ofEdge, ofActor, get, added, times } from "./scraped.ts"

export const counterTests = (): void => {
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
}
