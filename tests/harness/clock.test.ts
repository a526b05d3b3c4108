/** Tests the clocks that tests move. */
import { Effect, Fiber, Schedule } from "effect"
import { expect, it } from "vitest"
import { after, every, machineClock, monotonicMs, wallMs } from "../../schemas/runtime/clock.ts"
import { movableClock, onClock, standingClock } from "./clock.ts"

const HOUR_MS = 3_600_000
const SLACK_MS = 60_000

it("shows real time until it is moved, and then as much more", () => {
  const clock = movableClock()
  const [wall, monotonic] = [wallMs(clock), monotonicMs(clock)]
  expect(Math.abs(wall - wallMs(machineClock))).toBeLessThan(SLACK_MS)
  clock.move(HOUR_MS)
  expect(wallMs(clock) - wall).toBeGreaterThanOrEqual(HOUR_MS)
  expect(wallMs(clock) - wall).toBeLessThan(HOUR_MS + SLACK_MS)
  expect(monotonicMs(clock) - monotonic).toBeGreaterThanOrEqual(HOUR_MS)
  expect(clock.now()).toBeGreaterThanOrEqual(wall + HOUR_MS)
})

it("stands where that is wanted, and says how long its timers have left", () => {
  const clock = standingClock()
  const [wall, monotonic] = [wallMs(clock), monotonicMs(clock)]
  const fired: Array<string> = []
  after(clock, HOUR_MS, () => fired.push("second"))
  after(clock, 0, () => fired.push("first"))
  expect(clock.waits()).toEqual([0, HOUR_MS])
  const moved = () => [wallMs(clock) - wall, monotonicMs(clock) - monotonic, fired]
  clock.move(0)
  expect(moved()).toEqual([0, 0, ["first"]])
  clock.move(HOUR_MS)
  expect(moved()).toEqual([HOUR_MS, HOUR_MS, ["first", "second"]])
  expect(clock.waits()).toEqual([])
})

it("fires what is due in the order of its time, and leaves the rest", () => {
  const clock = movableClock()
  const fired: Array<string> = []
  const late = after(clock, 3 * HOUR_MS, () => fired.push("late"))
  after(clock, 2 * HOUR_MS, () => fired.push("second"))
  after(clock, HOUR_MS, () => fired.push("first"))
  clock.move(2 * HOUR_MS + 1)
  expect(fired).toEqual(["first", "second"])
  clock.move(HOUR_MS)
  expect(fired).toEqual(["first", "second", "late"])
  late()
})

it("does not fire what was called off, even by a timer of the same move", () => {
  const clock = movableClock()
  const fired: Array<string> = []
  const called = after(clock, HOUR_MS, () => fired.push("called off"))
  called()
  const second = after(clock, 2 * HOUR_MS, () => fired.push("second"))
  after(clock, HOUR_MS, () => {
    fired.push("first")
    second()
  })
  clock.move(3 * HOUR_MS)
  expect(fired).toEqual(["first"])
})

it("counts what is set during a move from the new time", () => {
  const clock = movableClock()
  let turns = 0
  const end = every(clock, HOUR_MS, () => turns++)
  clock.move(5 * HOUR_MS)
  expect(turns).toBe(1)
  clock.move(HOUR_MS)
  expect(turns).toBe(2)
  end()
  clock.move(HOUR_MS)
  expect(turns).toBe(2)
})

it("fires by itself as real time passes, sooner after a move", async () => {
  const clock = movableClock()
  const woken = new Promise<void>((resolve) => void after(clock, HOUR_MS, resolve))
  clock.move(HOUR_MS - 20)
  await woken
})

it("wakes effects that sleep, repeat and time out", async () => {
  const clock = movableClock()
  const woken: Array<string> = []
  const told = (word: string) => Effect.sync(() => void woken.push(word))
  const sleeper = Effect.runFork(onClock(clock)(Effect.andThen(Effect.sleep(HOUR_MS), told("slept"))))
  const late = Effect.timeoutOrElse(Effect.never, { duration: 2 * HOUR_MS, orElse: () => told("timed out") })
  const waiting = Effect.runFork(onClock(clock)(late))
  const repeating = Effect.runFork(onClock(clock)(Effect.repeat(told("turn"), Schedule.spaced(5 * HOUR_MS))))
  await Effect.runPromise(Effect.yieldNow)
  clock.move(2 * HOUR_MS + 1)
  await Effect.runPromise(Effect.andThen(Fiber.join(sleeper), Fiber.join(waiting)))
  expect(woken).toEqual(["turn", "slept", "timed out"])
  clock.move(3 * HOUR_MS)
  await expect.poll(() => woken.length).toBe(4)
  await Effect.runPromise(Fiber.interrupt(repeating))
})

it("passes until something has come of it", async () => {
  const clock = movableClock()
  const woken = new Promise<string>((resolve) => void after(clock, HOUR_MS, () => resolve("woken")))
  expect(await clock.passing(woken, HOUR_MS / 2)).toBe("woken")
})

it("refuses to go back", () => {
  expect(() => movableClock().move(-1)).toThrow(RangeError)
})

it("fires what is due at exactly the time that it is moved to, wherever it stands", () => {
  for (let time = 0; time < 1000; time++) {
    const clock = standingClock()
    for (const ms of [300, HOUR_MS, 24 * HOUR_MS]) {
      after(clock, ms, () => undefined)
      clock.move(ms)
      expect(clock.waits()).toEqual([])
    }
  }
})
