/** A captcha as decisions and what they fold into (spec 3.7; contract 10, 20). */
import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  decideAnswer,
  decideCancel,
  decideReport,
  decideTimer,
  ERASE_TIMER,
  EXPIRE_TIMER
} from "../../../actors/captcha/decide.ts"
import { CaptchaEvent, CaptchaState, evolveCaptcha } from "../../../actors/captcha/state.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import { CAPTCHA_LIMITS } from "../../../schemas/captcha/limits.ts"
import { CAPTCHA_KINDS, type CaptchaAnswer, type CaptchaKind } from "../../../schemas/captcha/records.ts"

const AGENT = `hx${"a".repeat(24)}`
const OTHER = `hx${"b".repeat(24)}`
const OWNERS = ["hum_one", "hum_two"] as const
const STRANGER = "hum_three"
const START = 1_800_000_000_000
const END = START + CAPTCHA_LIMITS.captcha_seconds * 1000
const AFTER = { afterMs: 5000 }
const TEXT = { text: "XK7" } as const

const askedOf = (kind: CaptchaKind, fill: number | null = null): CaptchaEvent => ({
  type: "captcha.asked",
  v: 1,
  agent: AGENT,
  kind,
  picture: { blob: { sha256: "0".repeat(64), size: 9 }, width: 300, height: 150, type: "png" },
  sealed: "sealed1.x",
  keys: OWNERS.map((human) => ({ human, sealed: "sealed1.y" })),
  expires_at: END,
  fill
})

const asked = (kind: CaptchaKind = "text"): CaptchaState => evolveCaptcha(null, askedOf(kind), { at: START })

const answering = (state: CaptchaState, human: string, answer: CaptchaAnswer = TEXT, at = START + 1000) =>
  decideAnswer(state, { human, answer }, { at, facts: { sealed: `by ${human}` } }, AFTER)
const cancelling = (state: CaptchaState, at = START + 1000, agent = AGENT) =>
  decideCancel(state, { agent, ofFill: false }, { at }, AFTER)
const firing = (state: CaptchaState, name: string, at: number) => decideTimer(state, { name, at }, { at }, AFTER)

const eventsOf = (decision: Decision<CaptchaEvent>): ReadonlyArray<CaptchaEvent> =>
  "refused" in decision ? [] : decision.events
const codeOf = (decision: Decision<CaptchaEvent>): string | null =>
  "refused" in decision ? decision.refused.code : null
const after = (state: CaptchaState, decision: Decision<CaptchaEvent>, at = START + 1000): CaptchaState => {
  expect(codeOf(decision)).toBeNull()
  return eventsOf(decision).reduce((one, event) => evolveCaptcha(one, event, { at }), state)
}

describe("an answer", () => {
  test("is the first one's; whoever comes later changes nothing", () => {
    const answered = after(asked(), answering(asked(), "hum_two"))
    expect(answered).toMatchObject({
      state: "answered",
      answered_by: "hum_two",
      answer: "by hum_two",
      ended_at: START + 1000
    })
    for (const human of OWNERS)
      expect(answering(answered, human)).toMatchObject({
        refused: { code: "captcha_not_pending", details: { state: "answered" } }
      })
  })

  test("is of somebody whom it was sealed for, and whose account is there", () => {
    expect(codeOf(answering(asked(), STRANGER))).toBe("not_found")
    expect(codeOf(answering(null, "hum_one"))).toBe("not_found")
    const gone = decideAnswer(
      asked(),
      { human: "hum_one", answer: TEXT },
      { at: START, facts: { sealed: null } },
      AFTER
    )
    expect(codeOf(gone)).toBe("not_found")
  })

  test("is one to its kind", () => {
    const tap = { x: 0.5, y: 1 }
    const answers = {
      text: [TEXT],
      checkbox: [{ checked: true }, { checked: true, taps: [tap] }],
      taps: [{ taps: [tap] }]
    } as const
    for (const kind of CAPTCHA_KINDS)
      for (const [of, all] of Object.entries(answers))
        for (const answer of all)
          expect([kind, answer, codeOf(answering(asked(kind), "hum_one", answer))]).toEqual([
            kind,
            answer,
            of === kind ? null : "validation_error"
          ])
  })

  test("comes before its time is over, by a millisecond too; its timer may come later", () => {
    expect(codeOf(answering(asked(), "hum_one", TEXT, END - 1))).toBeNull()
    expect(answering(asked(), "hum_one", TEXT, END)).toMatchObject({
      refused: { code: "captcha_not_pending", details: { state: "expired" } }
    })
    expect(codeOf(cancelling(asked(), END - 1))).toBeNull()
    expect(cancelling(asked(), END)).toMatchObject({ refused: { details: { state: "expired" } } })
  })
})

describe("its end", () => {
  test("by its agent: not after an answer, not twice, not by another", () => {
    const cancelled = after(asked(), cancelling(asked()))
    expect(cancelled).toMatchObject({ state: "cancelled", answered_by: null, answer: null })
    expect(codeOf(answering(cancelled, "hum_one"))).toBe("captcha_not_pending")
    expect(codeOf(cancelling(cancelled))).toBe("captcha_not_pending")
    const answered = after(asked(), answering(asked(), "hum_one"))
    expect(cancelling(answered)).toMatchObject({ refused: { details: { state: "answered" } } })
    expect(codeOf(cancelling(asked(), START, OTHER))).toBe("not_found")
    expect(codeOf(cancelling(null))).toBe("not_found")
  })

  test("by its timer: after ten minutes, once, and not of what has ended", () => {
    expect(END - START).toBe(600_000)
    const early = decideTimer(asked(), { name: EXPIRE_TIMER, at: END }, { at: END - 1 }, AFTER)
    expect(codeOf(early)).toBe("unavailable")
    const expired = after(asked(), firing(asked(), EXPIRE_TIMER, END), END)
    expect(expired).toMatchObject({ state: "expired", ended_at: END, answer: null })
    const answered = after(asked(), answering(asked(), "hum_one"))
    for (const state of [expired, answered, null]) expect(firing(state, EXPIRE_TIMER, END)).toEqual({ events: [] })
    expect(decideTimer(asked(), { name: EXPIRE_TIMER, at: END + 1 }, { at: END + 1 }, AFTER)).toEqual({ events: [] })
  })

  test("sets the timer of its picture, which goes once", () => {
    const decision = answering(asked(), "hum_one")
    const due = START + 1000 + AFTER.afterMs
    expect(decision).toMatchObject({ timers: [{ name: ERASE_TIMER, at: due }] })
    expect(cancelling(asked())).toMatchObject({ timers: [{ name: ERASE_TIMER, at: due }] })
    expect(firing(asked(), EXPIRE_TIMER, END)).toMatchObject({
      timers: [{ name: ERASE_TIMER, at: END + AFTER.afterMs }]
    })
    const answered = after(asked(), decision)
    expect(firing(asked(), ERASE_TIMER, due)).toEqual({ events: [] })
    const erased = after(answered, firing(answered, ERASE_TIMER, due), due)
    expect(erased).toMatchObject({ erased: true, state: "answered", answer: "by hum_one" })
    expect(firing(erased, ERASE_TIMER, due)).toEqual({ events: [] })
  })

  test("erases its picture by the present limits, if they changed after the timer was set", () => {
    const set = START + 1000 + AFTER.afterMs
    const answered = after(asked(), answering(asked(), "hum_one"))
    const fire = (state: CaptchaState, afterMs: number, at: number, fired: number | undefined = set) =>
      decideTimer(state, { name: ERASE_TIMER, at: fired }, { at }, { afterMs })
    const shorter = fire(answered, AFTER.afterMs - 2000, set)
    expect(shorter).toEqual({ events: [{ type: "captcha.picture_erased", v: 1 }] })
    const due = set + 2000
    const longer = AFTER.afterMs + 2000
    expect(fire(answered, longer, set)).toEqual({ events: [], timers: [{ name: ERASE_TIMER, at: due }] })
    expect(codeOf(fire(answered, longer, due - 1, due))).toBe("unavailable")
    const erased = after(answered, fire(answered, longer, due, due), due)
    expect(erased).toMatchObject({ erased: true })
    for (const afterMs of [AFTER.afterMs, longer]) expect(fire(erased, afterMs, set)).toEqual({ events: [] })
  })
})

test("to a fill service there are those of fills alone", () => {
  const cancel = (fill: number | null) => {
    const state = evolveCaptcha(null, askedOf("text", fill), { at: START })
    return codeOf(decideCancel(state, { agent: AGENT, ofFill: true }, { at: START }, AFTER))
  }
  expect([cancel(null), cancel(7)]).toEqual(["not_found", null])
})

test("how it went is told after an answer, by its agent, once", () => {
  const report = (state: CaptchaState, result: "solved" | "failed", agent = AGENT) =>
    decideReport(state, { agent, ofFill: false, result })
  const answered = after(asked(), answering(asked(), "hum_one"))
  const cancelled = after(asked(), cancelling(asked()))
  const expired = after(asked(), firing(asked(), EXPIRE_TIMER, END), END)
  for (const state of [asked(), cancelled, expired])
    expect(report(state, "solved")).toMatchObject({
      refused: { code: "captcha_not_answered", details: { state: state?.state } }
    })
  expect(codeOf(report(answered, "solved", OTHER))).toBe("not_found")
  expect(codeOf(report(null, "solved"))).toBe("not_found")
  const failed = after(answered, report(answered, "failed"))
  expect(failed).toMatchObject({ state: "failed", answer: "by hum_one" })
  expect(report(failed, "failed")).toEqual({ events: [] })
  expect(codeOf(report(failed, "solved"))).toBe("captcha_not_answered")
})

type Step = { readonly after: number } & (
  | { readonly act: "answer"; readonly human: string }
  | { readonly act: "cancel" | "expire" | "erase" }
  | { readonly act: "report"; readonly result: "solved" | "failed" }
)

const pause = fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 200_000, max: 700_000 }))
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ after: pause, act: fc.constant("answer" as const), human: fc.constantFrom(...OWNERS, STRANGER) }),
  fc.record({ after: pause, act: fc.constantFrom("cancel" as const, "expire" as const, "erase" as const) }),
  fc.record({
    after: pause,
    act: fc.constant("report" as const),
    result: fc.constantFrom("solved" as const, "failed" as const)
  })
)

const decided = (state: CaptchaState, one: Step, at: number): Decision<CaptchaEvent> => {
  switch (one.act) {
    case "answer":
      return answering(state, one.human, TEXT, at)
    case "cancel":
      return cancelling(state, at)
    case "report":
      return decideReport(state, { agent: AGENT, ofFill: false, result: one.result })
    case "expire":
      return decideTimer(state, { name: EXPIRE_TIMER, at: END }, { at }, AFTER)
    case "erase":
      return decideTimer(state, { name: ERASE_TIMER }, { at }, AFTER)
  }
}

interface Logged {
  readonly event: CaptchaEvent
  readonly at: number
}

const replay = (log: ReadonlyArray<Logged>): CaptchaState =>
  log.reduce<CaptchaState>((state, { event, at }) => evolveCaptcha(state, event, { at }), null)

test("whatever comes in whatever order: it ends once, the first answer stays, and every prefix folds to a state", () => {
  const isState = Schema.is(CaptchaState)
  const isEvent = Schema.is(CaptchaEvent)
  const ends = new Set<string>()
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const log: Array<Logged> = [{ event: askedOf("text"), at: START }]
      let state = replay(log)
      let at = START
      for (const one of steps) {
        at += one.after
        const events = eventsOf(decided(state, one, at))
        log.push(...events.map((event) => ({ event, at })))
        const before = state
        state = events.reduce((value, event) => evolveCaptcha(value, event, { at }), state)
        if (before !== null && before.state !== "pending") {
          const { answer, answered_by, ended_at } = before
          expect(state).toMatchObject({ answer, answered_by, ended_at })
        }
      }
      const count = (...types: ReadonlyArray<CaptchaEvent["type"]>) =>
        log.filter(({ event }) => types.includes(event.type)).length
      expect(count("captcha.answered", "captcha.ended")).toBe(state?.state === "pending" ? 0 : 1)
      expect(count("captcha.reported")).toBe(state?.state === "solved" || state?.state === "failed" ? 1 : 0)
      expect(count("captcha.picture_erased")).toBe(state?.erased === true ? 1 : 0)
      expect(state?.answered_by ?? null).not.toBe(STRANGER)
      expect((state?.answer ?? null) === null).toBe((state?.answered_by ?? null) === null)
      const answered = log.find(({ event }) => event.type === "captcha.answered")
      if (answered !== undefined) expect(answered.at).toBeLessThan(END)
      expect(log.every(({ event }) => isEvent(event))).toBe(true)
      for (let length = 0; length <= log.length; length++) {
        const prefix = replay(log.slice(0, length))
        expect(isState(prefix)).toBe(true)
        // From a snapshot in the middle, the rest makes the same.
        const rest = log
          .slice(length)
          .reduce((value, { event, at: when }) => evolveCaptcha(value, event, { at: when }), prefix)
        expect(rest).toEqual(state)
      }
      ends.add(state?.state ?? "none")
    }),
    { numRuns: 500 }
  )
  // It went every way that there is.
  expect([...ends].toSorted()).toEqual(["answered", "cancelled", "expired", "failed", "pending", "solved"])
})

test("what comes before it was asked folds to nothing", () => {
  const events: ReadonlyArray<CaptchaEvent> = [
    { type: "captcha.answered", v: 1, agent: AGENT, kind: "text", human: "hum_one", answer: "x" },
    { type: "captcha.ended", v: 1, agent: AGENT, kind: "text", state: "expired" },
    { type: "captcha.reported", v: 1, result: "solved" },
    { type: "captcha.picture_erased", v: 1 }
  ]
  for (const event of events) expect(evolveCaptcha(null, event, { at: START })).toBeNull()
})
