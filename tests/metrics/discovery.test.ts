/** NATS service discovery (ADR-32), asked by another implementation's client on a real server. */
import { hostname } from "node:os"
import { busServers } from "../../schemas/bus/servers.ts"
import { connect, type NatsConnection, type QueuedIterator, ServiceResponseType } from "nats"
import { afterAll, beforeAll, expect, test } from "vitest"
import { API_PREFIX, VERSION } from "../../schemas/version.ts"
import { KINDS } from "../../actors/process/kinds.ts"
import { AgentClient } from "../support/client.ts"
import { hubEnded } from "../support/hub.ts"
import { register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"

const NAMES = ["hub-actors", "hub-edge", "hub-queries", "hub-webhooks"]

let service: TestService
let nats: NatsConnection
let client: AgentClient

beforeAll(async () => {
  service = await testService({ processes: true })
  nats = await connect(busServers(service.system.nats.url, "operator") ?? { servers: [] })
  const edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge })
  await register(client, { edge })
})
afterAll(async () => {
  await nats?.close()
  await service?.stop()
})

const discover = () => nats.services.client({ strategy: "timer", maxWait: 500 } as never)
const gathered = async <T>(answers: Promise<QueuedIterator<T>>): Promise<ReadonlyArray<T>> => {
  const all: Array<T> = []
  for await (const answer of await answers) all.push(answer)
  return all
}
const statsOf = async (name: string) => {
  const [stats, ...more] = await gathered(discover().stats(name))
  if (stats === undefined || more.length > 0) throw new Error(`${more.length + 1} answers of ${name}`)
  return stats
}
const endpointOf = async (name: string, endpoint: string) =>
  (await statsOf(name)).endpoints?.find((one) => one.name === endpoint)

test("every role answers a ping, with what tells processes apart", async () => {
  const answers = await gathered(discover().ping())
  expect(answers.map(({ name }) => name).toSorted()).toEqual(NAMES)
  expect(new Set(answers.map(({ id }) => id)).size).toBe(NAMES.length)
  const { edges, actors } = service.system
  for (const { name, type, version, metadata } of answers) {
    const process = name === "hub-edge" ? edges[0] : actors[0]
    expect({ type, version }).toEqual({ type: ServiceResponseType.PING, version: VERSION })
    expect(metadata).toEqual({
      host: hostname(),
      pid: String(process?.pid),
      roles: name === "hub-edge" ? "edge" : "actors,queries,webhooks",
      metrics_port: new URL(process?.metrics ?? "").port
    })
  }
})

test("by name and by id only who is meant answers", async () => {
  const [queries] = await gathered(discover().ping("hub-queries"))
  expect(queries?.name).toBe("hub-queries")
  expect((await gathered(discover().info("hub-queries", queries?.id))).map(({ id }) => id)).toEqual([queries?.id])
  await expect(gathered(discover().ping("hub-nobody"))).rejects.toThrow(/503|no responders/i)
})

test("info tells where each endpoint is, asked or not", async () => {
  const [info] = await gathered(discover().info("hub-queries"))
  expect(info).toMatchObject({ type: ServiceResponseType.INFO, description: expect.any(String) })
  expect(info?.endpoints).toContainEqual({
    name: "agents",
    subject: "hub.qry.agents",
    queue_group: "queries",
    metadata: {}
  })
  expect(info?.endpoints?.map(({ name }) => name)).toContain("directory_block")
  const named = async (name: string) =>
    (await gathered(discover().info(name)))[0]?.endpoints?.map((endpoint) => endpoint.name)
  expect(await named("hub-actors")).toEqual(expect.arrayContaining(KINDS.map(({ fold }) => fold.kind)))
  expect(await named("hub-edge")).toEqual(expect.arrayContaining(["agent", "identity", "meta", "page", "none"]))
  expect(await named("hub-webhooks")).toEqual(["deliveries"])
})

test("stats tell what was done, exactly; a refusal by rule is no error", async () => {
  const before = await Promise.all([
    endpointOf("hub-queries", "stats"),
    endpointOf("hub-actors", "agent"),
    endpointOf("hub-edge", "agent")
  ])
  for (let at = 0; at < 3; at++) await client.call("GET", `${API_PREFIX}/stats`)
  for (let at = 0; at < 2; at++) await client.call("PATCH", `${API_PREFIX}/me`, { body: { name: `N ${at}` } })
  await client.call("GET", `${API_PREFIX}/agents/hx${"2".repeat(40)}`)
  const after = await Promise.all([
    endpointOf("hub-queries", "stats"),
    endpointOf("hub-actors", "agent"),
    endpointOf("hub-edge", "agent")
  ])
  const rise = after.map((one, at) => (one?.num_requests ?? 0) - (before[at]?.num_requests ?? 0))
  // Reads of the statistics are signed: their signatures are settled at the agent, three of them; two writes; the
  // profile.
  expect(rise[2]).toBe(3)
  // What is slow is asked again.
  expect(rise[0]).toBeGreaterThanOrEqual(3)
  expect(rise[1]).toBeGreaterThanOrEqual(6)
  for (const one of after) {
    expect(one).toMatchObject({ num_errors: 0, last_error: "" })
    expect(
      Math.abs((one?.average_processing_time ?? 0) * (one?.num_requests ?? 0) - (one?.processing_time ?? 0))
    ).toBeLessThan(one?.num_requests ?? 0)
    expect(one?.processing_time).toBeGreaterThan(0)
  }
})

test("a node tells its session, its shards and its actors; its endpoints are kinds", async () => {
  const stats = await statsOf("hub-actors")
  // It was started by this process.
  expect(Date.parse(stats.started as unknown as string)).toBeGreaterThan(Date.now() - process.uptime() * 1000)
  const nouns = new Set([
    ...KINDS.map(({ fold }) => fold.kind),
    "engine",
    "identity",
    "notification",
    "moderation",
    "webhook",
    "idempotency"
  ])
  expect(stats.endpoints?.filter(({ name }) => !nouns.has(name))).toEqual([])
  for (const { data } of stats.endpoints ?? [])
    expect(data).toEqual({ session: expect.stringMatching(/^[0-9a-f]{16}$/), shards: 64, resident: expect.any(Number) })
})

test("a query without Postgres is an error, by its code", async () => {
  await service.system.postgres.kill()
  await client.call("GET", `${API_PREFIX}/categories`)
  expect(await endpointOf("hub-queries", "categories")).toMatchObject({ last_error: "unavailable" })
  expect((await endpointOf("hub-queries", "categories"))?.num_errors).toBeGreaterThan(0)
  expect(await endpointOf("hub-edge", "meta")).toMatchObject({ num_errors: 1, last_error: "unavailable" })
  await service.system.postgres.restart()
})

test("hub status shows who serves, who leads, and how it is", async () => {
  const status = JSON.parse((await hubEnded(service.system, ["status", "--json"])).stdout) as Record<
    string,
    ReadonlyArray<Record<string, unknown>>
  >
  expect(status["services"]?.map(({ name }) => name)).toEqual(NAMES)
  expect(status["services"]?.find(({ name }) => name === "hub-edge")).toMatchObject({
    metrics_port: Number(new URL(service.system.edges[0]?.metrics ?? "").port),
    version: VERSION,
    pid: service.system.edges[0]?.pid
  })
  expect(status["streams"]?.every((stream) => stream["replicas"] === 1 && "leader" in stream)).toBe(true)
  expect(status["nodes"]).toMatchObject([{ roles: ["actors", "queries", "webhooks"] }])
  expect(status["checks"]).toMatchObject({
    db: { unit: "sequence" },
    webhook_queue: { status: "pass" },
    disk: { unit: "bytes free" },
    clock: { status: "pass" }
  })
  const { stdout: text } = await hubEnded(service.system, ["status", "--all"])
  for (const part of ["services (4)", "health", "1 replica", "metrics on port"]) expect(text).toContain(part)
})
