/** How long a write waits for the read models. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { Watermark } from "../../../actors/engine/read-models.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type EngineBus, startBus } from "./bus.ts"

/** Longer than any of these tests: a wait that ends was ended by an announcement, or was none. */
const LONG_MS = 600_000

let bus: EngineBus

beforeAll(async () => {
  bus = await startBus()
})
afterAll(() => bus?.stop())

const announce = async (seq: number): Promise<void> => {
  bus.nats.publish(subjects.projected, String(seq))
  await bus.nats.flush()
}

/** Whether a wait is over, once all that can go on has. */
const watched = (wait: Promise<void>) => {
  const seen = { over: false }
  void wait.then(() => {
    seen.over = true
  })
  return seen
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test("writes that come together after an idle while all wait, however long ago the watermark moved", async () => {
  const models = new Watermark(bus.nats, LONG_MS)
  await announce(5)
  await models.reached(5)
  // Nothing is written for a while: that the watermark stands still meanwhile is no fault of the read models'.
  const idleFrom = performance.now()
  await waitFor(() => performance.now() - idleFrom > 1100, { describe: "an idle second" })
  const waits = [watched(models.reached(6)), watched(models.reached(7))]
  await turn()
  expect(waits.map(({ over }) => over)).toEqual([false, false])
  await announce(6)
  await waitFor(() => waits[0]?.over, { describe: "the first write's answer" })
  expect(waits[1]?.over).toBe(false)
  await announce(7)
  await waitFor(() => waits[1]?.over, { describe: "the second write's answer" })
})

test("while the watermark does not move one write at a time waits; when it does, all do again", async () => {
  const models = new Watermark(bus.nats, 50)
  await models.reached(1)
  const probe = watched(models.reached(2))
  for (let write = 3; write < 10; write++) await models.reached(write)
  expect(probe.over).toBe(false)
  await announce(9)
  await waitFor(() => probe.over, { describe: "the probe's answer" })
  const both = [watched(models.reached(10)), watched(models.reached(11))]
  await turn()
  expect(both.map(({ over }) => over)).toEqual([false, false])
})
