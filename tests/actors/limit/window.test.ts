/** The window of every rate limit: what is granted, over any sequence of draws. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { draw, type Window } from "../../../actors/limit/window.ts"

const limit = { requests: 5, window_seconds: 60 }

test("grants what is left and says when there is more", () => {
  const first = draw(null, limit, 3, 1000)
  expect(first).toEqual({ granted: 3, remaining: 2, resetsAt: 61_000, window: { from: 1000, used: 3 } })
  const second = draw(first.window, limit, 3, 30_000)
  expect(second).toEqual({ granted: 2, remaining: 0, resetsAt: 61_000, window: { from: 1000, used: 5 } })
  expect(draw(second.window, limit, 1, 60_999).granted).toBe(0)
  expect(draw(second.window, limit, 1, 61_000)).toEqual({
    granted: 1,
    remaining: 4,
    resetsAt: 121_000,
    window: { from: 61_000, used: 1 }
  })
})

test("asking for nothing tells the state and costs nothing", () => {
  const { window } = draw(null, limit, 4, 1000)
  expect(draw(window, limit, 0, 2000)).toEqual({ granted: 0, remaining: 1, resetsAt: 61_000, window })
})

const draws = fc.array(
  fc.record({ after: fc.integer({ min: 0, max: 40_000 }), wanted: fc.integer({ min: 0, max: 20 }) }),
  { minLength: 1, maxLength: 60 }
)
const limits = fc.record({
  requests: fc.integer({ min: 0, max: 30 }),
  window_seconds: fc.integer({ min: 1, max: 120 })
})

test("never grants more than is asked for, nor more than the limit in one window; nor less while there is any", () => {
  fc.assert(
    fc.property(limits, draws, (limit, draws) => {
      let now = 0
      let window: Window | null = null
      const granted = new Map<number, number>()
      for (const { after, wanted } of draws) {
        now += after
        const before = window
        const drawn = draw(before, limit, wanted, now)
        window = drawn.window
        const total = (granted.get(window.from) ?? 0) + drawn.granted
        granted.set(window.from, total)
        expect(drawn.granted).toBe(Math.min(wanted, limit.requests - (total - drawn.granted)))
        expect(total).toBeLessThanOrEqual(limit.requests)
        expect(drawn.remaining).toBe(limit.requests - total)
        expect(drawn.resetsAt).toBe(window.from + limit.window_seconds * 1000)
        expect(now).toBeLessThan(drawn.resetsAt)
        if (before !== null && window.from !== before.from)
          expect(now).toBeGreaterThanOrEqual(before.from + limit.window_seconds * 1000)
      }
    })
  )
})
