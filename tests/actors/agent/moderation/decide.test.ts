/** Standing, appeals and trust by active time, as decisions and what they fold into (spec 3.1; contract 12). */
import { describe, expect, test } from "vitest"
import { type Change, reversalOf, scoreEntries } from "../../../../actors/agent/score/entries.ts"
import {
  decideActiveTimeDue,
  decideAppeal,
  decideBan,
  decideStandingDue,
  decideSuspend
} from "../../../../actors/agent/moderation/decide.ts"
import { decideUpheld } from "../../../../actors/agent/report/decide.ts"
import { LIMITS } from "../../../../schemas/limits.ts"
import { TIMER, START, DAY, PERIOD, MINUTE, History, begun } from "./history.ts"

describe("a suspension with an end", () => {
  test("sets its timer, and is over then, not before", () => {
    const history = begun()
    expect(history.suspend(START + DAY)).toBe("done")
    expect(history.timers.get("standing")).toBe(START + DAY)
    // One that says itself for when it was set is this suspension's, however far this node's clock is behind.
    history.now = START + DAY / 2
    expect([
      history.take(decideStandingDue(history.state, { ...TIMER, at: START + DAY }, history.context, LIMITS)),
      history.agent.status
    ]).toEqual(["unavailable", "suspended"])
    for (const [early, code] of [
      [MINUTE, "unavailable"],
      [DAY / 2, "done"]
    ] as const) {
      history.now = START + DAY - early
      expect([
        history.take(decideStandingDue(history.state, TIMER, history.context, LIMITS)),
        history.agent.status
      ]).toEqual([code, "suspended"])
    }
    history.now = START + DAY
    expect([
      history.take(decideStandingDue(history.state, TIMER, history.context, LIMITS)),
      history.agent.status
    ]).toEqual(["done", "active"])
    expect(history.agent.standing).toEqual({
      since: START + DAY,
      reason: "the suspension is over",
      until: null,
      appeal: null
    })
    expect(history.told).toEqual(["moderation.suspended", "moderation.reinstated"])
  })

  test("that was ended by hand, or followed by another, is left alone by its old timer", () => {
    const history = begun()
    history.suspend(START + DAY)
    history.reinstate()
    const due = () => decideStandingDue(history.state, TIMER, { ...history.context, at: START + DAY }, LIMITS)
    expect(due()).toEqual({ events: [] })
    history.suspend()
    expect(due()).toEqual({ events: [] })
    history.reinstate()
    history.suspend(START + 2 * DAY)
    expect(due()).toEqual({ events: [] })
  })

  test("gives way to a longer one, which keeps an open appeal and takes no more trust", () => {
    const history = begun()
    history.suspend(START + DAY)
    history.take(decideAppeal(history.state, { text: "It was not me." }))
    history.now += MINUTE
    expect(history.suspend(START + DAY)).toBe("validation_error")
    expect(history.suspend(START + 2 * DAY)).toBe("done")
    expect(history.timers.get("standing")).toBe(START + 2 * DAY)
    expect(history.agent.standing).toMatchObject({ since: START, until: START + 2 * DAY, appeal: { status: "open" } })
    expect(history.agent).toMatchObject({ trust: 0, trust_withheld: 10 })
    history.now = START + DAY
    history.take(decideStandingDue(history.state, { ...TIMER, at: START + DAY }, history.context, LIMITS))
    expect(history.agent.status).toBe("suspended")
    history.decideAppeal(false)
    expect([history.suspend(), history.suspend(), history.suspend(START + 9 * DAY)]).toEqual([
      "done",
      "validation_error",
      "validation_error"
    ])
    expect(history.agent.standing).toMatchObject({ until: null, appeal: null })
    history.reinstate()
    expect(history.agent).toMatchObject({ status: "active", trust: 10, trust_withheld: 0 })
  })

  test("must end in the future", () => {
    for (const until of [START, START - 1, 0, Number.NaN]) expect(begun().suspend(until)).toBe("validation_error")
  })
})

describe("an appeal", () => {
  const appealed = (): History => {
    const history = begun()
    history.suspend()
    expect(history.take(decideAppeal(history.state, { text: "It was not me." }))).toBe("done")
    return history
  }

  test("is for the suspended alone, once for each suspension", () => {
    const history = begun()
    const appeal = () => history.take(decideAppeal(history.state, { text: "x" }))
    expect(appeal()).toBe("appeal_not_possible")
    history.suspend()
    expect([appeal(), appeal()]).toEqual(["done", "appeal_exists"])
    expect([history.decideAppeal(false), appeal()]).toEqual(["done", "appeal_exists"])
    expect([history.reinstate(), appeal()]).toEqual(["done", "appeal_not_possible"])
    expect([history.suspend(), appeal()]).toEqual(["done", "done"])
    history.take(decideBan(history.state, { reason: "x" }, { id: "someone", at: START }))
    expect(appeal()).toBe("agent_banned")
  })

  test("that is granted reinstates, gives the trust back and keeps the answer", () => {
    const history = appealed()
    history.now += DAY
    expect(history.decideAppeal(true, "You are right.")).toBe("done")
    expect(history.agent).toMatchObject({ status: "active", trust: 10, trust_withheld: 0 })
    expect(history.agent.standing).toEqual({
      since: START + DAY,
      reason: "You are right.",
      until: null,
      appeal: {
        text: "It was not me.",
        status: "granted",
        created_at: START,
        decided_at: START + DAY,
        answer: "You are right."
      }
    })
    expect(history.told).toEqual(["moderation.suspended", "moderation.reinstated"])
  })

  test("that is denied leaves the suspension as it is", () => {
    const history = appealed()
    expect(history.decideAppeal(false, "No.")).toBe("done")
    expect(history.agent).toMatchObject({
      status: "suspended",
      trust: 0,
      standing: { reason: "spam", appeal: { status: "denied", answer: "No." } }
    })
    expect(history.told).toEqual(["moderation.suspended", "moderation.appeal_denied"])
  })

  test("is decided once, and only where there is one", () => {
    const history = begun()
    expect(history.decideAppeal(true)).toBe("validation_error")
    history.suspend()
    expect(history.decideAppeal(true)).toBe("appeal_not_possible")
    const decided = appealed()
    expect([decided.decideAppeal(false), decided.decideAppeal(true)]).toEqual(["done", "appeal_not_possible"])
  })
})

describe("trust by active time", () => {
  test("grows by two at the end of each full period, twelve times", () => {
    const history = begun()
    for (let period = 1; period <= 12; period++) {
      expect(history.periodEnds()).toBe("done")
      expect([history.agent.trust, history.now]).toEqual([10 + 2 * period, START + period * PERIOD])
    }
    expect(history.timers.get("active_time")).toBe(START + 12 * PERIOD)
    const before = history.events.length
    expect([history.periodEnds(), history.events.length]).toEqual(["done", before])
    const entries = history.events.flatMap((event) =>
      event.type === "agent.score_changed" ? [[event.entry, event.delta, event.reason]] : []
    )
    expect(entries).toEqual([
      [1, 10, "registered"],
      ...Array.from({ length: 12 }, (_, index) => [index + 2, 2, "active_period"])
    ])
  })

  test("waits while it is suspended, and carries over what had run of the period", () => {
    const history = begun()
    history.now = START + 10 * DAY
    history.suspend()
    expect([history.periodEnds(), history.agent.trust]).toEqual(["done", 0])
    history.now = START + 100 * DAY
    history.reinstate()
    expect(history.timers.get("active_time")).toBe(START + 120 * DAY)
    history.now = START + 105 * DAY
    history.suspend()
    history.now = START + 200 * DAY
    history.reinstate()
    expect(history.timers.get("active_time")).toBe(START + 215 * DAY)
    expect([history.periodEnds(), history.agent.trust, history.timers.get("active_time")]).toEqual([
      "done",
      12,
      START + 245 * DAY
    ])
  })

  test("does not come early, nor twice; a late timer makes up for what it missed", () => {
    const history = begun()
    history.now = START + PERIOD - MINUTE
    expect(history.take(decideActiveTimeDue(history.state, TIMER, history.context, LIMITS))).toBe("unavailable")
    history.now = START + PERIOD - DAY
    expect(decideActiveTimeDue(history.state, TIMER, history.context, LIMITS)).toEqual({ events: [] })
    history.now = START + 2 * PERIOD + DAY
    for (const trust of [12, 14, 14]) {
      history.take(decideActiveTimeDue(history.state, TIMER, history.context, LIMITS))
      expect(history.agent.trust).toBe(trust)
    }
    expect(history.timers.get("active_time")).toBe(START + 3 * PERIOD)
  })

  test("ends with the account", () => {
    const history = begun()
    history.take(decideBan(history.state, { reason: "x" }, { id: "someone", at: START }))
    expect(history.periodEnds()).toBe("done")
    expect(history.agent.trust).toBe(10)
    expect(decideActiveTimeDue(null, TIMER, { at: START }, LIMITS)).toEqual({ events: [] })
  })
})

const change = (score: Change["score"], delta: number): Change => ({
  score,
  delta,
  reason: "a vote",
  target: { type: "post", id: "9" }
})

describe("entries of the scores", () => {
  const agent = { trust: 95, trust_sum: 95, reputation: 3, entries: 4 }

  test("stand one on another, and trust is shown within its bounds", () => {
    const entries = scoreEntries(agent, [
      change("trust", 10),
      change("reputation", 2),
      change("trust", -120),
      change("reputation", -10)
    ])
    expect(
      entries.map(({ entry, score, delta, value, given, sum }) => [entry, score, delta, value, given, sum])
    ).toEqual([
      [5, "trust", 5, 100, 10, 105],
      [6, "reputation", 2, 5, undefined, undefined],
      [7, "trust", -100, 0, -120, -15],
      [8, "reputation", -10, -5, undefined, undefined]
    ])
  })

  test("are reversed by an entry of their own", () => {
    const [first] = scoreEntries(agent, [change("reputation", 2)])
    if (first === undefined) throw new Error("no entry")
    const [second] = scoreEntries({ ...agent, reputation: first.value, entries: first.entry }, [
      reversalOf(first, "vote withdrawn")
    ])
    expect(second).toEqual({ ...first, entry: 6, delta: -2, value: 3, reason: "vote withdrawn" })
  })
})

/** The report's actor asks again after a fault, also when the agent's actor no longer remembers the command. */
describe("the outcome of a report", () => {
  const upheld = (history: History, report: number) =>
    history.take(
      decideUpheld(
        history.agent,
        { report, outcome: "warned", target_type: "post", target_id: "9", reason: "spam" },
        { id: "a", seq: 1, ...history.context }
      )
    )

  test("takes trust and warns once, however often it is asked", () => {
    const history = begun()
    history.take({ events: scoreEntries(history.agent, [change("trust", 90)]) })
    expect([upheld(history, 3), upheld(history, 3), upheld(history, 4), upheld(history, 3)]).toEqual(
      Array.from({ length: 4 }, () => "done")
    )
    expect(history.agent.trust).toBe(70)
    expect(history.told).toEqual(["moderation.warned", "moderation.warned"])
  })

  test("suspends once: nobody who was reinstated meanwhile", () => {
    const history = begun()
    const suspend = (report: number) =>
      history.take(decideSuspend(history.state, { reason: "spam", report }, history.context))
    expect([suspend(3), suspend(3), history.agent.status]).toEqual(["done", "done", "suspended"])
    history.reinstate()
    expect([suspend(3), history.agent.status]).toEqual(["done", "active"])
    expect([suspend(4), history.agent.status]).toEqual(["done", "suspended"])
  })
})
