/** What the provider told, as decisions and as what follows from it (contract 20). */
import { Effect, Result } from "effect"
import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import type { Decision } from "../../../actors/engine/definition.ts"
import { decideSettle, decideTake } from "../../../actors/mail/notice/decide.ts"
import { fedBack, type Report, reportIn, type Reports, sendingOf } from "../../../actors/mail/notice/feedback.ts"
import { type Notification, notificationIn } from "../../../actors/mail/notice/notification.ts"
import { verdictsIn } from "../../../actors/mail/notice/received.ts"
import { evolveNotice, type NoticeEvent, type NoticeState } from "../../../actors/mail/notice/state.ts"
import { againMs } from "../../../actors/mail/notice/worker.ts"
import { NOTICE_OUTCOMES } from "../../../schemas/mail/notice.ts"
import { notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const eventsOf = <Reply>(decision: Decision<NoticeEvent, Reply>): ReadonlyArray<NoticeEvent> => decision.events ?? []

describe("the actor", () => {
  test("takes a message once and keeps its first outcome, whatever comes in which order", () => {
    const take = fc.constant({ type: "take" as const })
    const settle = fc.record({
      type: fc.constant("settle" as const),
      outcome: fc.constantFrom(...NOTICE_OUTCOMES),
      reason: fc.option(fc.string())
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(take, settle)), (asks) => {
        let state: NoticeState = null
        const all: Array<NoticeEvent> = []
        for (const ask of asks) {
          const sealed = state === null ? "sealed" : null
          const decision: Decision<NoticeEvent, unknown> =
            ask.type === "take" ? decideTake(state, { facts: { sealed } }) : decideSettle(state, ask)
          const events: ReadonlyArray<NoticeEvent> = eventsOf(decision)
          all.push(...events)
          state = events.reduce(evolveNotice, state)
        }
        const settled = asks.slice(asks.findIndex(({ type }) => type === "take")).find(({ type }) => type === "settle")
        const isTaken = asks.some(({ type }) => type === "take")
        expect(all.map(({ type }) => type)).toEqual([
          ...(isTaken ? ["mail_notice.taken"] : []),
          ...(isTaken && settled !== undefined ? ["mail_notice.settled"] : [])
        ])
        if (isTaken && settled?.type === "settle")
          expect(state).toEqual({ status: settled.outcome, reason: settled.reason })
      })
    )
  })

  test("settles nothing that it has not taken", () => {
    expect(decideSettle(null, { outcome: "done", reason: null })).toMatchObject({ refused: { code: "not_found" } })
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
