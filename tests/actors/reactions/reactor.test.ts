/** What follows from a commit is done, once and in order, whoever dies or comes meanwhile. On real servers. */
import { Effect } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { asideOf } from "../../../actors/reactions/aside.ts"
import { keepMark, readMark } from "../../../actors/reactions/marks.ts"
import type { Reactions } from "../../../actors/reactions/reaction.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type Client, dataOf, type RunningNode, startCluster, type TestCluster } from "../engine/cluster.ts"
import { frozen, pebble, pond, ripples, ripplesBehind } from "./pond.ts"

type Ripples = ReadonlyArray<readonly [string, number]>

let cluster: TestCluster
let client: Client
beforeEach(async () => {
  cluster = await startCluster()
  client = await cluster.client("actors")
})
afterEach(() => {
  frozen.clear()
  return cluster?.stop()
})

const node = (set: Reactions = ripples()): Promise<RunningNode> => cluster.node([pebble, pond], {}, [set])

const ask = async (kind: string, actor: string, op: string, input: unknown = null): Promise<unknown> =>
  dataOf(await client.ask({ kind, actor, op, input }))

const thrown = (id: string, into: string) => ask("pebble", id, "pebble.throw", { into })
const seen = async (id: string) => (await ask("pond", id, "pond.look")) as Ripples
const mark = async () => (await readMark(cluster.bus.nats, "pond")).seq
const head = async () => (await cluster.bus.manager.streams.info(streams.events)).state.last_seq

const aside = (why: "parked" | "fault") => Effect.runPromise(asideOf(cluster.bus.nats, "pond", why))
const faults = (count: number) =>
  waitFor(
    async () => {
      const all = await aside("fault")
      return all.length >= count ? all : null
    },
    { describe: `${count} faults` }
  )

const PEBBLES = Array.from({ length: 20 }, (_, index) => `pebble${index}`)
const PONDS = ["north", "south", "east"]

/** Each pebble is thrown this often, into one pond after the other. */
const throwAll = async (rounds: number): Promise<void> => {
  await Promise.all(
    PEBBLES.map(async (id, index) => {
      for (let round = 0; round < rounds; round++) await thrown(id, PONDS[(index + round) % PONDS.length] ?? "")
    })
  )
}

/** All of it, nothing twice, each pebble's own in the order in which it was thrown. */
const expectRipples = async (rounds: number): Promise<void> => {
  const all = await waitFor(
    async () => {
      const found = (await Promise.all(PONDS.map(seen))).flat()
      return found.length >= PEBBLES.length * rounds ? found : null
    },
    { describe: "every ripple" }
  )
  expect(all.map(([id, number]) => `${id} ${number}`).toSorted()).toEqual(
    PEBBLES.flatMap((id) => Array.from({ length: rounds }, (_, round) => `${id} ${round + 1}`)).toSorted()
  )
  for (const name of PONDS) {
    for (const id of PEBBLES) {
      const numbers = (await seen(name)).filter(([of]) => of === id).map(([, number]) => number)
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    }
  }
}

test("nodes that come and go lose nothing and double nothing", async () => {
  const first = await node()
  const throwing = throwAll(12)
  await waitFor(async () => (await mark()) > 0)
  const second = await node()
  await first.stop()
  await node()
  await second.stop()
  await throwing
  await expectRipples(12)
})

test("all that comes again is done once, however much was done since", async () => {
  const first = await node()
  // Each pond remembers fewer commands than these.
  await throwAll(25)
  await expectRipples(25)
  await first.stop()
  const { nats } = cluster.bus
  const { revision } = await readMark(nats, "pond")
  await keepMark(nats, "pond", { seq: 0, revision })
  await node()
  await throwAll(1)
  await expectRipples(26)
})

test("a mark ahead of the log, which has lost its end, keeps nothing from being done", async () => {
  const { nats } = cluster.bus
  await keepMark(nats, "pond", { seq: (await head()) + 10_000, revision: 0 })
  await node()
  await throwAll(1)
  await expectRipples(1)
})

test("a mark that another has moved is left to it", async () => {
  const { nats } = cluster.bus
  const revision = await keepMark(nats, "pond", { seq: 5, revision: 0 })
  await expect(keepMark(nats, "pond", { seq: 6, revision: 0 })).rejects.toThrow("kept nothing")
  await keepMark(nats, "pond", { seq: 7, revision })
  expect((await readMark(nats, "pond")).seq).toBe(7)
})

test("a refusal is an end, what fails is noted, and neither holds up anything", async () => {
  await node()
  await thrown("first", "dry")
  await thrown("second", "broken")
  await thrown("third", "north")
  await waitFor(async () => (await seen("north")).length === 1)
  const [fault] = await faults(1)
  expect(fault).toMatchObject({ kind: "pebble", id: "second", error: "internal_error" })
  await waitFor(async () => (await mark()) === (await head()) - 1)
})

test("what fails takes nothing with it that follows from the same commit", async () => {
  const failing = 17
  await node(ripplesBehind(failing))
  await thrown("one", "north")
  await waitFor(async () => (await seen("north")).length === 1)
  await waitFor(async () => (await mark()) >= 1)
  const [first, ...others] = await faults(failing)
  expect(others).toHaveLength(failing - 1)
  expect(first).toMatchObject({ kind: "pebble", id: "one", command: { op: "pond.ripple", actor: "broken" } })
})

test("a pond that cannot be had holds up its own ripples and nobody else's", async () => {
  const first = await node()
  frozen.add("north")
  await throwAll(1)
  await thrown("pebble0", "north")
  await waitFor(async () => (await aside("parked")).length > 1, { describe: "what is parked" })
  await waitFor(async () => (await mark()) >= PEBBLES.length)
  expect(await seen("north")).toEqual([])
  expect((await seen("south")).length + (await seen("east")).length).toBe(13)
  await first.stop()
  await node()
  await thrown("pebble1", "north")
  frozen.clear()
  const ripples = await waitFor(async () => {
    const all = await seen("north")
    return all.length === 9 ? all : null
  })
  expect(ripples.slice(-2)).toEqual([
    ["pebble0", 2],
    ["pebble1", 2]
  ])
  await waitFor(async () => (await aside("parked")).length === 0)
})

test("an older release stops at what it does not know, and a newer one goes on there", async () => {
  const older = await node(ripples(false))
  await thrown("one", "north")
  await waitFor(async () => (await seen("north")).length === 1)
  const without = await cluster.node([pebble, pond])
  await older.stop()
  // All of it is there when the next begins: what it knows must be done, though it meets the other at once.
  for (let round = 0; round < 150; round++) await thrown("one", "east")
  const known = await head()
  await ask("pebble", "one", "pebble.skip")
  await thrown("one", "north")
  await thrown("two", "south")
  const again = await node(ripples(false))
  await without.stop()
  await waitFor(async () => (await seen("east")).length === 150)
  const stands = await waitFor(async () => ((await mark()) === known ? known : null))
  await again.stop()
  expect(await readMark(cluster.bus.nats, "pond")).toMatchObject({ seq: stands })
  await node()
  await waitFor(async () => (await seen("north")).length === 2 && (await seen("south")).length === 1)
})

test("the mark follows the log where nothing of it is the set's", async () => {
  await node()
  await thrown("a", "north")
  await waitFor(async () => (await seen("north")).length === 1, { describe: "the ripple" })
  await cluster.bus.nats.request(subjects.event("other", "a"), "{}")
  const other = await head()
  await waitFor(async () => (await mark()) >= other, { describe: "the mark to be past it" })
})
