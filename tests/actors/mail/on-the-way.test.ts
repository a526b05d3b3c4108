/** A message on its way to its recipient: pure, by example and by chance (spec 3.6). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { countedSince } from "../../../actors/mail/counted.ts"
import {
  decideReport,
  decideRetry,
  decideSettle,
  decideTake,
  decideUnsubscribe,
  isUnsure,
  LOST,
  RETRY_TIMER
} from "../../../actors/mail/sending/decide.ts"
import { evolveMailSending, type MailSendingEvent, type MailSendingState } from "../../../actors/mail/sending/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import type { SendOutcome } from "../../../schemas/mail/sending-operations.ts"

const limits = LIMITS.limits.email

const queued: MailSendingEvent = {
  type: "mail_sending.queued",
  v: 1,
  agent: "a",
  mailbox: 1,
  mail: 7,
  n: 1,
  recipient: "r",
  to: "t",
  sealed: "s"
}

const OUTCOMES: ReadonlyArray<SendOutcome> = [
  { type: "sent" },
  { type: "delivered" },
  { type: "bounced", reason: "x" },
  { type: "passing", reason: "x" },
  { type: "failed", reason: "x" },
  { type: "unknown", reason: "x" }
]

const RETRIES = limits.queue_retry_seconds

describe("a message on its way", () => {
  const apply = (
    state: MailSendingState,
    decision: { readonly events?: ReadonlyArray<MailSendingEvent> }
  ): MailSendingState => (decision.events ?? []).reduce(evolveMailSending, state)

  test("whatever is asked in whatever order: one that is over is over, one that may have gone out is not sent again, and every attempt is in the log before it is made", () => {
    const move = fc.oneof(
      fc.record({ op: fc.constant("take" as const), repeatable: fc.constantFrom(true, false, null) }),
      fc.record({
        op: fc.constant("settle" as const),
        back: fc.integer({ min: 0, max: 2 }),
        outcome: fc.constantFrom(...OUTCOMES)
      }),
      fc.record({
        op: fc.constant("report" as const),
        type: fc.constantFrom("bounced" as const, "complained" as const, "delivered" as const, "failed" as const)
      }),
      fc.record({ op: fc.constant("timer" as const) })
    )
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        let state: MailSendingState = evolveMailSending(null, queued)
        let at = 0
        let bad = 0
        for (const one of moves) {
          at += 100_000_000
          const before = state
          if (before === null) throw new Error("it was there")
          if (one.op === "take") {
            const decision = decideTake(before, one)
            state = apply(before, decision)
            const attempt = "reply" in decision ? decision.reply?.attempt : undefined
            if (typeof attempt === "number") {
              expect(before.phase === "called" || (before.phase === "attempting" && one.repeatable === true)).toBe(true)
              expect(state?.attempts).toBe(attempt)
            } else {
              expect(state?.phase).not.toBe("called")
              const isLost = "reply" in decision && decision.reply?.lost === true
              expect(isLost).toBe(before.phase === "attempting" && one.repeatable === null)
              if (isLost) expect(state).toEqual(before)
            }
          } else if (one.op === "settle") {
            const attempt = before.attempts - one.back
            const decision = decideSettle(before, { attempt, outcome: one.outcome }, { at }, RETRIES)
            state = apply(before, decision)
            if (one.back > 0) expect(state).toEqual(before)
          } else if (one.op === "report") {
            state = apply(before, decideReport(before, { type: one.type, reason: "x" }))
          } else {
            state = apply(before, decideRetry(before, { name: RETRY_TIMER, at: before.due ?? 0 }, { at }))
          }
          if (state?.status !== before.status && (state?.status === "bounced" || state?.status === "complained")) bad++
          if (before.phase === "over" && !before.unknown) expect(state?.phase).toBe("over")
        }
        // One bounce and one complaint at most are counted.
        expect(bad).toBeLessThanOrEqual(2)
      }),
      { numRuns: 2000 }
    )
  })

  test("is given up after the last of its retries", () => {
    let state: MailSendingState = evolveMailSending(null, queued)
    let attempts = 0
    while (state !== null && state.phase !== "over") {
      state = apply(state, decideTake(state, { repeatable: false }))
      attempts++
      state = apply(
        state,
        decideSettle(state, { attempt: attempts, outcome: { type: "passing", reason: "later" } }, { at: 0 }, RETRIES)
      )
      state = apply(
        state,
        decideRetry(state, { name: RETRY_TIMER, at: state?.due ?? 0 }, { at: Number.MAX_SAFE_INTEGER })
      )
    }
    expect([attempts, state?.status, state?.detail]).toEqual([Object.keys(RETRIES).length + 1, "failed", "later"])
  })

  test("of which nobody has told is told as not known, until somebody tells", () => {
    let state = apply(
      evolveMailSending(null, queued),
      decideTake(evolveMailSending(null, queued), { repeatable: false })
    )
    state = apply(state, decideTake(state, { repeatable: false }))
    expect(state).toMatchObject({ status: "failed", detail: LOST, unknown: true, phase: "over" })
    const told = apply(state, decideSettle(state, { attempt: 1, outcome: { type: "sent" } }, { at: 0 }, RETRIES))
    expect(told).toMatchObject({ status: "sent", unknown: false })
    expect(apply(state, decideReport(state, { type: "delivered", reason: "" }))).toMatchObject({ status: "delivered" })
  })

  test("that waited at a backup is sent after the restore only if nobody can have sent it or no harm comes of it", () => {
    const restored = { seq: 10, at: 1000 }
    const called = evolveMailSending(null, queued)
    const waiting = (due: number) =>
      apply(called, { events: [{ type: "mail_sending.put_off", v: 1, attempt: 1, reason: "later", due }] })
    const at = { at: 2000 }
    expect(isUnsure(called, 10, restored)).toBe(true)
    expect(isUnsure(called, 11, restored)).toBe(false)
    expect(isUnsure(waiting(1000), 10, restored)).toBe(true)
    expect(isUnsure(waiting(1001), 10, restored)).toBe(false)
    const unknown = { status: "failed", unknown: true, phase: "over" }
    expect(decideTake(called, { repeatable: null }, true)).toEqual({ events: [], reply: { attempt: null, lost: true } })
    expect(apply(called, decideTake(called, { repeatable: false }, true))).toMatchObject(unknown)
    expect(decideTake(called, { repeatable: true }, true)).toMatchObject({ reply: { attempt: 1 } })
    expect(apply(waiting(900), decideRetry(waiting(900), { name: RETRY_TIMER, at: 900 }, at, true))).toMatchObject(
      unknown
    )
    expect(apply(waiting(900), decideRetry(waiting(900), { name: RETRY_TIMER, at: 900 }, at))).toMatchObject({
      phase: "called"
    })
  })

  test("that may have been sent in the time that a restore has lost is over when its recipient answers", () => {
    const restored = { seq: 10, at: 1000 }
    const called = evolveMailSending(null, queued)
    const put_off = { type: "mail_sending.put_off", v: 1, attempt: 1, reason: "later", due: 900 } as const
    const attempted = { type: "mail_sending.attempted", v: 1, attempt: 1 } as const
    for (const events of [[], [attempted], [attempted, put_off]]) {
      const state = apply(called, { events })
      expect(isUnsure(state, 10, restored)).toBe(true)
      const left = apply(state, decideUnsubscribe(state, true))
      expect(left).toMatchObject({ phase: "over", unknown: true, unsubscribed: true })
      expect(decideTake(left, { repeatable: true })).toEqual({ events: [], reply: { attempt: null, lost: false } })
      expect(decideRetry(left, { name: RETRY_TIMER, at: 900 }, { at: 2000 })).toEqual({ events: [] })
      const bounced = { type: "bounced", reason: "no such mailbox" } as const
      expect(apply(state, decideReport(state, bounced, true))).toMatchObject({ phase: "over", status: "bounced" })
    }
    expect(decideUnsubscribe(called)).toEqual({ events: [] })
    expect(decideReport(called, { type: "bounced", reason: "forged" })).toEqual({ events: [] })
  })

  test("is of nobody before it is queued", () => {
    expect(decideTake(null, { repeatable: true })).toMatchObject({ refused: { code: "not_found" } })
    expect(decideReport(null, { type: "bounced", reason: "" })).toMatchObject({ refused: { code: "not_found" } })
    expect(countedSince([], 0)).toBe(0)
  })
})
