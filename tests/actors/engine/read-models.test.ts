/** How long a write waits for the read models. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { Announcer, Watermarks } from "../../../actors/engine/read-models.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { movableClock, onClock, waitFor } from "../../harness/index.ts"
import { openScope } from "../../support/scope.ts"
import { type EngineBus, startBus } from "./bus.ts"

/** Longer than any of these tests: a wait that ends was ended by an announcement, or was none. */
const LONG_MS = 600_000

const scope = openScope()
let bus: EngineBus

beforeAll(async () => {
  bus = await startBus()
})
afterAll(async () => {
  await scope.close()
  await bus?.stop()
})

const READERS = new Map([
  ["agent", ["agent", "notification"]],
  ["category", ["category"]]
])

const category = (seq: number) => [{ kind: "category", seq }]

const projected = async (seq: number, projection = "category"): Promise<void> => {
  const announcer = await scope.make(Announcer.make(bus.nats))
  announcer.moved(projection, seq, true)
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
  const clock = movableClock()
  const models = await scope.make(onClock(clock)(Watermarks.make(bus.nats, LONG_MS, READERS)))
  await projected(5)
  await models.reached(category(5))
  // Nothing is written for a while: that the watermark stands still meanwhile is no fault of the read models'.
  clock.move(2 * LONG_MS)
  const waits = [watched(models.reached(category(6))), watched(models.reached(category(7)))]
  await turn()
  expect(waits.map(({ over }) => over)).toEqual([false, false])
  await projected(6)
  await waitFor(() => waits[0]?.over, { describe: "the first write's answer" })
  expect(waits[1]?.over).toBe(false)
  await projected(7)
  await waitFor(() => waits[1]?.over, { describe: "the second write's answer" })
})

test("while the watermark does not move one write at a time waits; when it does, all do again", async () => {
  const models = await scope.make(Watermarks.make(bus.nats, 50, READERS))
  await models.reached(category(1))
  const probe = watched(models.reached(category(2)))
  for (let write = 3; write < 10; write++) await models.reached(category(write))
  expect(probe.over).toBe(false)
  await projected(9)
  await waitFor(() => probe.over, { describe: "the probe's answer" })
  const both = [watched(models.reached(category(10))), watched(models.reached(category(11)))]
  await turn()
  expect(both.map(({ over }) => over)).toEqual([false, false])
})

test("a write waits for every projection that reads what it wrote, and for no other", async () => {
  const models = await scope.make(Watermarks.make(bus.nats, LONG_MS, READERS))
  const wait = watched(
    models.reached([
      { kind: "agent", seq: 20 },
      { kind: "handle", seq: 21 },
      { kind: "category", seq: 22 }
    ])
  )
  await projected(20, "agent")
  await projected(22)
  await models.reached([{ kind: "handle", seq: 99 }])
  await models.reached(category(22))
  expect(wait.over).toBe(false)
  await projected(19, "notification")
  await projected(21, "agent")
  await models.reached([{ kind: "nothing", seq: 1 }])
  await turn()
  expect(wait.over).toBe(false)
  await projected(20, "notification")
  await waitFor(() => wait.over, { describe: "the answer" })
})

test("a projection that stands still holds up none of the others' writes", async () => {
  const models = await scope.make(Watermarks.make(bus.nats, 50, READERS))
  const probe = watched(models.reached([{ kind: "agent", seq: 30 }]))
  await projected(30, "agent")
  await waitFor(() => probe.over, { describe: "the bound of the wait" })
  const [held, free] = [watched(models.reached([{ kind: "agent", seq: 31 }])), watched(models.reached(category(31)))]
  await turn()
  expect([held.over, free.over]).toEqual([false, false])
  await projected(31)
  await waitFor(() => free.over, { describe: "the write that the other projection has" })
})

test("a batch that changed nothing is told of with the next that did, and soon without one", async () => {
  const heard: Array<string> = []
  bus.nats.subscribe(subjects.projected, {
    callback: (_error, message) => void heard.push(message.string())
  })
  const announcer = await scope.make(Announcer.make(bus.nats))
  announcer.moved("notification", 50, false)
  announcer.moved("notification", 52, false)
  announcer.moved("agent", 51, true)
  await waitFor(() => heard.length === 1, { describe: "both" })
  announcer.moved("notification", 53, false)
  await waitFor(() => heard.length === 2, { describe: "the one" })
  expect(heard).toEqual(["notification=52 agent=51", "notification=53"])
})
