/** Queries under way: slow ones of few clients leave places to all others. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { type Clock, Effect } from "effect"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { serveQueries } from "../../actors/queries/serve.ts"
import { requestsOf } from "../../actors/log/requests.ts"
import { Bus } from "../../edge/bus/bus.ts"
import { QueryPlaces, tooManyQueries, tooManySearches } from "../../edge/bus/query-places.ts"
import type { Call } from "../../edge/http/call.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { QueryClient } from "../../schemas/runtime/bus/queries.ts"
import { machineClock, wallMs } from "../../schemas/runtime/clock.ts"
import { NO_TRACING } from "../../schemas/runtime/trace/tracing.ts"
import { subjects } from "../../schemas/subjects.ts"
import { connectTo, standingClock, waitFor } from "../harness/index.ts"
import { openScope } from "../support/scope.ts"
import { openWorld, type World } from "./edge.ts"

const { max_queries: ALL, max_client_queries: SHARE, query_timeout_ms: TIMEOUT_MS } = LIMITS.service
/** As many requests as an address may send in a minute. */
const FLOOD = LIMITS.rate_limits.ip.requests

const scope = openScope()
let world: World
let line: NatsConnection
let hold: Promise<unknown>
let begun: Set<string>
beforeAll(async () => {
  world = await openWorld({
    env: { HUB_TRUST_PROXY: "1", HUB_PROBES: "192.0.2.4" },
    // Longer than a flood takes on a busy machine: a place is freed when its query's time is over.
    limits: { "service.query_timeout_ms": 600_000, "service.request_deadline_ms": 600_000 }
  })
  line = await connectTo(world.nats.url)
  const slow = async (view: string, id: number): Promise<null> => {
    begun.add(`${view} ${id}`)
    await hold
    return null
  }
  const handlers = {
    post: ({ id }: { readonly id: number }) => slow("post", id),
    reply: ({ id }: { readonly id: number }) => slow("reply", id),
    thread: () => Promise.resolve(null)
  }
  const calls = { underWay: 0, serves: () => undefined, settled: () => undefined }
  await scope.make(serveQueries(machineClock, line, handlers, calls, NO_TRACING, { timeoutMs: 60_000 }))
  await line.flush()
})
afterAll(async () => {
  await scope.close()
  await line.close()
  await world.stop()
})
beforeEach(() => {
  begun = new Set()
})

const from = (address: string, path: string, signal?: AbortSignal) =>
  world.edge.call(path, { headers: { "x-forwarded-for": address }, ...(signal === undefined ? {} : { signal }) })

const OPEN = "/api/v1/threads/1"

const clientOn = (clock: Clock.Clock) =>
  new QueryClient(clock, requestsOf(line), { newHeaders: headers, isClosed: () => line.isClosed() })
const slow = (turn: number): string => `/api/v1/${turn % 2 === 0 ? "posts" : "replies"}/${turn + 1}`

it("of one client have a share, and everybody else is answered", async () => {
  const held = Promise.withResolvers<void>()
  hold = held.promise
  const flood = Array.from({ length: FLOOD }, (_, turn) => from("192.0.2.1", slow(turn)))
  let refused = 0
  for (const one of flood) void one.then(({ status }) => (refused += Number(status === 503)))
  await waitFor(() => refused === FLOOD - SHARE, { describe: "all beyond the share to be refused" })
  expect(begun.size).toBe(SHARE)
  const more = await from("192.0.2.1", OPEN)
  expect([more.status, more.json.error.code, more.headers.get("retry-after")]).toEqual([503, "overloaded", "1"])
  expect((await from("192.0.2.2", OPEN)).status).toBe(404)
  // The service is not down because this client has no places left.
  expect((await from("192.0.2.1", "/api/v1/health")).json.error.code).toBe("overloaded")
  held.resolve()
  const answers = await Promise.all(flood)
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(SHARE)
  expect((await from("192.0.2.1", OPEN)).status).toBe(404)
})

it("hold their places after the client has left, until the node is done", async () => {
  const held = Promise.withResolvers<void>()
  hold = held.promise
  const leaving = new AbortController()
  const left = Array.from({ length: SHARE }, (_, turn) => from("192.0.2.3", slow(turn), leaving.signal))
  const settled = Promise.allSettled(left)
  await waitFor(() => begun.size === SHARE, { describe: "all of the share to be under way" })
  leaving.abort()
  await settled
  expect((await from("192.0.2.3", OPEN)).json.error.code).toBe("overloaded")
  held.resolve()
  await waitFor(async () => (await from("192.0.2.3", OPEN)).status === 404, {
    describe: "the places to be given back"
  })
})

it("never refuse a health check from the networks of the operator", async () => {
  const held = Promise.withResolvers<void>()
  hold = held.promise
  const flood = Array.from({ length: SHARE }, (_, turn) => from("192.0.2.4", slow(turn)))
  await waitFor(() => begun.size === SHARE, { describe: "all of the share to be under way" })
  expect((await from("192.0.2.4", "/api/v1/health")).json.error?.code).not.toBe("overloaded")
  held.resolve()
  await Promise.all(flood)
})

const call = (client: string, home: string | null, wide: string | null = null): Call =>
  ({ client, wide, ticket: home === null ? null : { home }, person: null, holder: null, endpoint: null }) as Call

const taken = (places: QueryPlaces, calls: (turn: number) => Call): number => {
  let count = 0
  for (let turn = 0; turn < ALL; turn++) if (places.take(calls(turn)) !== null) count++
  return count
}

it("of one account at many addresses have one share", () => {
  const places = new QueryPlaces(standingClock(), LIMITS)
  expect(taken(places, (turn) => call(`address ${turn}`, "agent"))).toBe(SHARE)
  expect(taken(places, () => call("one more", null))).toBe(SHARE)
})

it("of ten addresses leave a third of the places, and those of a /48 leave two thirds", () => {
  const places = new QueryPlaces(standingClock(), LIMITS)
  expect(taken(places, (turn) => call(`address ${turn % 10}`, null))).toBeLessThan((ALL * 2) / 3 + SHARE)
  expect(places.take(call("another", "agent"))).not.toBeNull()
  const wide = new QueryPlaces(standingClock(), LIMITS)
  expect(taken(wide, (turn) => call(`client ${turn}`, null, "wide"))).toBeLessThanOrEqual(ALL / 3)
})

it("that the edge gave up count for as long as the node may work on them", () => {
  const clock = standingClock()
  const places = new QueryPlaces(clock, LIMITS)
  const gives = Array.from({ length: SHARE }, () => places.take(call("client", "agent")))
  clock.move(1000)
  for (const give of gives.slice(1)) give?.(false)
  expect(places.take(call("client", "agent"))).toBeNull()
  gives[0]?.(true)
  expect(places.take(call("client", "agent"))).not.toBeNull()
  clock.move(TIMEOUT_MS - 1001)
  expect(places.take(call("client", "agent"))).toBeNull()
  clock.move(1)
  expect(taken(places, () => call("client", "agent"))).toBe(SHARE - 1)
})

/** One client gets so many of the places for searches. */
const SEARCHES = 28

it("for searches are few, of which one client has a part", () => {
  const places = new QueryPlaces(standingClock(), LIMITS)
  const gives = Array.from({ length: SEARCHES }, () => places.take(call("client", "agent"), true))
  expect(gives).not.toContain(null)
  expect(places.take(call("client", "agent"), true)).toBeNull()
  expect(places.take(call("another", "agent"), true)).toBeNull()
  // A search that was refused a place has taken none of the other places.
  expect(taken(places, () => call("client", "agent"))).toBe(SHARE - SEARCHES)
  expect(places.take(call("another", "other"), true)).not.toBeNull()
  gives[0]?.(true)
  expect(places.take(call("client", "agent"), true)).not.toBeNull()
})

it("count at the nodes for the account, else for the address, or for the /48 that it is in", async () => {
  const seen: Array<string> = []
  const nothing = (_input: unknown, { client }: { readonly client: string }) => {
    seen.push(client)
    return Promise.resolve({ total: 0, items: [] })
  }
  const observer = { underWay: 0, serves: () => undefined, settled: () => undefined }
  await scope.make(serveQueries(machineClock, line, { search: nothing, posts: nothing }, observer, NO_TRACING))
  await line.flush()
  const client = clientOn(machineClock)
  const asker = {} as ConstructorParameters<typeof Bus>[1]
  const bus = new Bus(machineClock, asker, client, observer, new QueryPlaces(machineClock, LIMITS))
  const input = { q: "word", type: "posts", page: 1, per_page: 20, viewer: null } as const
  const list = {
    q: null,
    sort: "hot",
    kind: null,
    author: null,
    tag: null,
    page: 1,
    per_page: 20,
    viewer: null
  } as const
  const deadline = wallMs(machineClock) + 60_000
  for (const caller of [call("one", "agent"), call("two", null), call("three", null, "wide")])
    await Effect.runPromise(bus.query({ ...caller, deadline, isProbe: false } as Call, "search", input))
  await Effect.runPromise(bus.query({ call: null, deadline, span: null }, "search", input))
  await Effect.runPromise(bus.query({ ...call("one", null), deadline, isProbe: false } as Call, "posts", list))
  expect(seen).toEqual(["agent", "two", "wide", "", "one"])
})

it("for searches are not taken by a search of a compartment's output, which its host makes in its own memory", async () => {
  const input = { host: "h", compartment: "c", since_id: null, limit: 10, stream: null, q: "found", wait_ms: 0 }
  const observer = { underWay: 0, serves: () => undefined, settled: () => undefined }
  const host_logs = () => Promise.resolve({ lines: [] })
  await scope.make(serveQueries(machineClock, line, { host_logs }, observer, NO_TRACING, { host: "h" }))
  await line.flush()
  const client = clientOn(machineClock)
  const places = new QueryPlaces(machineClock, LIMITS)
  const asker = {} as ConstructorParameters<typeof Bus>[1]
  const bus = new Bus(machineClock, asker, client, observer, places)
  const from = { ...call("client", "agent"), deadline: wallMs(machineClock) + 60_000, isProbe: false } as Call
  const searches = Array.from({ length: SEARCHES }, () => places.take(from, true))
  expect(places.take(from, true)).toBeNull()
  expect(await Effect.runPromise(bus.query(from, "host_logs", input))).toEqual({ lines: [] })
  // It takes a place among all queries.
  const others = taken(places, () => from)
  expect(others).toBe(SHARE - SEARCHES)
  const refused = await Effect.runPromise(Effect.flip(bus.query(from, "host_logs", input)))
  expect(refused.refusal.message).toBe(tooManyQueries.message)
  searches[0]?.(true)
  expect(places.take(from, true)).not.toBeNull()
})

it.each(["search", "posts", "threads", "agents"] as const)(
  "for searches are what %s with a text needs",
  async (view) => {
    const observer = { settled: () => undefined }
    const places = new QueryPlaces(machineClock, LIMITS)
    const asker = {} as ConstructorParameters<typeof Bus>[1]
    const bus = new Bus(machineClock, asker, clientOn(machineClock), observer, places)
    const from = { ...call("client", "agent"), deadline: wallMs(machineClock) + 60_000, isProbe: false } as Call
    for (let search = 0; search < SEARCHES; search++) expect(places.take(from, true)).not.toBeNull()
    const refused = await Effect.runPromise(Effect.flip(bus.query(from, view, { q: "word" } as never)))
    expect(refused.refusal.message).toBe(tooManySearches.message)
  }
)

it("waits for its turn at one node: while the search waits there, it is not sent again", async () => {
  const clock = standingClock()
  let begun = 0
  const found = Promise.withResolvers<null>()
  const calls = { underWay: 0, serves: () => undefined, settled: () => undefined }
  const search = () => {
    begun++
    return found.promise
  }
  await scope.make(
    serveQueries(clock, line, { host_turns: search } as never, calls, NO_TRACING, { timeoutMs: 60_000, host: "one" })
  )
  await line.flush()
  const client = clientOn(clock)
  const answer = client.ask(
    subjects.query("host_turns", "one"),
    new TextEncoder().encode("{}"),
    wallMs(clock) + 900_000,
    undefined,
    "network"
  )
  // A ping is answered after all that was sent before it.
  const pass = async (ms: number): Promise<void> => {
    clock.move(ms)
    await line.flush()
    await line.flush()
  }
  await pass(0)
  await pass(150)
  for (let times = 0; times < 18; times++) await pass(500)
  found.resolve(null)
  expect(new TextDecoder().decode((await answer) ?? new Uint8Array())).toBe('{"ok":true,"data":null}')
  expect(begun).toBe(1)
})
