/**
 * Decisions on a delivery and what they fold into (contract 4): the schedule, what is answered twice or late,
 * repetition.
 */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  decideDrop,
  decidePutOff,
  decideRedeliver,
  decideReport,
  decideTimer,
  retentionSeconds,
  nextAttemptAt,
  RETRY_TIMER
} from "../../../actors/delivery/decide.ts"
import {
  type Delivery,
  type DeliveryEvent,
  type DeliveryState,
  evolve,
  receiverOf
} from "../../../actors/delivery/state.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import type { Report } from "../../../schemas/delivery/operations.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const AT = 1_800_000_000_000
const queued: DeliveryEvent = {
  type: "delivery.queued",
  v: 1,
  agent: "hxa",
  about: "webhook.test",
  body: "{}",
  receiver: "a.example:443"
}
const fold = (state: DeliveryState, events: ReadonlyArray<DeliveryEvent>, at = AT): DeliveryState =>
  events.reduce<DeliveryState>((before, event) => evolve(before, event, { at }), state)
const fresh = fold(null, [queued]) as Delivery

const eventsOf = (decision: Decision<DeliveryEvent>): ReadonlyArray<DeliveryEvent> => {
  if ("refused" in decision) throw new Error(`refused: ${decision.refused.code}`)
  return decision.events
}
const timerOf = (decision: Decision<DeliveryEvent>): number | undefined =>
  "refused" in decision ? undefined : decision.timers?.[0]?.at
const codeOf = (decision: Decision<DeliveryEvent>): string => ("refused" in decision ? decision.refused.code : "done")

const answered = (call: number, error: string | null, more: Partial<Report> = {}): Report => ({
  call,
  error,
  response_code: error === null ? 200 : 500,
  duration_ms: 7,
  retry_after_seconds: null,
  ...more
})
const context = (jitter = 0, at = AT) => ({ at, facts: { jitter } })
const report = (state: DeliveryState, given: Report, jitter = 0) => decideReport(state, given, context(jitter), LIMITS)

/** Hours after the first attempt at which the others come (contract 4), without jitter. */
const SCHEDULE_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]

describe("the schedule", () => {
  test("ten attempts, each at its time, then failed", () => {
    let state: DeliveryState = fresh
    for (const [index, seconds] of SCHEDULE_SECONDS.entries()) {
      const decision = report(state, answered(index + 1, "http_500"))
      expect(timerOf(decision)).toBe(AT + seconds * 1000)
      expect(eventsOf(decision)).toMatchObject([
        { attempt: index + 1, status: "pending", next_attempt_at: AT + seconds * 1000 }
      ])
      state = fold(state, eventsOf(decision))
      state = fold(state, eventsOf(decideTimer(state, { name: RETRY_TIMER })))
    }
    const last = report(state, answered(10, "timeout", { response_code: null }))
    expect([timerOf(last), eventsOf(last)]).toEqual([
      undefined,
      [expect.objectContaining({ attempt: 10, status: "failed", next_attempt_at: null, error: "timeout" })]
    ])
  })

  test("jitter stays within a tenth, either way", () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), fc.integer({ min: 0, max: 8 }), (jitter, round) => {
        const wait = (nextAttemptAt(round, answered(1, "http_500"), context(jitter), LIMITS) ?? 0) - AT
        const plain = (SCHEDULE_SECONDS[round] ?? 0) * 1000
        expect(wait).toBeGreaterThanOrEqual(Math.floor(plain * 0.9))
        expect(wait).toBeLessThanOrEqual(Math.ceil(plain * 1.1))
      })
    )
  })

  test.each([
    [2, 5],
    [5, 5],
    [60, 60],
    [86_400, 86_400],
    [10_000_000, 86_400]
  ])("Retry-After: %i is waited for as %i seconds", (asked, waited) => {
    expect(timerOf(report(fresh, answered(1, "http_429", { response_code: 429, retry_after_seconds: asked })))).toBe(
      AT + waited * 1000
    )
  })

  test("410 ends it at once; success does, and sets no timer", () => {
    const gone = report(fresh, answered(1, "http_410", { response_code: 410 }))
    expect([timerOf(gone), eventsOf(gone)]).toMatchObject([undefined, [{ status: "failed" }]])
    const taken = report(fresh, answered(1, null))
    expect([timerOf(taken), eventsOf(taken)]).toMatchObject([
      undefined,
      [{ status: "delivered", next_attempt_at: null }]
    ])
  })
})

describe("an answer", () => {
  test("counts once, and to the last call alone", () => {
    const failed = fold(fresh, eventsOf(report(fresh, answered(1, "connect"))))
    for (const call of [0, 1, 2, 7]) expect(eventsOf(report(failed, answered(call, null)))).toEqual([])
    const due = fold(failed, eventsOf(decideTimer(failed, { name: RETRY_TIMER })))
    expect(eventsOf(report(due, answered(1, null)))).toEqual([])
    expect(eventsOf(decideDrop(due, { call: 1, reason: "banned" }))).toEqual([])
    expect(eventsOf(decidePutOff(due, { call: 1 }, context(), LIMITS))).toEqual([])
    expect(eventsOf(report(due, answered(2, null)))).toHaveLength(1)
  })

  test("put off: no attempt, twice as long each time, up to an hour", () => {
    let state: DeliveryState = fresh
    const waits: Array<number> = []
    for (let round = 0; round < 12; round++) {
      const decision = decidePutOff(state, { call: round + 1 }, context(), LIMITS)
      waits.push(((timerOf(decision) ?? 0) - AT) / 1000)
      state = fold(
        fold(state, eventsOf(decision)),
        eventsOf(decideTimer(fold(state, eventsOf(decision)), { name: RETRY_TIMER }))
      )
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600])
    expect(state).toMatchObject({ attempts: 0, status: "pending" })
  })

  test("a timer without use does nothing", () => {
    const delivered = fold(fresh, eventsOf(report(fresh, answered(1, null))))
    for (const state of [
      null,
      fresh,
      delivered,
      fold(fresh, eventsOf(decideDrop(fresh, { call: 1, reason: "deleted" })))
    ]) {
      expect(eventsOf(decideTimer(state, { name: RETRY_TIMER }))).toEqual([])
    }
    const pending = fold(fresh, eventsOf(report(fresh, answered(1, "dns"))))
    expect(eventsOf(decideTimer(pending, { name: "another" }))).toEqual([])
  })
})

describe("the end", () => {
  const { kept_seconds } = LIMITS.webhook
  const endsAt = AT + kept_seconds * 1000
  const within = fc.integer({ min: AT, max: endsAt - 1 })

  test("its first commit ends first, and all others within ten seconds of it", () => {
    fc.assert(
      fc.property(within, (at) => {
        const ends = at + retentionSeconds(fresh, at, LIMITS) * 1000
        expect(ends).toBeGreaterThanOrEqual(endsAt + 5000)
        expect(ends).toBeLessThan(endsAt + 10_000)
      })
    )
  })

  test("no attempt is called for in its last hour", () => {
    fc.assert(
      fc.property(within, fc.boolean(), fc.integer({ min: 0, max: 20 }), (at, isPutOff, times) => {
        const state = { ...fresh, put_off: times, round: Math.min(times, 8) }
        const decision = isPutOff
          ? decidePutOff(state, { call: 1 }, context(0, at), LIMITS)
          : decideReport(state, answered(1, "http_500"), context(0, at), LIMITS)
        const timer = timerOf(decision)
        if (timer !== undefined) expect(timer).toBeLessThanOrEqual(endsAt - 3_600_000)
        else expect(fold(state, eventsOf(decision))?.status).toBe(isPutOff ? "dropped" : "failed")
      }),
      { numRuns: 300 }
    )
  })

  test("the longest round of attempts has room behind the last day on which a delivery is sent again", () => {
    const longest = SCHEDULE_SECONDS.reduce(
      (sum, wait) => sum + Math.max(wait * 1.1, LIMITS.webhook.retry_after_max_seconds),
      0
    )
    expect(LIMITS.webhook.log_seconds + longest + 3600).toBeLessThan(kept_seconds)
  })
})

describe("repetition", () => {
  const delivered = fold(fresh, eventsOf(report(fresh, answered(1, null)))) as Delivery
  const again = (state: DeliveryState, agent = "hxa", at = AT) => decideRedeliver(state, { agent }, at, LIMITS)

  test("begins the schedule anew under the next call", () => {
    const state = fold(delivered, eventsOf(again(delivered))) as Delivery
    expect(state).toMatchObject({ status: "pending", calls: 2, called: true, round: 0, attempts: 1, redeliveries: 1 })
    expect(timerOf(report(state, answered(2, "http_500")))).toBe(AT + 5000)
    expect(eventsOf(report(state, answered(2, null)))).toMatchObject([{ attempt: 2, status: "delivered" }])
  })

  test("is refused where it cannot be", () => {
    expect(codeOf(again(null))).toBe("not_found")
    expect(codeOf(again(delivered, "hxb"))).toBe("not_found")
    expect(codeOf(again(delivered, "hxa", AT + 31 * 86_400_000))).toBe("not_found")
    expect(codeOf(again(fresh))).toBe("redelivery_not_possible")
    expect(codeOf(again({ ...delivered, redeliveries: LIMITS.webhook.redeliveries_max }))).toBe(
      "redelivery_not_possible"
    )
    for (const status of ["failed", "dropped"] as const) expect(codeOf(again({ ...delivered, status }))).toBe("done")
  })
})

type Step = "report" | "fail" | "gone" | "put_off" | "drop" | "timer" | "again" | "late"

test("whatever happens: while it is pending something will happen by itself, and attempts are counted one by one", () => {
  const steps = fc.array(fc.constantFrom<Step>("report", "fail", "gone", "put_off", "drop", "timer", "again", "late"), {
    maxLength: 60
  })
  fc.assert(
    fc.property(steps, (taken) => {
      let state = fresh
      let timer = false
      let attempts = 0
      for (const step of taken) {
        const { calls } = state
        const decision =
          step === "report"
            ? report(state, answered(calls, null))
            : step === "fail"
              ? report(state, answered(calls, "http_500"))
              : step === "gone"
                ? report(state, answered(calls, "http_410", { response_code: 410 }))
                : step === "late"
                  ? report(state, answered(calls - 1, null))
                  : step === "put_off"
                    ? decidePutOff(state, { call: calls }, context(), LIMITS)
                    : step === "drop"
                      ? decideDrop(state, { call: calls, reason: "banned" })
                      : step === "again"
                        ? decideRedeliver(state, { agent: "hxa" }, AT, LIMITS)
                        : decideTimer(state, { name: RETRY_TIMER })
        const events = "refused" in decision ? [] : decision.events
        if (step === "late") expect(events).toEqual([])
        if (timerOf(decision) !== undefined) timer = true
        else if (step === "timer") timer = false
        attempts += events.filter(({ type }) => type === "delivery.attempted").length
        state = fold(state, events) as Delivery
        expect(state.attempts).toBe(attempts)
        expect(state.status === "pending").toBe(state.called || timer)
      }
    })
  )
})

test("a receiver is host and port", () => {
  for (const [url, receiver] of [
    ["https://A.example/x?y", "a.example:443"],
    ["http://a.example", "a.example:80"],
    ["https://a.example:8443", "a.example:8443"],
    ["http://[::1]:90/", "[::1]:90"]
  ] as const) {
    expect(receiverOf(url)).toBe(receiver)
  }
})
