/** Processes that answer a question of the operator without end. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { answersTo, type Bounds } from "../../../ops/status/answers.ts"
import { type EngineBus, startBus } from "../../actors/engine/bus.ts"

let bus: EngineBus
beforeAll(async () => {
  bus = await startBus()
})
afterAll(() => bus?.stop())

const PAUSE_MS = 5
const LONG_MS = 600_000
const UNBOUNDED: Bounds = { stallMs: LONG_MS, withinMs: LONG_MS, max: Number.MAX_SAFE_INTEGER }

/** The number of answers that are taken from a process that answers every `PAUSE_MS` for as long as it is listened to. */
const takenOfMany = async (subject: string, bounds: Bounds): Promise<number> => {
  const liar = await bus.connection()
  let answering: NodeJS.Timeout | undefined
  liar.subscribe(subject, {
    callback: (_error, message) => {
      answering = setInterval(() => message.respond("here"), PAUSE_MS)
    }
  })
  await liar.flush()
  let taken = 0
  try {
    for await (const _ of answersTo(bus.nats, subject, "", bounds)) taken++
  } finally {
    clearInterval(answering)
  }
  return taken
}

test("no more are taken than the most", async () => {
  expect(await takenOfMany("test.many", { ...UNBOUNDED, max: 7 })).toBe(7)
})

test("none is waited for beyond the time, although each comes without a pause", async () => {
  expect(await takenOfMany("test.endless", { ...UNBOUNDED, withinMs: 2000 })).toBeGreaterThan(0)
})

test("where nobody listens, there are none", async () => {
  for await (const answer of answersTo(bus.nats, "test.nobody", "", UNBOUNDED)) expect(answer).toBeUndefined()
})
