/** Lists of the read models: passed on as they came, and shared by who asks for them. */
import type { NatsConnection } from "@nats-io/transport-node"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { serveQueries } from "../../actors/queries/serve.ts"
import { readListed } from "../../edge/bus/lists.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { NO_TRACING } from "../../schemas/runtime/trace/tracing.ts"
import { connectTo, waitFor } from "../harness/index.ts"
import { openScope } from "../support/scope.ts"
import { openWorld, type World } from "./edge.ts"

type Page = Queries["agents"]["output"]

const CLIENT_RECORDS_MAX = 100
const AGENT = { id: "hxa", name: "naïve 🤖 \u0001" } as unknown as Page["items"][number]

const scope = openScope()
let world: World
let line: NatsConnection
let answer: () => Promise<Page>
let asked = 0
beforeAll(async () => {
  world = await openWorld({ limits: { "service.max_client_listed_records": CLIENT_RECORDS_MAX } })
  line = await connectTo(world.nats.url)
  const agents = () => {
    asked++
    return answer()
  }
  const calls = { underWay: 0, serves: () => undefined, settled: () => undefined }
  await scope.make(serveQueries(machineClock, line, { agents }, calls, NO_TRACING))
  await line.flush()
})
afterAll(async () => {
  await scope.close()
  await line.close()
  await world.stop()
})
beforeEach(() => {
  asked = 0
  answer = () => Promise.resolve({ total: 7, items: [AGENT, AGENT] })
})

const list = (perPage: number) => world.edge.call(`/api/v1/agents?per_page=${perPage}`)

it("a list is passed on as the read models wrote it", async () => {
  const { status, headers, text, json } = await list(2)
  expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"])
  expect(text).toBe(
    `{"ok":true,"data":${JSON.stringify([AGENT, AGENT])},"meta":{"page":1,"per_page":2,"total":7,"pages":4}}`
  )
  expect(json.data).toEqual([AGENT, AGENT])
  answer = () => Promise.resolve({ total: 0, items: [] })
  expect((await list(2)).json).toEqual({ ok: true, data: [], meta: { page: 1, per_page: 2, total: 0, pages: 0 } })
})

it.each([
  { total: 0, items: [] },
  { total: 12, items: [{ total: 5, items: ["]}"] }, "a"] },
  { items: [1, 2], total: 3 }
])("what it is made of is found unread: %j", (page) => {
  const { items, total } = readListed(Buffer.from(JSON.stringify(page)))
  expect([JSON.parse(Buffer.from(items).toString()), total]).toEqual([page.items, page.total])
})

it("one client has so many records of lists under way, and room again once they are out", async () => {
  const held = Promise.withResolvers<void>()
  answer = async () => {
    await held.promise
    return { total: 1, items: [AGENT] }
  }
  const first = [list(60), list(40)]
  await waitFor(() => asked === 2, { describe: "two lists to be under way" })
  const refused = await list(1)
  expect([refused.status, refused.json.error.code, refused.headers.get("retry-after")]).toEqual([
    503,
    "overloaded",
    "1"
  ])
  expect(asked).toBe(2)
  held.resolve()
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200])
  await waitFor(async () => (await list(100)).status === 200, { describe: "room for another list" })
})

it("a list that failed, or whose client left, holds no room", async () => {
  answer = () => Promise.reject(new Error("gone"))
  for (let times = 0; times < 3; times++) expect((await list(100)).json.error.code).toBe("unavailable")
  const held = Promise.withResolvers<void>()
  answer = async () => {
    await held.promise
    return { total: 0, items: [] }
  }
  asked = 0
  const leaving = new AbortController()
  const left = world.edge.call("/api/v1/agents?per_page=100", { signal: leaving.signal })
  await waitFor(() => asked === 1, { describe: "a list to be under way" })
  leaving.abort()
  await expect(left).rejects.toThrow()
  held.resolve()
  await waitFor(async () => (await list(100)).status === 200, { describe: "room for another list" })
})
