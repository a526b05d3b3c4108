/** Decisions on a letter and what they fold into: the schedule, what comes twice, late or early, and nodes that die. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Decision } from "../../../actors/engine/definition.ts"
import {
  decideOverdue,
  decideSend,
  decideSettle,
  isUnsure,
  OVERDUE_TIMER,
  SEND_TIMER,
  type SendFacts
} from "../../../actors/letter/decide.ts"
import { evolveLetter, type Letter, type LetterEvent, type LetterState } from "../../../actors/letter/state.ts"
import type { LetterOutcome } from "../../../schemas/letter/operations.ts"
import { letterLimits } from "../../../actors/letter/limits.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { AT } from "./letters.ts"

const limits = letterLimits(LIMITS)
const WITHIN_MS = limits.letter_timeout_ms + limits.outcome_ms
const forever = () => null
const SMTP: SendFacts = { type: "ready", transport: "smtp" }
const FILE: SendFacts = { type: "ready", transport: "file" }
const PASSING: LetterOutcome = { type: "passing", reason: "timeout" }
const SENT: LetterOutcome = { type: "sent", message_id: "a@b" }

const written: LetterEvent = {
  type: "letter.written",
  v: 1,
  human: "hum_a",
  template: "verify_address",
  sealed: "sealed1.a"
}
const fold = (state: LetterState, decision: Decision<LetterEvent>, at = AT): LetterState => {
  if ("refused" in decision) throw new Error(`refused: ${decision.refused.code}`)
  return decision.events.reduce<LetterState>((before, event) => evolveLetter(before, event, { at }), state)
}
const fresh = fold(null, { events: [written] }) as Letter
const sending = (facts = SMTP): LetterState => fold(fresh, decideSend(fresh, send(AT), { at: AT, facts }, limits))
const send = (at: number) => ({ name: SEND_TIMER, at })
const overdue = (at: number) => ({ name: OVERDUE_TIMER, at })
const settle = (state: LetterState, attempt: number, outcome: LetterOutcome, at = AT) =>
  decideSettle(state, { attempt, outcome }, { at }, limits, forever)
const typesOf = (decision: Decision<LetterEvent>) => (decision.events ?? []).map(({ type }) => type)
const NOTHING = { events: [] }

describe("an attempt", () => {
  test("is in the log before it is made, with the moment at which its outcome is known", () => {
    expect(decideSend(fresh, send(AT), { at: AT, facts: SMTP }, limits)).toEqual({
      events: [{ type: "letter.attempted", v: 1, attempt: 1, transport: "smtp", due: AT + WITHIN_MS }],
      timers: [{ name: OVERDUE_TIMER, at: AT + WITHIN_MS }]
    })
  })

  test("is not made of a letter that waited at a backup and may have gone out before the restore", () => {
    const restored = { seq: 10, at: AT + 1000 }
    expect(isUnsure(fresh, 10, restored)).toBe(true)
    expect(isUnsure(fresh, 11, restored)).toBe(false)
    expect(isUnsure({ ...fresh, due: AT + 1001 }, 10, restored)).toBe(false)
    const decided = decideSend(fresh, send(AT), { at: AT, facts: { type: "none" } }, limits, true)
    expect(fold(fresh, decided)).toMatchObject({ status: "unknown", sealed: "", attempts: 0 })
  })

  test("is called for once, whoever calls again", () => {
    expect(decideSend(sending(), send(AT), { at: AT, facts: SMTP }, limits)).toEqual(NOTHING)
    expect(decideSend(fresh, overdue(AT), { at: AT, facts: SMTP }, limits)).toEqual(NOTHING)
  })

  test("comes again while the letter's own commit may still come, and not for ever", () => {
    const early = (at: number) => decideSend(null, send(AT), { at, facts: { type: "none" } }, limits)
    expect(early(AT)).toHaveProperty("refused.code", "unavailable")
    expect(early(AT + 3_600_000)).toEqual(NOTHING)
    expect(decideSend(null, { name: SEND_TIMER }, { at: AT, facts: { type: "none" } }, limits)).toEqual(NOTHING)
  })

  test("is none where the account is erased, or no message can be made", () => {
    const dropped = decideSend(fresh, send(AT), { at: AT, facts: { type: "dropped", reason: "erased" } }, limits)
    expect(fold(fresh, dropped)).toMatchObject({ status: "dropped", sealed: "" })
    const final = decideSend(fresh, send(AT), { at: AT, facts: { type: "final", reason: "no address" } }, limits)
    expect(fold(fresh, final)).toMatchObject({ status: "given_up", sealed: "" })
  })
})

describe("what comes of it", () => {
  test("each passing fault has its wait, and the last has none", () => {
    let [state, at] = [sending(), AT]
    const waits = Object.values(limits.retry_seconds)
    expect(waits).toEqual([10, 60, 300, 1800, 7200, 21_600])
    for (const [index, seconds] of waits.entries()) {
      const due = at + seconds * 1000
      const decision = settle(state, index + 1, PASSING, at)
      expect(decision).toEqual({
        events: [{ type: "letter.failed", v: 1, attempt: index + 1, reason: "timeout", due }],
        timers: [{ name: SEND_TIMER, at: due }]
      })
      state = fold(state, decision, at)
      expect(decideSend(state, send(due), { at: due - 1, facts: SMTP }, limits)).toHaveProperty("refused")
      expect(decideSend(state, send(due + 1), { at: due + 1, facts: SMTP }, limits)).toEqual(NOTHING)
      at = due
      state = fold(state, decideSend(state, send(due), { at, facts: SMTP }, limits), at)
    }
    const last = settle(state, 7, PASSING, at)
    expect([typesOf(last), last]).toEqual([
      ["letter.failed", "letter.given_up"],
      expect.not.objectContaining({ timers: expect.anything() })
    ])
    expect(fold(state, last, at)).toMatchObject({ status: "given_up", sealed: "", due: null })
  })

  test("who asks for a longer wait has it", () => {
    const asked = (retry_after: number) => settle(sending(), 1, { type: "passing", reason: "says 429", retry_after })
    expect(asked(35)).toMatchObject({ events: [{ due: AT + 35_000 }], timers: [{ at: AT + 35_000 }] })
    expect(asked(1)).toMatchObject({ events: [{ due: AT + 10_000 }] })
    expect(asked(1e9)).toMatchObject({ events: [{ due: AT + 86_400_000 }] })
  })

  test("what the letter says holds no longer by then: there is no other attempt", () => {
    const holding = (seconds: number) =>
      decideSettle(sending(), { attempt: 1, outcome: PASSING }, { at: AT }, limits, () => seconds)
    expect(typesOf(holding(11))).toEqual(["letter.failed"])
    expect(typesOf(holding(10))).toEqual(["letter.failed", "letter.given_up"])
  })

  test("a final fault, or one of which nobody knows, is the end", () => {
    const final = settle(sending(), 1, { type: "final", reason: "no (550)" })
    expect(fold(sending(), final)).toMatchObject({ status: "given_up", sealed: "" })
    const unknown = settle(sending(), 1, { type: "unknown", reason: "timeout" })
    expect(fold(sending(), unknown)).toMatchObject({ status: "unknown", sealed: "", due: null })
  })

  test("nobody has said: by SMTP never again, as a file at once", () => {
    const at = AT + WITHIN_MS
    expect(decideOverdue(sending(), overdue(at), { at: at - 1 })).toHaveProperty("refused.code", "unavailable")
    expect(decideOverdue(sending(), overdue(at - 1), { at })).toEqual(NOTHING)
    expect(fold(sending(), decideOverdue(sending(), overdue(at), { at }))).toMatchObject({ status: "unknown" })
    const file = decideOverdue(sending(FILE), overdue(at), { at })
    expect(fold(sending(FILE), file)).toMatchObject({ status: "waiting", due: at, attempts: 1 })
    expect(file).toMatchObject({ timers: [{ name: SEND_TIMER, at }] })
  })

  test("a node that was thought to be lost still tells what came of it: what was surely not sent is tried again", () => {
    const at = AT + WITHIN_MS
    const lost = fold(sending(), decideOverdue(sending(), overdue(at), { at }))
    expect(fold(lost, settle(lost, 1, SENT))).toMatchObject({ status: "sent", sealed: "" })
    expect(settle(lost, 2, SENT)).toEqual(NOTHING)
    expect(settle(lost, 1, { type: "unknown", reason: "timeout" })).toEqual(NOTHING)
    const due = at + 10_000
    const again = settle(lost, 1, PASSING, at)
    expect(again).toMatchObject({ events: [{ type: "letter.failed", due }], timers: [{ name: SEND_TIMER, at: due }] })
    const waiting = fold(lost, again)
    expect(waiting).toMatchObject({ status: "waiting", sealed: "sealed1.a", due })
    expect(fold(waiting, decideSend(waiting, send(due), { at: due, facts: SMTP }, limits))).toMatchObject({
      status: "sending",
      attempts: 2
    })
    const stale = decideSettle(lost, { attempt: 1, outcome: PASSING }, { at }, limits, () => 60)
    expect(typesOf(stale)).toEqual(["letter.failed", "letter.given_up"])
    expect(fold(lost, settle(lost, 1, { type: "final", reason: "no (550)" }))).toMatchObject({ status: "given_up" })
    // Whoever made the attempt does not know either: then there is nothing more to be said.
    const unknown = fold(sending(), settle(sending(), 1, { type: "unknown", reason: "timeout" }))
    expect(settle(unknown, 1, PASSING)).toEqual(NOTHING)
  })

  test("what is told again, of another attempt, or of no letter changes nothing", () => {
    const sent = fold(sending(), settle(sending(), 1, SENT))
    expect(sent).toMatchObject({ status: "sent", sealed: "" })
    for (const outcome of [SENT, PASSING]) expect(settle(sent, 1, outcome)).toEqual(NOTHING)
    expect(settle(sending(), 2, SENT)).toEqual(NOTHING)
    expect(settle(null, 1, SENT)).toEqual(NOTHING)
    expect(decideOverdue(null, overdue(AT), { at: AT })).toEqual(NOTHING)
    expect(evolveLetter(null, { type: "letter.unknown", v: 1, attempt: 1, reason: "" }, { at: AT })).toBe(null)
  })
})

/** How the attempts of a letter end: `silent`: the node dies, before the mail server had it or after. */
const ending = fc.constantFrom(
  "sent",
  "passing",
  "final",
  "unknown",
  "silent before",
  "silent after",
  "twice",
  "late",
  "late passing"
)

test("never twice, and never stuck, however attempts end and timers repeat", () => {
  fc.assert(
    fc.property(
      fc.array(ending, { maxLength: 12 }),
      fc.boolean(),
      fc.infiniteStream(fc.nat(3)),
      (ends, file, again) => {
        let state: LetterState = fresh
        let taken = 0
        const timers: Array<{ readonly name: string; readonly at: number }> = [send(AT)]
        const carry = (decision: Decision<LetterEvent>, at: number): void => {
          if ("refused" in decision) throw new Error(decision.refused.message)
          state = fold(state, decision, at)
          timers.push(...(decision.timers ?? []))
        }
        const attempt = (number: number, end: string, at: number): void => {
          const outcome = { sent: SENT, twice: SENT, late: SENT, unknown: { type: "unknown", reason: "x" } } as const
          if (["sent", "twice", "late", "unknown", "silent after"].includes(end)) taken++
          if (end === "silent before" || end === "silent after") return
          const said: LetterOutcome =
            end === "passing" || end === "final"
              ? { type: end, reason: "x" }
              : end === "late passing"
                ? PASSING
                : outcome[end as keyof typeof outcome]
          if (end.startsWith("late"))
            carry(decideOverdue(state, overdue(state?.due ?? 0), { at: state?.due ?? at }), at)
          carry(settle(state, number, said, at), at)
          if (end === "twice") carry(settle(state, number, said, at), at)
        }
        for (let timer = timers.shift(); timer !== undefined; timer = timers.shift()) {
          for (let times = again.next().value; times >= 0; times--) {
            if (timer.name === OVERDUE_TIMER) carry(decideOverdue(state, timer, { at: timer.at }), timer.at)
            else {
              const before = state?.attempts ?? 0
              carry(decideSend(state, timer, { at: timer.at, facts: file ? FILE : SMTP }, limits), timer.at)
              if ((state?.attempts ?? 0) > before) attempt(before + 1, ends[before] ?? "sent", timer.at)
            }
          }
          timers.sort((a, b) => a.at - b.at)
        }
        // A file takes its own place.
        if (!file) expect(taken).toBeLessThanOrEqual(1)
        expect(["sent", "unknown", "given_up"]).toContain(state?.status)
        if (state?.status === "sent") expect(taken).toBeGreaterThan(0)
        if (!file && taken === 1) expect(["sent", "unknown"]).toContain(state?.status)
      }
    ),
    { numRuns: 1000 }
  )
})
