/**
 * Kind `mail_notice`, whose id is a hash of topic and message id: a notification from the mail provider. An edge
 * receives it, and a mail process carries it out. It may contain a mail, so it is sealed in the log.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"

export const NOTICE_OUTCOMES = ["done", "ignored", "given_up"] as const
export const NoticeOutcome = Schema.Struct({
  outcome: Schema.Literals(NOTICE_OUTCOMES),
  /** The service's own description of a failure; `null` if all was done. */
  reason: Schema.NullOr(Schema.String)
})
export type NoticeOutcome = typeof NoticeOutcome.Type

export const noticeOperations = operationsOf("mail_notice", {
  /** `taken` is false if the notification was received before. */
  "mail_notice.take": op({
    input: Schema.Struct({ message: Schema.String }),
    output: Schema.Struct({ taken: Schema.Boolean }),
    askedBy: ["edge"]
  }),
  /** The sealed content, for the process that carries it out again. Refused `not_found` if the log has dropped it. */
  "mail_notice.message": op({
    input: Nothing,
    output: Schema.Struct({ sealed: Schema.String }),
    askedBy: ["mail"]
  }),
  "mail_notice.settle": op({ input: NoticeOutcome, output: Nothing, askedBy: ["mail"] }),
  /**
   * The notification cannot be carried out now. It is repeated later, or given up if it is too old. Refused `not_found`
   * if it was never received.
   */
  "mail_notice.put_off": op({
    input: Schema.Struct({ attempt: Schema.Int, reason: Schema.String }),
    output: Schema.Struct({ given_up: Schema.Boolean }),
    askedBy: ["mail"]
  }),
  "mail_notice.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})
