/** What is counted, and how it is told: the meter alone. */
import { describe, expect, test } from "vitest"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { Calls, outcomeOf } from "../../schemas/runtime/metrics/calls.ts"
import { CHILDREN_MAX, Counters, Meter } from "../../schemas/runtime/metrics/meter.ts"
import { Exposition } from "../support/exposition.ts"

const told = async (meter: Meter): Promise<Exposition> => new Exposition(await meter.scrape())

test("readings are taken at the scrape; what nobody knows is left out, never zero", async () => {
  const meter = new Meter(machineClock)
  let known: number | null = null
  meter.gauge("a_bytes", "A.", () => known)
  meter.counter("b_total", "B.", () => 3, { kind: 'with "quotes", \\ and\na line' })
  expect([...(await told(meter)).families.keys()]).toEqual(["b_total"])
  known = 7
  const second = await told(meter)
  expect([second.value("a_bytes"), second.value("b_total", { kind: 'with "quotes", \\ and\na line' })]).toEqual([7, 3])
  expect(second.families.get("a_bytes")).toMatchObject({ type: "gauge", help: "A." })
})

test("a value falls into the first bucket that it is not above", async () => {
  const meter = new Meter(machineClock)
  const histogram = meter.histogram("c_seconds", "C.", [0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 1, 1.01, 30]) histogram.observe(value)
  const exposition = await told(meter)
  expect(["0.1", "1", "+Inf"].map((le) => exposition.value("c_seconds_bucket", { le }))).toEqual([2, 4, 6])
  expect([exposition.value("c_seconds_count"), exposition.value("c_seconds_sum")]).toEqual([6, expect.closeTo(32.66)])
})

test("a family stops growing, and goes on counting", async () => {
  const meter = new Meter(machineClock)
  const counters = new Counters(meter, "d_total", "D.", ["name"])
  for (let at = 0; at < CHILDREN_MAX + 50; at++) counters.of(`n${at}`).add()
  const exposition = await told(meter)
  expect(exposition.families.get("d_total")?.series).toHaveLength(CHILDREN_MAX + 1)
  expect([exposition.value("d_total", { name: "n0" }), exposition.value("d_total", { name: "other" })]).toEqual([1, 50])
})

describe("a collector", () => {
  test("that never answers holds up no scrape for longer than its bound, and no other reading", async () => {
    const meter = new Meter(machineClock)
    let learned: number | null = null
    meter.collect(() => new Promise(() => undefined))
    meter.collect(async () => {
      learned = 5
      throw new Error("afterwards")
    })
    meter.gauge("e", "E.", () => learned)
    expect((await told(meter)).value("e")).toBe(5)
  })

  test("is asked once for scrapes that come at once, and again for the next", async () => {
    const meter = new Meter(machineClock)
    let asked = 0
    meter.collect(async () => {
      asked++
    })
    meter.gauge("f", "F.", () => asked)
    expect(await Promise.all([meter.scrape(), meter.scrape()])).toEqual([
      expect.stringContaining("f 1\n"),
      expect.stringContaining("f 1\n")
    ])
    expect((await told(meter)).value("f")).toBe(2)
  })
})

describe("calls", () => {
  test.each([
    [undefined, "ok"],
    ["not_found", "refused"],
    ["rate_limited", "refused"],
    ["unavailable", "unavailable"],
    ["overloaded", "overloaded"],
    ["internal_error", "failed"]
  ] as const)("that end in %s count as %s", (code, outcome) => {
    expect(outcomeOf(code)).toBe(outcome)
  })

  test("are told with all outcomes from the first on, and what is not accepted as other", async () => {
    const meter = new Meter(machineClock)
    const calls = new Calls(
      meter,
      { total: "g_total", seconds: "g_seconds", what: "G", label: "op" },
      (name) => name !== "made-up"
    )
    calls.settled("a.read", undefined, 0.5)
    calls.settled("a.read", "not_found", 0.5)
    calls.settled("a.read", "unavailable", 1)
    calls.settled("made-up", undefined, 0)
    const exposition = await told(meter)
    const outcomes = ["ok", "refused", "unavailable", "overloaded", "failed"]
    expect(outcomes.map((outcome) => exposition.value("g_total", { op: "a.read", outcome }))).toEqual([1, 1, 1, 0, 0])
    expect(exposition.sum("g_total")).toBe(4)
    expect(exposition.value("g_seconds_count", { op: "other" })).toBe(1)
    expect(calls.stats()[0]).toEqual({ name: "a.read", requests: 3, errors: 1, seconds: 2, lastError: "unavailable" })
  })
})
