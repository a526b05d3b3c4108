/** A running system, scraped: what moves, by how much, and what never shows. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { API_PREFIX, VERSION } from "../../schemas/version.ts"
import { waitFor } from "../harness/index.ts"
import { type Exposition } from "../support/exposition.ts"
import { TEST_SERVER_KEY } from "../support/service.ts"
import { service, system, client, agent, openScraped, ofEdge, ofActor, get } from "./scraped.ts"
import { counterTests } from "./counters.ts"

beforeAll(openScraped)
afterAll(() => service?.stop())

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
      // It was started by this process.
      expect(Date.now() / 1000 - startedAt).toBeLessThan(process.uptime())
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

describe("exact requests move exact counters", counterTests)

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
