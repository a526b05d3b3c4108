/** Bytes of a day, and a part of them that some callers have (actors/limit/day-bytes.ts). */
import { Effect, Exit } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type DayBytes, dayBytes, type DayShare, newDayBytes } from "../../../actors/limit/noun.ts"
import { refusal } from "../../../schemas/errors.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { streams } from "../../../schemas/subjects.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"

const WHOLE = 100_000
const PART = 50_000
const OF_WHOLE: DayShare = { whole: WHOLE }
const OF_PART: DayShare = { whole: WHOLE, part: PART }

let bus: EngineBus
beforeAll(async () => {
  bus = await startBus()
})
afterAll(() => bus.stop())

let owners = 0
const opened = () => {
  const bytes = dayBytes(machineClock, bus.nats, "answer_bytes", () => refusal("rate_limited", "spent"))
  const owner = `owner${owners++}`
  const used = { own: 0, part: 0 }
  let memory: DayBytes = newDayBytes()
  const take = async (size: number, share: DayShare): Promise<boolean> => {
    if (!Exit.isSuccess(await Effect.runPromiseExit(bytes.admit(memory, owner, size, share)))) return false
    bytes.use(memory, size, share)
    used[share.part === undefined ? "own" : "part"] += size
    return true
  }
  const roomOf = async (share: DayShare) => (await Effect.runPromise(bytes.roomOf(memory, owner, share))).bytes
  return { take, roomOf, used, restart: () => (memory = newDayBytes()) }
}

const written = async (): Promise<number> => (await bus.manager.streams.info(streams.limits)).state.last_seq

test("slices of the part are one write each, and double from the bytes that are needed first", async () => {
  const { take } = opened()
  const before = await written()
  for (let taken = 0, slice = 1, writes = 1; writes < 5; writes++, slice *= 2)
    for (let n = 0; n < slice; n++, taken++) {
      expect(await take(100, OF_PART)).toBe(true)
      expect(await written(), `after ${taken + 1}`).toBe(before + writes)
    }
})

test("whoever takes little after each of many restarts loses nothing", async () => {
  const { take, restart } = opened()
  for (let n = 0; n < PART / 1000; n++) {
    expect(await take(1000, OF_PART), `after ${n}`).toBe(true)
    restart()
  }
  expect(await take(1000, OF_PART)).toBe(false)
})

test("callers with a part use no more than it, and leave the rest to the others", async () => {
  const { take, roomOf, used } = opened()
  while (await take(1000, OF_PART));
  expect(used.part).toBe(PART)
  expect([await roomOf(OF_PART), await roomOf(OF_WHOLE)]).toEqual([0, WHOLE - PART])
  while (await take(1000, OF_WHOLE));
  expect(used.own).toBe(WHOLE - PART)
  expect(await take(1, OF_PART)).toBe(false)
})

test("callers with a part get no more than the others have left", async () => {
  const { take, roomOf, used } = opened()
  while (used.own < WHOLE - 10_000) await take(1000, OF_WHOLE)
  while (await take(500, OF_PART));
  expect(used.own + used.part).toBeLessThanOrEqual(WHOLE)
  expect(await roomOf(OF_PART)).toBeLessThan(500)
})

test("whoever takes what, in whatever order, also across restarts, neither bound is passed", async () => {
  const step = fc.tuple(fc.constantFrom("own", "part", "restart"), fc.integer({ min: 1, max: 30_000 }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const { take, roomOf, used, restart } = opened()
      for (const [what, size] of steps) {
        if (what === "restart") {
          restart()
          continue
        }
        const share = what === "own" ? OF_WHOLE : OF_PART
        const room = await roomOf(share)
        expect(await take(size, share)).toBe(size <= room)
        expect(used.part).toBeLessThanOrEqual(PART)
        expect(used.own + used.part).toBeLessThanOrEqual(WHOLE)
      }
    }),
    { numRuns: 30 }
  )
})
