/** What follows from a commit is done, once and in order, whoever dies or comes meanwhile. On real servers. */
import { afterEach, beforeEach, expect, test } from "vitest"
import { keepMark, readMark } from "../../../actors/reactions/marks.ts"
import type { Reactions } from "../../../actors/reactions/reaction.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type Client, dataOf, type RunningNode, startCluster, type TestCluster } from "../engine/cluster.ts"
import { pebble, pond, ripples, ripplesBehind } from "./pond.ts"

type Ripples = ReadonlyArray<readonly [string, number]>

let cluster: TestCluster
let client: Client
beforeEach(async () => {
  cluster = await startCluster()
  client = await cluster.client("actors")
})
afterEach(() => cluster?.stop())

const node = (set: Reactions = ripples()): Promise<RunningNode> => cluster.node([pebble, pond], {}, [set])

const ask = async (kind: string, actor: string, op: string, input: unknown = null): Promise<unknown> =>
  dataOf(await client.ask({ kind, actor, op, input }))

const thrown = (id: string, into: string) => ask("pebble", id, "pebble.throw", { into })
const seen = async (id: string) => (await ask("pond", id, "pond.look")) as Ripples
const mark = async () => (await readMark(cluster.bus.nats, "pond")).seq
const head = async () => (await cluster.bus.manager.streams.info(streams.events)).state.last_seq

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

test("what comes again from a mark that was not kept in time is done once", async () => {
  const first = await node()
  await throwAll(3)
  await expectRipples(3)
  await waitFor(async () => (await mark()) > PEBBLES.length * 2)
  await first.stop()
  // As a node leaves it that was killed before it could keep how far it was.
  const { seq, revision } = await readMark(cluster.bus.nats, "pond")
  const { nats, manager } = cluster.bus
  const behind = await manager.streams.getMessage(streams.events, { seq: Math.max(1, seq - 50) })
  await keepMark(nats, "pond", { seq: behind?.seq ?? 0, revision })
  await node()
  await throwAll(1)
  await expectRipples(4)
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
  const broken = await waitFor(
    async () => {
      const filter = { subjects_filter: subjects.reactionFaults("pond") }
      const { state } = await cluster.bus.manager.streams.info(streams.reactions, filter)
      return Object.keys(state.subjects ?? {})[0]
    },
    { describe: "the fault" }
  )
  const fault = await cluster.bus.manager.direct.getMessage(streams.reactions, { last_by_subj: broken })
  expect(fault?.json()).toMatchObject({ kind: "pebble", id: "second", error: "internal_error" })
  await waitFor(async () => (await mark()) === (await head()) - 1)
})

test("what fails takes nothing with it that follows from the same commit", async () => {
  const failing = 17
  await node(ripplesBehind(failing))
  await thrown("one", "north")
  await waitFor(async () => (await seen("north")).length === 1)
  await waitFor(async () => (await mark()) >= 1)
  const filter = { subjects_filter: subjects.reactionFaults("pond") }
  const { state } = await cluster.bus.manager.streams.info(streams.reactions, filter)
  const faults = Object.keys(state.subjects ?? {})
  expect(faults).toHaveLength(failing)
  const fault = await cluster.bus.manager.direct.getMessage(streams.reactions, { last_by_subj: faults[0] ?? "" })
  expect(fault?.json()).toMatchObject({ kind: "pebble", id: "one", op: "pond.ripple", actor: "broken" })
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
