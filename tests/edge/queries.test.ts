/** Queries whose nodes are frozen, slow or gone. */
import { createInbox, headers, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Asked, serveQueries } from "../../actors/queries/serve.ts"
import { DEADLINE_HEADER, TAKEN_HEADER } from "../../schemas/runtime/bus/parts.ts"
import { requestsOf } from "../../actors/log/requests.ts"
import { machineClock, wallMs } from "../../schemas/runtime/clock.ts"
import { QueryClient } from "../../schemas/runtime/bus/queries.ts"
import { queueGroups, subjects } from "../../schemas/subjects.ts"
import { NO_TRACING } from "../../schemas/runtime/trace/tracing.ts"
import { openNats, type TestNats } from "./edge.ts"
import { openScope } from "../support/scope.ts"
import { connectTo, standingClock } from "../harness/index.ts"

/** As long as a request has. */
const DEADLINE_MS = 10_000
const ASKS = 40
/** Longer than the first tries are apart, all together. */
const SLOW_MS = 1500
/** Longer than a node is silent. */
const TAKEN_MS = 500

let bus: TestNats
const lines: Array<NatsConnection> = []
const line = async (): Promise<NatsConnection> => {
  const nats = await connectTo(bus.url)
  lines.push(nats)
  return nats
}

beforeAll(async () => {
  bus = await openNats()
})
afterAll(async () => {
  await scope.close()
  await Promise.all(lines.map((nats) => nats.close()))
  await bus.stop()
})

const scope = openScope()
const calls = { underWay: 0, serves: () => undefined, settled: () => undefined }
const clientOf = (nats: NatsConnection) =>
  new QueryClient(machineClock, requestsOf(nats), { newHeaders: headers, isClosed: () => nats.isClosed() })
const ask = async (client: QueryClient<MsgHdrs>, view: string): Promise<unknown> => {
  const answer = await client.ask(subjects.query(view), Buffer.from("null"), Date.now() + DEADLINE_MS)
  return answer === null ? "no answer" : JSON.parse(Buffer.from(answer).toString())
}

test("one of three nodes that is frozen costs a moment, and no query its answer", async () => {
  const frozen = await line()
  frozen.subscribe(subjects.query("alive"), { queue: queueGroups.queries, callback: () => undefined })
  for (let well = 0; well < 2; well++)
    await scope.make(
      serveQueries(machineClock, await line(), { alive: () => Promise.resolve(null) }, calls, NO_TRACING)
    )
  const client = clientOf(await line())
  const answers = await Promise.all(Array.from({ length: ASKS }, () => ask(client, "alive")))
  expect(answers).toEqual(answers.map(() => ({ ok: true, data: null })))
})

test("a slow node that says that it is at work is asked once", async () => {
  let asked = 0
  const slow = async () => {
    asked++
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    return []
  }
  await scope.make(serveQueries(machineClock, await line(), { categories: slow }, calls, NO_TRACING))
  expect(await ask(clientOf(await line()), "categories")).toEqual({ ok: true, data: [] })
  expect(asked).toBe(1)
})

test("who does not say that it understands that is told nothing but the answer", async () => {
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, TAKEN_MS))
    return []
  }
  await scope.make(serveQueries(machineClock, await line(), { stats: slow as never }, calls, NO_TRACING))
  const older = await line()
  const answer = await older.request(subjects.query("stats"), "null", { timeout: DEADLINE_MS })
  expect(answer.json()).toEqual({ ok: true, data: [] })
})

test("tries one that has little time often in it, and one that has much no more often than before", async () => {
  const triesWithin = async (ms: number): Promise<number> => {
    const clock = standingClock()
    let tries = 0
    const sends = { send: () => ++tries, forget: () => undefined }
    const client = new QueryClient(clock, sends, { newHeaders: headers, isClosed: () => false })
    const answer = client.ask("nobody", new Uint8Array(), wallMs(clock) + ms)
    for (let passed = 0; passed < ms; passed += 25) clock.move(25)
    expect(await answer).toBeNull()
    return tries
  }
  expect(await triesWithin(1000)).toBe(8)
  expect(await triesWithin(400)).toBe(4)
  expect(await triesWithin(10_000)).toBe(13)
})

test("a query that changes something is not begun after its deadline", async () => {
  const begun: Array<string> = []
  const handlers = {
    keeper_issue: ({ place }: { readonly place: string }) => {
      begun.push(place)
      return Promise.resolve({ token: "t" })
    }
  }
  await scope.make(
    serveQueries(machineClock, await line(), handlers, calls, NO_TRACING, { changes: true, timeoutMs: 1000 })
  )
  const asker = await line()
  const sent = async (place: string, deadline: number | null): Promise<unknown> => {
    const more = headers()
    if (deadline !== null) more.set(DEADLINE_HEADER, String(deadline))
    const input = JSON.stringify({ agent: "a", place })
    const asked = asker.request(subjects.query("keeper_issue"), input, { headers: more, timeout: TAKEN_MS })
    return asked.then(
      (answer) => answer.json(),
      () => "no answer"
    )
  }
  expect(await sent("late", Date.now() - 1)).toBe("no answer")
  expect(await sent("in time", Date.now() + DEADLINE_MS)).toEqual({ ok: true, data: { token: "t" } })
  expect(await sent("of an older release", null)).toEqual({ ok: true, data: { token: "t" } })
  expect(begun).toEqual(["in time", "of an older release"])
})

test("a query knows its deadline: its asker's, or its node's if that is earlier", async () => {
  const deadlines: Array<number> = []
  const handlers = {
    keeper_health: (_input: null, { deadline }: Asked) => {
      deadlines.push(deadline)
      return Promise.resolve({ key_ok: true })
    }
  }
  const timeoutMs = 2000
  await scope.make(serveQueries(machineClock, await line(), handlers, calls, NO_TRACING, { changes: true, timeoutMs }))
  const client = clientOf(await line())
  const asked = Date.now()
  await client.ask(subjects.query("keeper_health"), Buffer.from("null"), asked + 1500)
  await client.ask(subjects.query("keeper_health"), Buffer.from("null"), asked + 60_000)
  expect(deadlines[0]).toBe(asked + 1500)
  expect(deadlines[1]).toBeLessThanOrEqual(Date.now() + timeoutMs)
})

test.each([
  [{}, "again and again", 4],
  [{ onlyResponds: true as const }, "once where few responses are allowed", 1]
])("a query that takes long is told of: %j, %s", async (serving, _how, most) => {
  const clock = standingClock()
  const { promise, resolve } = Promise.withResolvers<null>()
  const view = `long-${most}`
  const nats = await line()
  await scope.make(
    serveQueries(clock, nats, { [view]: () => promise }, calls, NO_TRACING, { ...serving, timeoutMs: 60_000 })
  )
  const asker = await line()
  const notices: Array<boolean> = []
  const inbox = createInbox()
  asker.subscribe(inbox, {
    callback: (_error, { headers: sent }) => void notices.push(sent?.has(TAKEN_HEADER) === true)
  })
  const asks = headers()
  asks.set(TAKEN_HEADER, "1")
  await nats.flush()
  asker.publish(subjects.query(view), "null", { reply: inbox, headers: asks })
  await asker.flush()
  await nats.flush()
  for (let moved = 0; moved < 5000; moved += 500) clock.move(500)
  await nats.flush()
  await asker.flush()
  // A query under way would hold up the end of the tests.
  resolve(null)
  expect(notices).toEqual(Array.from({ length: most }, () => true))
  await expect.poll(() => notices.at(-1)).toBe(false)
})
