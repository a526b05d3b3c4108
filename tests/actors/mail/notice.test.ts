/** What the provider told, as decisions and as what follows from it (contract 20). */
import { Effect, Result } from "effect"
import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import type { Decision } from "../../../actors/engine/definition.ts"
import {
  AGAIN_TIMER,
  againMs,
  decidePutOff,
  decideSettle,
  decideTake,
  decideTimer,
  NOBODY,
  OVER_TIMER
} from "../../../actors/mail/notice/decide.ts"
import { fedBack, type Report, reportIn, type Reports, sendingOf } from "../../../actors/mail/notice/feedback.ts"
import { type Notification, notificationIn } from "../../../actors/mail/notice/notification.ts"
import { verdictsIn } from "../../../actors/mail/notice/received.ts"
import { evolveNotice, type NoticeEvent, type NoticeState } from "../../../actors/mail/notice/state.ts"
import { type NoticeOutcome, NOTICE_OUTCOMES } from "../../../schemas/mail/notice.ts"
import { notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const eventsOf = <Reply>(decision: Decision<NoticeEvent, Reply>): ReadonlyArray<NoticeEvent> => decision.events ?? []

const BOUNDS = LIMITS.service.mail
const AT = 1_700_000_000_000
const GIVE_UP_MS = BOUNDS.notice_give_up_seconds * 1000

/** An actor that is played: what it is asked, one after the other. */
const played = () => {
  let state: NoticeState = null
  const all: Array<NoticeEvent> = []
  const asked = <Reply>(decision: Decision<NoticeEvent, Reply>, at: number): Decision<NoticeEvent, Reply> => {
    for (const event of eventsOf(decision)) {
      all.push(event)
      state = evolveNotice(state, event, { at })
    }
    return decision
  }
  return {
    types: () => all.map(({ type }) => type),
    state: () => state,
    take: (at = AT) =>
      asked(decideTake(state, { at, facts: { sealed: state === null ? "sealed" : null } }, BOUNDS), at),
    settle: (outcome: NoticeOutcome, at = AT) => asked(decideSettle(state, outcome), at),
    putOff: (attempt: number, at = AT) => asked(decidePutOff(state, { attempt, reason: "away" }, { at }, BOUNDS), at),
    fire: (name: string, due: number | undefined, at: number) =>
      asked(decideTimer(state, { name, at: due }, { at }), at)
  }
}

const refusedBy = (decision: Decision<NoticeEvent, unknown>) =>
  "refused" in decision ? decision.refused.code : "nothing"

describe("the actor", () => {
  test("takes a message once, calls for it attempt by attempt, and keeps its first outcome, in whatever order", () => {
    const ask = fc.oneof(
      fc.constant({ type: "take" as const }),
      fc.record({
        type: fc.constant("settle" as const),
        outcome: fc.constantFrom(...NOTICE_OUTCOMES),
        reason: fc.option(fc.string())
      }),
      fc.record({ type: fc.constant("put off" as const), attempt: fc.integer({ min: 1, max: 4 }) }),
      fc.constant({ type: "fire" as const })
    )
    fc.assert(
      fc.property(fc.array(ask), (asks) => {
        const actor = played()
        let at = AT
        for (const one of asks) {
          at += 1000
          if (one.type === "take") actor.take(at)
          else if (one.type === "settle") actor.settle(one, at)
          else if (one.type === "put off") actor.putOff(one.attempt, at)
          else {
            const due = actor.state()?.due ?? at
            at = Math.max(at, due)
            actor.fire(AGAIN_TIMER, due, at)
          }
        }
        const told = actor.types().map((type) => type.replace("mail_notice.", ""))
        expect(told.join(" ")).toMatch(/^(?:taken(?: put_off due)*(?: put_off)?(?: settled)?)?$/)
        const settled = asks.slice(asks.findIndex(({ type }) => type === "take")).find(({ type }) => type === "settle")
        const isTaken = asks.some(({ type }) => type === "take")
        expect(told.includes("settled")).toBe(isTaken && settled !== undefined)
        if (isTaken && settled?.type === "settle")
          expect(actor.state()).toMatchObject({ status: settled.outcome, reason: settled.reason, due: null })
      })
    )
  })

  test("puts off until a timer calls for the next attempt, each time later, and gives up what is too old", () => {
    const actor = played()
    expect(actor.take()).toMatchObject({
      timers: [{ name: OVER_TIMER, at: AT + BOUNDS.notice_over_seconds * 1000 }]
    })
    const due = AT + againMs(BOUNDS, 1)
    expect(actor.putOff(1)).toMatchObject({ reply: { given_up: false }, timers: [{ name: AGAIN_TIMER, at: due }] })
    expect(actor.state()).toMatchObject({ status: "waiting", reason: "away", due })
    // Told again, or by who was thought to be lost.
    expect(eventsOf(actor.putOff(1))).toEqual([])
    expect(refusedBy(actor.fire(AGAIN_TIMER, due, due - 1))).toBe("unavailable")
    expect(eventsOf(actor.fire(AGAIN_TIMER, due - 1, due))).toEqual([])
    expect(eventsOf(actor.fire(AGAIN_TIMER, due, due))).toEqual([{ type: "mail_notice.due", v: 1, attempt: 2 }])
    expect(eventsOf(actor.putOff(1, due))).toEqual([])
    expect(actor.putOff(2, due)).toMatchObject({ timers: [{ at: due + againMs(BOUNDS, 2) }] })
    actor.fire(AGAIN_TIMER, actor.state()?.due ?? 0, AT + GIVE_UP_MS)
    expect(actor.putOff(3, AT + GIVE_UP_MS)).toMatchObject({ reply: { given_up: true } })
    expect(actor.state()).toMatchObject({ status: "given_up", reason: "away", due: null })
  })

  test("gives up what nobody has carried out, before the log forgets it", () => {
    expect(BOUNDS.notice_over_seconds).toBeLessThan(BOUNDS.notice_kept_seconds)
    expect(BOUNDS.notice_over_seconds).toBeGreaterThan(BOUNDS.notice_give_up_seconds)
    const over = AT + BOUNDS.notice_over_seconds * 1000
    const actor = played()
    expect(eventsOf(actor.fire(OVER_TIMER, over, over))).toEqual([])
    actor.take()
    expect(refusedBy(actor.fire(OVER_TIMER, over, over - 1))).toBe("unavailable")
    expect(eventsOf(actor.fire(OVER_TIMER, over, over))).toEqual([
      { type: "mail_notice.settled", v: 1, outcome: "given_up", reason: NOBODY }
    ])
    expect(eventsOf(actor.fire(OVER_TIMER, over, over))).toEqual([])
  })

  test("settles nothing that it has not taken", () => {
    expect(decideSettle(null, { outcome: "done", reason: null })).toMatchObject({ refused: { code: "not_found" } })
    expect(refusedBy(played().putOff(1))).toBe("not_found")
  })
})

const told = (of: object): Notification => {
  const found = notificationIn(JSON.stringify({ mail: {}, ...of }))
  if (found === null) throw new Error("no notification")
  return found
}
const bounced = (bounceType: string, more: object = {}) => ({
  eventType: "Bounce",
  bounce: { bounceType, bounceSubType: "General", bouncedRecipients: [], ...more }
})

describe("feedback", () => {
  it.each<readonly [string, object, Report | null]>([
    ["a hard bounce", bounced("Permanent"), { type: "bounced", reason: "Permanent/General" }],
    [
      "a bounce with words of a foreign server",
      bounced("Permanent", { bouncedRecipients: [{ status: "5.1.1", diagnosticCode: "smtp; 550\r\nBcc:\u202e x" }] }),
      { type: "bounced", reason: "Permanent/General: 5.1.1" }
    ],
    ["a soft one, or an answering machine", bounced("Transient"), null],
    [
      "a full mailbox",
      bounced("Transient", { bounceSubType: "MailboxFull" }),
      { type: "failed", reason: "Transient/MailboxFull" }
    ],
    ["an undetermined one", bounced("Undetermined"), { type: "failed", reason: "Undetermined/General" }],
    ["a bounce without any word of it", { eventType: "Bounce" }, null],
    ["a complaint", { notificationType: "Complaint", complaint: {} }, { type: "complained", reason: "abuse" }],
    [
      "a complaint of fraud",
      { eventType: "Complaint", complaint: { complaintFeedbackType: "fraud", complaintSubType: null } },
      { type: "complained", reason: "fraud" }
    ],
    [
      "an address on the provider's own list",
      { eventType: "Complaint", complaint: { complaintSubType: "OnAccountSuppressionList" } },
      { type: "failed", reason: "on the provider's suppression list" }
    ],
    ["a complaint taken back", { eventType: "Complaint", complaint: { complaintFeedbackType: "not-spam" } }, null],
    ["a delivery", { notificationType: "Delivery", delivery: {} }, { type: "delivered", reason: "" }],
    [
      "a reject",
      { eventType: "Reject", reject: { reason: "Bad content" } },
      { type: "failed", reason: "the provider sends no such message: Bad content" }
    ],
    ["a click", { eventType: "Click" }, null],
    ["nothing known", {}, null]
  ])("of %s", (_what, of, report) => {
    expect(reportIn(told(of))).toEqual(report)
  })

  it.each<readonly [object, string | null]>([
    [{ tags: { "hub-sending": ["12-3"] } }, "12-3"],
    [{ headers: [{ name: "x-hub-sending", value: " 7-1 " }] }, "7-1"],
    [{ tags: { "hub-sending": ["12-3"] }, headers: [{ name: "X-Hub-Sending", value: "7-1" }] }, "12-3"],
    [{ tags: { "hub-sending": ["../../agent"] } }, null],
    [{ tags: { "hub-sending": [] }, headers: [] }, null],
    [{ tags: { "hub-sending": ["1-2 "] } }, null],
    [{}, null]
  ])("is of the sending that %j names", (mail, id) => {
    expect(sendingOf(told({ mail }))).toBe(id)
  })

  const handed = async (of: object, refused: Refusal | null) => {
    const reported: Array<readonly [string, Report]> = []
    const reports: Reports = {
      report: (id, report) => {
        reported.push([id, report])
        return refused === null ? Effect.void : Effect.fail(refused)
      }
    }
    const result = await Effect.runPromise(Effect.result(fedBack(reports, told(of))))
    return { reported, result: Result.isSuccess(result) ? result.success.outcome : result.failure.code }
  }

  test("is handed on; of no sending it is ignored, and comes again while nobody takes it", async () => {
    const of = { ...bounced("Permanent"), mail: { tags: { "hub-sending": ["12-3"] } } }
    const report = { type: "bounced", reason: "Permanent/General" }
    expect(await handed(of, null)).toEqual({ reported: [["12-3", report]], result: "done" })
    expect((await handed(of, notFound("sending"))).result).toBe("ignored")
    expect((await handed(of, unavailable("later"))).result).toBe("unavailable")
    expect(await handed(bounced("Permanent"), null)).toEqual({ reported: [], result: "ignored" })
    const alone = await Effect.runPromise(fedBack(null, told(of)))
    expect(alone.outcome).toBe("ignored")
  })
})

describe("a notification", () => {
  test("is read whatever anybody writes, or is none", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const found = notificationIn(text)
        if (found !== null) expect(found.mail).toEqual(expect.any(Object))
      })
    )
    for (const text of ["[".repeat(200_000), '{"mail":[]}', '{"mail":{"tags":{"hub-sending":"x"}}}', '{"mail":null}'])
      expect(notificationIn(text)).toBeNull()
  })

  test("tells verdicts as they are, and none for what is not judged", () => {
    const action = { type: "S3" }
    const status = (of: string) => ({ status: of })
    expect(
      verdictsIn({
        recipients: [],
        action,
        spfVerdict: status("GRAY"),
        dkimVerdict: status("FAIL"),
        dmarcVerdict: status("PROCESSING_FAILED"),
        spamVerdict: status("DISABLED")
      })
    ).toEqual({ spf: "GRAY", dkim: "FAIL", dmarc: "PROCESSING_FAILED", spam: "NONE", virus: "NONE" })
    expect(verdictsIn({ recipients: [], action, virusVerdict: status("constructor") }).virus).toBe("NONE")
  })
})

test("what failed is tried again ever later, within bounds", () => {
  const { mail } = LIMITS.service
  const times = Array.from({ length: 2000 }, (_, index) => againMs(mail, index + 1))
  expect(times[0]).toBe(mail.notice_again_ms)
  expect(times.every((ms, index) => ms >= (times[index - 1] ?? 0) && ms <= mail.notice_again_max_ms)).toBe(true)
})
