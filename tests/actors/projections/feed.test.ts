/** One reading of the log for all projections: each gets its own, once and in order, wherever it begins. */
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Feed, type ReadSource } from "../../../actors/projections/feed.ts"
import { NO_TRACING } from "../../../schemas/runtime/trace/tracing.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type OwnBus, startOwnBus } from "../engine/bus.ts"

const { eventsOf } = subjects
const AGENT: ReadSource = { stream: streams.events, subjects: [eventsOf("agent")], kinds: ["agent"] }
const DELIVERY: ReadSource = {
  stream: streams.events,
  subjects: [eventsOf("delivery"), eventsOf("agent")],
  kinds: ["delivery", "agent"]
}
const CATEGORY: ReadSource = { stream: streams.events, subjects: [eventsOf("category")], kinds: ["category"] }
/** Messages before the end that are read for all. */
const NEAR = 1000

let bus: OwnBus
const open: Array<Scope.Closeable> = []

beforeAll(async () => {
  bus = await startOwnBus()
})
afterAll(async () => {
  for (const scope of open) await close(scope)
  await bus.stop()
})

const write = async (kind: string, timeout = 60_000): Promise<number> => {
  const reply = await bus.nats.request(subjects.event(kind, "one"), "{}", { timeout })
  return reply.json<{ seq: number }>().seq
}

const close = (scope: Scope.Closeable): Promise<void> => Effect.runPromise(Scope.close(scope, Exit.void))

const join = async (feed: Feed, read: ReadSource, from: number) => {
  const got: Array<number> = []
  const scope = Scope.makeUnsafe()
  open.push(scope)
  const reading = feed.read(read, from, ({ seq }) => got.push(seq))
  const { pending, at } = await Effect.runPromise(Scope.provide(reading, scope))
  return { got, pending, at, stop: () => close(scope) }
}

const consumers = async (): Promise<number> => {
  let count = 0
  for await (const _one of bus.manager.consumers.list(streams.events)) count++
  return count
}

/** Messages that consumers have brought. */
const delivered = async (): Promise<number> => {
  let sum = 0
  for await (const { delivered: of } of bus.manager.consumers.list(streams.events)) sum += of.consumer_seq
  return sum
}

/** More than are read again for all. */
const MANY = 1100

const writeMany = async (kind: string): Promise<void> => {
  const all = Array.from({ length: MANY }, () => write(kind))
  await Promise.all(all)
}

test("readers share a reading; one from far behind goes over to it; the last to leave ends it", async () => {
  const feed = new Feed(bus.nats, NO_TRACING, streams.events, NEAR)
  const before = await consumers()
  const missed = await write("category")
  await writeMany("handle")
  const seqs = []
  for (const kind of ["agent", "category", "handle", "delivery", "agent"]) seqs.push(await write(kind))
  const [first = 0, category = 0, , delivery = 0, last = 0] = seqs
  const [agents, deliveries] = await Promise.all([join(feed, AGENT, first), join(feed, DELIVERY, first)])
  await waitFor(() => deliveries.got.length === 3, { describe: "what is there" })
  expect([agents.got, deliveries.got]).toEqual([
    [first, last],
    [first, delivery, last]
  ])
  expect(await consumers()).toBe(before + 1)
  const behind = await join(feed, CATEGORY, missed)
  await waitFor(() => behind.got.length === 2, { describe: "what it had missed" })
  expect(await consumers()).toBe(before + 2)
  const next = [await write("category"), await write("agent"), await write("category")]
  await waitFor(() => behind.got.length === 4 && agents.got.length === 3, { describe: "what is new" })
  expect([behind.got, agents.got]).toEqual([
    [missed, category, next[0], next[2]],
    [first, last, next[1]]
  ])
  await waitFor(async () => (await consumers()) === before + 1, { describe: "the reading for itself to end" })
  expect(await behind.pending()).toBe(0)
  await agents.stop()
  await deliveries.stop()
  const alone = await write("category")
  await waitFor(() => behind.got.includes(alone), { describe: "the one that is left to go on" })
  await behind.stop()
  await waitFor(async () => (await consumers()) === before, { describe: "nothing to be left" })
})

test("the first to begin, from far behind, makes nobody else read what it reads", async () => {
  const from = await write("category")
  await writeMany("agent")
  const last = await write("agent")
  const feed = new Feed(bus.nats, NO_TRACING, streams.events, NEAR)
  const before = await consumers()
  const [behind, agents, rare] = await Promise.all([
    join(feed, CATEGORY, from),
    join(feed, AGENT, last),
    // Nothing of its own lies there: it need not be read to know that.
    join(feed, { ...CATEGORY, subjects: [eventsOf("roadmap")], kinds: ["roadmap"] }, 1)
  ])
  expect(await consumers()).toBe(before + 2)
  await waitFor(() => behind.got.length === 1 && agents.got.length === 1, { describe: "each to have its own" })
  expect([behind.got, agents.got, rare.got]).toEqual([[from], [last], []])
  for (const one of [behind, agents, rare]) await one.stop()
  await waitFor(async () => (await consumers()) === before, { describe: "nothing to be left" })
})

test("a reader of a rare kind stands where the log was read to, and begins again there", async () => {
  const feed = new Feed(bus.nats, NO_TRACING, streams.events, NEAR)
  const before = [await consumers(), await delivered()]
  const from = await write("agent")
  const [agents, rare] = await Promise.all([join(feed, AGENT, from), join(feed, CATEGORY, from)])
  await writeMany("agent")
  const last = await write("agent")
  await waitFor(() => rare.at() === last, { describe: "the rare one to be past all of it" })
  expect([agents.at(), rare.got]).toEqual([last, []])
  for (const one of [agents, rare]) await one.stop()
  const news = [await write("agent"), await write("category"), await write("agent")]
  const again = new Feed(bus.nats, NO_TRACING, streams.events, NEAR)
  const [busy, seldom] = await Promise.all([join(again, AGENT, last + 1), join(again, CATEGORY, last + 1)])
  await waitFor(() => busy.got.length === 2 && seldom.got.length === 1, { describe: "what is new" })
  // The new messages came once for both, and nothing else came.
  expect([await consumers(), await delivered()]).toEqual([Number(before[0]) + 1, Number(before[1]) + news.length])
  expect([busy.got, seldom.got]).toEqual([[news[0], news[2]], [news[1]]])
  for (const one of [busy, seldom]) await one.stop()
})

test("one from behind goes over to the others without a further message of its own", async () => {
  const feed = new Feed(bus.nats, NO_TRACING, streams.events, NEAR)
  const missed = await write("category")
  await writeMany("agent")
  const agents = await join(feed, AGENT, await write("agent"))
  const before = await consumers()
  const behind = await join(feed, CATEGORY, missed)
  const last = await write("agent")
  await waitFor(() => behind.at() === last, { describe: "it to be past what is not its own" })
  await waitFor(async () => (await consumers()) === before, { describe: "its own reading to end" })
  expect(behind.got).toEqual([missed])
  for (const one of [agents, behind]) await one.stop()
})

test("whoever leaves and comes again at an older place gets everything from there on, once", async () => {
  const feed = new Feed(bus.nats, NO_TRACING, streams.events, NEAR)
  const from = await write("agent")
  const stays = await join(feed, DELIVERY, from)
  const leaves = await join(feed, AGENT, from)
  const written = [from]
  for (let time = 0; time < 20; time++) written.push(await write("agent"))
  await waitFor(() => leaves.got.length === written.length, { describe: "all" })
  await leaves.stop()
  const again = await join(feed, AGENT, written[10] ?? 0)
  for (let time = 0; time < 20; time++) written.push(await write("agent"))
  await waitFor(() => again.got.at(-1) === written.at(-1) && stays.got.at(-1) === written.at(-1), {
    describe: "the newest"
  })
  expect([again.got, stays.got]).toEqual([written.slice(10), written])
})

test("a line that was lost is found again, by each", async () => {
  const feed = new Feed(bus.nats, NO_TRACING, streams.events, NEAR)
  const from = await write("agent")
  const [one, other] = await Promise.all([join(feed, AGENT, from), join(feed, DELIVERY, from)])
  await bus.servers.nats.kill()
  await bus.servers.nats.restart()
  // What went over the old line is answered by nobody.
  const next = await waitFor(() => write("agent", 1000), { describe: "the log to take a commit" })
  await waitFor(() => one.got.includes(next) && other.got.includes(next), { describe: "both to have it" })
  expect(one.got).toEqual(other.got)
  expect(new Set(one.got).size).toBe(one.got.length)
})
