import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { EXACT_MAX, Slice, sliceOf } from "../../edge/http/slice.ts"

const WINDOW_MS = 60_000
const HOUR_MS = 3_600_000

/** The bucket's home: a fixed window from the first draw on. */
class Home {
  readonly windows: Array<number> = []
  private endsAt = 0
  private left = 0
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  draw(wanted: number, now: number): { granted: number; resetsAt: number } {
    if (now >= this.endsAt) {
      this.endsAt = now + WINDOW_MS
      this.left = this.limit
      this.windows.push(now)
    }
    const granted = Math.min(wanted, this.left)
    this.left -= granted
    return { granted, resetsAt: this.endsAt }
  }
}

type Step = { readonly edge: number; readonly wait: number; readonly deliver: boolean }

const steps = (edges: number): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.array(fc.record({ edge: fc.nat(edges - 1), wait: fc.nat(400), deliver: fc.boolean() }), {
    minLength: 1,
    maxLength: 600,
    size: "max"
  })

interface Run {
  /** Times at which a request was let through. */
  readonly passed: ReadonlyArray<number>
  /** The most in any one window of the home. */
  readonly most: number
}

/** Requests on several edges, while grants come back as late as the steps say. */
const run = (limit: number, edges: number, sequence: ReadonlyArray<Step>): Run => {
  const home = new Home(limit)
  const slices = Array.from({ length: edges }, () => new Slice(limit, WINDOW_MS))
  const pending: Array<{ edge: number; wanted: number; grant: { granted: number; resetsAt: number } }> = []
  const passed: Array<number> = []
  let now = 1_000
  const deliver = (edge: number): void => {
    const index = pending.findIndex((draw) => draw.edge === edge)
    const [draw] = index === -1 ? [] : pending.splice(index, 1)
    if (draw !== undefined) slices[edge]?.granted(draw.grant, draw.wanted, now)
  }
  const ask = (edge: number): void => {
    const wanted = slices[edge]?.wanted() ?? 0
    if (wanted > 0) pending.push({ edge, wanted, grant: home.draw(wanted, now) })
  }
  for (const step of sequence) {
    now += step.wait
    const slice = slices[step.edge]
    if (slice === undefined) continue
    let decision = slice.take(now)
    ask(step.edge)
    if (decision.kind === "wait") {
      deliver(step.edge)
      decision = slice.take(now)
      ask(step.edge)
    }
    if (decision.kind === "pass") passed.push(now)
    if (step.deliver) deliver(step.edge)
  }
  const inWindow = home.windows.map((from) => passed.filter((at) => at >= from && at < from + WINDOW_MS).length)
  return { passed, most: Math.max(0, ...inWindow) }
}

describe("a slice of a rate limit", () => {
  it.each([
    [1, 1],
    [10, 1],
    [11, 1],
    [60, 6],
    [600, 60]
  ])("of a limit of %i is %i", (limit, size) => {
    expect(sliceOf(limit)).toBe(size)
  })

  it("on one edge never lets through more than the limit in a window of the home", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), steps(1), (limit, sequence) => {
        expect(run(limit, 1, sequence).most).toBeLessThanOrEqual(limit)
      }),
      { numRuns: 500 }
    )
  })

  it("on several edges exceeds it by at most one slice for each edge beyond the first", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: EXACT_MAX + 1, max: 120 }),
        fc.integer({ min: 2, max: 4 }),
        steps(4),
        (limit, edges, sequence) => {
          const within = sequence.map((step) => ({ ...step, edge: step.edge % edges }))
          expect(run(limit, edges, within).most).toBeLessThanOrEqual(limit + (edges - 1) * sliceOf(limit))
        }
      )
    )
  })

  it("of an exact limit never exceeds it, however many edges", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: EXACT_MAX }), steps(4), (limit, sequence) => {
        expect(run(limit, 4, sequence).most).toBeLessThanOrEqual(limit)
      })
    )
  })

  it("lets the whole limit through on one edge that asks for it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (limit) => {
        const sequence = Array.from({ length: limit + 20 }, () => ({ edge: 0, wait: 0, deliver: true }))
        expect(run(limit, 1, sequence).passed).toHaveLength(limit)
      })
    )
  })

  it("forgets what it did not use when the window ends", () => {
    const slice = new Slice(60, WINDOW_MS)
    slice.take(0)
    slice.granted({ granted: slice.wanted(), resetsAt: 1_000 }, 6, 0)
    expect(slice.take(999).kind).toBe("pass")
    // A new window: only the credit of a first slice, whatever was left.
    const passed = Array.from({ length: 20 }, () => slice.take(1_000)).filter((decision) => decision.kind === "pass")
    expect(passed).toHaveLength(6)
  })

  it("forgets it too when the home's clock is ahead and a new window has begun there", () => {
    const slice = new Slice(60, WINDOW_MS)
    slice.take(0)
    slice.granted({ granted: slice.wanted(), resetsAt: 60_000 }, 6, 0)
    for (let request = 0; request < 3; request++) slice.take(59_000)
    expect(slice.wanted()).toBe(6)
    slice.granted({ granted: 6, resetsAt: 120_000 }, 6, 59_000)
    const passed = Array.from({ length: 20 }, () => slice.take(59_500)).filter((decision) => decision.kind === "pass")
    expect(passed).toHaveLength(6)
  })

  it.each([100, 1000, 10_000])("of %i in a long window: an edge that dies loses little more than it used", (limit) => {
    const slice = new Slice(limit, HOUR_MS)
    let drawn = 0
    for (let used = 0; used < limit; used++) {
      if (slice.take(used).kind === "wait") {
        const wanted = slice.wanted()
        const granted = Math.min(wanted, limit - drawn)
        drawn += granted
        slice.granted({ granted, resetsAt: HOUR_MS }, wanted, used)
        expect(slice.take(used).kind).toBe("pass")
      }
      const wanted = slice.wanted()
      if (wanted > 0) {
        const granted = Math.min(wanted, limit - drawn)
        drawn += granted
        slice.granted({ granted, resetsAt: HOUR_MS }, wanted, used)
      }
      expect(drawn - used - 1, `after ${used + 1}`).toBeLessThanOrEqual(2 * (used + 1) + 4)
      expect(drawn - used - 1).toBeLessThanOrEqual(1.5 * sliceOf(limit))
    }
    expect([drawn, slice.take(limit).kind]).toEqual([limit, "refused"])
  })

  it("tells when to come back", () => {
    const slice = new Slice(60, WINDOW_MS)
    slice.take(0)
    slice.wanted()
    slice.granted({ granted: 0, resetsAt: 40_000 }, 6, 100)
    expect(slice.take(10_000)).toEqual({ kind: "refused", retryAfterMs: 30_000 })
    expect(slice.take(40_000).kind).toBe("pass")
  })

  it("goes on alone, up to the limit, when its home cannot be asked", () => {
    const slice = new Slice(60, WINDOW_MS)
    let passed = 0
    for (let request = 0; request < 100; request++) {
      if (slice.take(request).kind === "pass") passed++
      if (slice.wanted() > 0) slice.unreachable(request)
    }
    expect(passed).toBe(60)
    expect(slice.take(200).kind).toBe("refused")
  })

  it("does not go on alone where the limit is exact", () => {
    const slice = new Slice(10, WINDOW_MS)
    expect(slice.take(0).kind).toBe("wait")
    expect(slice.wanted()).toBe(1)
    slice.unreachable(0)
    expect(slice.take(1).kind).toBe("wait")
  })
})
