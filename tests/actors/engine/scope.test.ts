/** What a node holds on the bus ends with its scope, though its connection stays. */
import { NoRespondersError, RequestError } from "@nats-io/transport-node"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ScheduledTimers } from "../../../actors/engine/timers.ts"
import { packAsks } from "../../../schemas/bus/frames.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { openScope } from "../../support/scope.ts"
import { pebble, pond, ripples } from "../reactions/pond.ts"
import { startCluster, type TestCluster } from "./cluster.ts"

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster?.stop())

/** Whether anybody listens there. */
const heard = async (subject: string): Promise<boolean> => {
  try {
    await cluster.bus.nats.request(subject, packAsks([]), { timeout: 500 })
  } catch (error) {
    if (error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders())) return false
  }
  return true
}

const consumersOf = async (stream: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for await (const { config } of cluster.bus.manager.consumers.list(stream))
    if (config.durable_name === undefined) found.push(config.name ?? "")
  return found
}

test("a node that is stopped has no subscription and no consumer left", async () => {
  const { view } = await cluster.client("actors")
  const node = await cluster.node([pebble, pond], {}, [ripples()])
  await cluster.settled(view, 1)
  const [session = ""] = view.sessions()
  const ears = [subjects.nodePing(session), subjects.node(session, "actors"), subjects.suspect, subjects.projected]
  expect(await Promise.all(ears.map(heard))).toEqual([true, true, true, true])
  const read = [streams.events, streams.nonces, streams.proofs]
  await waitFor(async () => (await Promise.all(read.map(consumersOf))).every((found) => found.length > 0), {
    describe: "the node to read what it follows"
  })
  await node.stop()
  // The server takes note of it in its own time: what ends goes over another connection than what asks.
  await waitFor(async () => !(await Promise.all(ears.map(heard))).includes(true), { describe: "nobody to listen" })
  expect(await Promise.all(read.map(consumersOf))).toEqual([[], [], []])
})

test("a timer that is under way as its node ends is given to another at once", async () => {
  const { nats, manager } = cluster.bus
  const [ends, stays] = [openScope(), openScope()]
  const timers = new ScheduledTimers(nats)
  const held: Array<string> = []
  const never = new Promise<never>(() => undefined)
  await ends.make(
    timers.deliver(
      manager,
      ({ id }) => {
        held.push(id)
        return never
      },
      () => "clock.struck"
    )
  )
  await timers.set("clock", "left", "once", Date.now())
  await waitFor(() => held.length > 0, { describe: "the timer to be under way" })
  const taken: Array<string> = []
  const other = new ScheduledTimers(await cluster.bus.connection())
  await stays.make(
    other.deliver(
      manager,
      ({ id }) => {
        taken.push(id)
        return Promise.resolve({ head: {}, body: new Uint8Array(0) })
      },
      () => "clock.struck"
    )
  )
  await ends.close()
  await waitFor(() => taken.length > 0, { describe: "the other to have it" })
  expect(taken).toEqual(held)
  await stays.close()
})
